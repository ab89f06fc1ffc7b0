import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { numberAt } from '../../core/json.ts'
import { fetchOp, useEvents } from '../api.ts'
import type { Outline } from './types.ts'
import { type Reading, refreshRows } from './use-rows.ts'

/** What is known of a conversation when it is opened. */
export interface Opening {
  /** How many rows it has. */
  readonly total: number
  /** A byte of the log up to which it was surely read. */
  readonly offset: number
}

/**
 * Keeps a conversation up with its log. What is appended is fetched at once, one round after the other; the outline, which
 * takes longer, follows behind. Gives how many rows there are.
 */
export function useLive({ session, branch }: Reading, opening: Opening, outline: Outline | undefined): number {
  const client = useQueryClient()
  const [total, setTotal] = useState(opening.total)
  const known = useRef(total)
  known.current = total
  const size = useRef(0)
  size.current = outline?.sizeBytes ?? Number.POSITIVE_INFINITY

  const refresh = useCallback(
    async (what: 'end' | 'all') => setTotal(await refreshRows(client, { session, branch }, known.current, what)),
    [client, session, branch],
  )
  const rows = useRounds(useCallback(() => refresh('end'), [refresh]))
  const whole = useRounds(
    useCallback(async () => {
      const input = { session, ...(branch !== undefined && { branch }) }
      client.setQueryData(['outline', input], await fetchOp('outline', input))
    }, [client, session, branch]),
  )

  const before = useRef<Outline | undefined>(undefined)
  const told = useRef(0)
  useEffect(() => {
    if (!outline) return
    const isOtherWay = before.current !== undefined && before.current.branches.length !== outline.branches.length
    before.current = outline
    if (isOtherWay) void refresh('all').catch(() => undefined)
    else if (outline.total > known.current) rows()
    // Rows that came while it was made are not in it.
    if (told.current > outline.sizeBytes) whole()
  }, [outline, refresh, rows, whole])

  const [from, setFrom] = useState<number | undefined>(opening.offset)
  const heard = useRef(opening.offset)
  // A page that nobody looks at keeps no connection: a browser has only a few for one host.
  useEffect(() => {
    const onVisible = () => setFrom(document.hidden ? undefined : heard.current)
    document.addEventListener('visibilitychange', onVisible)
    return () => document.removeEventListener('visibilitychange', onVisible)
  }, [])
  useEvents(from === undefined ? null : { session, from }, {
    rows: (data) => {
      heard.current = numberAt(data, 'offset') ?? heard.current
      told.current = numberAt(data, 'sizeBytes') ?? heard.current
      rows()
      if (told.current > size.current) whole()
    },
    rewritten: () => {
      void refresh('all').catch(() => undefined)
      whole()
    },
  })
  return total
}

/** Does something again each time it is called, but never twice at once: what comes meanwhile is one more round. */
function useRounds(round: () => Promise<void>): () => void {
  const state = useRef({ isBusy: false, isAgain: false })
  return useCallback(() => {
    const run = async () => {
      state.current = { isBusy: true, isAgain: false }
      // A round that fails is made good by the next.
      await round().catch(() => undefined)
      state.current.isBusy = false
      if (state.current.isAgain) void run()
    }
    if (state.current.isBusy) state.current.isAgain = true
    else void run()
  }, [round])
}
