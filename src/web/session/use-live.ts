import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { fetchOp, useEvents } from '../api.ts'
import type { Outline } from './types.ts'
import { type Reading, refreshRows } from './use-rows.ts'

/**
 * Keeps a conversation up with its log. What is appended is fetched at once, one round after the other; the outline, which
 * takes longer, follows behind. Gives how many rows there are.
 */
export function useLive({ session, branch }: Reading, first: number, outline: Outline | undefined): number {
  const client = useQueryClient()
  const [total, setTotal] = useState(first)
  const known = useRef(first)
  known.current = total

  const rows = useRounds(
    useCallback(async () => {
      setTotal(await refreshRows(client, { session, branch }, known.current, 'end'))
    }, [client, session, branch]),
  )
  const whole = useRounds(
    useCallback(async () => {
      const input = { session, ...(branch !== undefined && { branch }) }
      client.setQueryData(['outline', input], await fetchOp('outline', input))
    }, [client, session, branch]),
  )

  // The outline may know of rows that came before anyone listened, or of a conversation that took another way.
  const before = useRef<Outline | undefined>(undefined)
  useEffect(() => {
    if (!outline) return
    const { total: told, branches } = outline
    const isOtherWay = before.current !== undefined && before.current.branches.length !== branches.length
    before.current = outline
    if (isOtherWay) void refreshRows(client, { session, branch }, told, 'all').then(setTotal)
    else if (told > known.current) rows()
  }, [outline, client, session, branch, rows])

  useEvents(useOffset(session, outline?.sizeBytes), {
    rows: () => {
      rows()
      whole()
    },
  })
  return total
}

/** Where to listen from. A page that nobody looks at keeps no connection: a browser has only a few for one host. */
function useOffset(session: string, size: number | undefined) {
  const latest = useRef<number | undefined>(undefined)
  const [from, setFrom] = useState<number | undefined>(undefined)
  useEffect(() => {
    if (size === undefined) return
    latest.current = size
    setFrom((one) => one ?? size)
  }, [size])
  useEffect(() => {
    const onVisible = () => setFrom(document.hidden ? undefined : latest.current)
    document.addEventListener('visibilitychange', onVisible)
    return () => document.removeEventListener('visibilitychange', onVisible)
  }, [])
  return from === undefined ? null : { session, from }
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
