import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { numberAt, stringsAt } from '../../core/json.ts'
import { fetchOp } from '../api.ts'
import { useEvents } from '../events.ts'
import type { Outline } from './types.ts'
import { type Opening, useGrowing } from './use-growing.ts'
import type { Reading } from './use-rows.ts'

/** Tells those who listen that a file of the family was written. */
export type Watch = (listener: () => void) => () => void

/**
 * Keeps a conversation and its outline up with the log. Gives how many rows there are, whether the log is still there, and
 * tells when an agent wrote.
 */
export function useLive(
  { session, branch }: Reading,
  opening: Opening,
  outline: Outline | undefined,
): { readonly total: number; readonly watch: Watch; readonly isGone: boolean } {
  const client = useQueryClient()
  const fetchOutline = useCallback(async () => {
    const input = { session, ...(branch !== undefined && { branch }) }
    client.setQueryData(['outline', input], await fetchOp('outline', input))
  }, [client, session, branch])
  const { total, appended, refresh, whole } = useGrowing({ session, branch }, opening, fetchOutline)

  const known = useRef(total)
  known.current = total
  const before = useRef<Outline | undefined>(undefined)
  const told = useRef(0)
  useEffect(() => {
    if (!outline) return
    const isOtherWay = before.current !== undefined && before.current.branches.length !== outline.branches.length
    before.current = outline
    if (isOtherWay) refresh('all')
    else if (outline.total > known.current) refresh('end')
    // Rows that came while it was made are not in it.
    if (told.current > outline.sizeBytes) whole()
  }, [outline, refresh, whole])

  const listeners = useRef(new Set<() => void>())
  const watch = useCallback<Watch>((listener) => {
    listeners.current.add(listener)
    return () => listeners.current.delete(listener)
  }, [])

  const [from, setFrom] = useState<number | undefined>(opening.offset)
  const heard = useRef(opening.offset)
  const [isGone, setGone] = useState(false)
  // A page that nobody looks at need not keep up.
  useEffect(() => {
    const onVisible = () => setFrom(document.hidden ? undefined : heard.current)
    document.addEventListener('visibilitychange', onVisible)
    return () => document.removeEventListener('visibilitychange', onVisible)
  }, [])
  useEvents(from === undefined ? null : { session, from }, {
    rows: (data) => {
      heard.current = numberAt(data, 'offset') ?? heard.current
      told.current = numberAt(data, 'sizeBytes') ?? heard.current
      appended()
    },
    rewritten: () => {
      refresh('all')
      whole()
    },
    gone: () => setGone(true),
    change: (data) => {
      if (isGone && stringsAt(data, 'sessions').includes(session)) {
        // It may be back, and as another file.
        setGone(false)
        refresh('all')
      }
      if (!outline || !stringsAt(data, 'sessions').includes(outline.session.id)) return
      for (const listener of listeners.current) listener()
      whole()
    },
  })
  return { total, watch, isGone }
}
