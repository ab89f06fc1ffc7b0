import { useEffect, useSyncExternalStore } from 'react'
import type { KeyRow } from './key-list.tsx'

let shown: readonly KeyRow[] = []
const listeners = new Set<() => void>()

function tell(rows: readonly KeyRow[]): void {
  shown = rows
  for (const listener of listeners) listener()
}

/** Tells the help which keys the page has while the component is shown. The rows must be a constant. */
export function usePageKeys(rows: readonly KeyRow[]): void {
  useEffect(() => {
    tell(rows)
    return () => tell([])
  }, [rows])
}

/** The keys of the page one is on. */
export function useShownPageKeys(): readonly KeyRow[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => shown,
  )
}
