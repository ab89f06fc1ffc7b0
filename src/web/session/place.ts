import { useSyncExternalStore } from 'react'

/** The row at the top of the screen. It changes with every turn of the wheel, so only who needs it is drawn anew for it. */
export interface Place {
  readonly get: () => number
  readonly set: (row: number) => void
  readonly subscribe: (listener: () => void) => () => void
}

/** Makes a place at the first row. */
export function createPlace(): Place {
  const listeners = new Set<() => void>()
  let current = 0
  return {
    get: () => current,
    set: (row) => {
      if (row === current) return
      current = row
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Follows a place; what is made of it decides whether anything is drawn anew. */
export function usePlace(place: Place, made: (row: number) => number): number {
  return useSyncExternalStore(place.subscribe, () => made(place.get()))
}
