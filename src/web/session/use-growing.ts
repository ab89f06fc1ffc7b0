import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { appendRows, type Reading, refreshRows } from './use-rows.ts'

/** How soon the whole is looked at after an append, at the earliest and at the latest. */
const SOONEST_MS = 400
const LATEST_MS = 15_000
/** Looking at the whole may take this part of the server's time. */
const SHARE = 1 / 12
/** So much of a log is looked at in a millisecond, as long as nothing else is known. */
const LIKELY_BYTES = 50_000

/** What is known of a conversation when it is opened. */
export interface Opening {
  /** How many rows it has. */
  readonly total: number
  /** How much of the log was read. */
  readonly offset: number
}

/** A conversation that grows. */
export interface Growing {
  /** How many rows there are. */
  readonly total: number
  /** Something was appended: fetches it at once, and looks at the whole later. */
  readonly appended: () => void
  /** Fetches again what may have changed: the end, or all that is at hand. */
  readonly refresh: (what: 'end' | 'all') => void
  /** Looks at the whole, the less often the longer that takes. */
  readonly whole: () => void
}

/**
 * Keeps the rows of a conversation up with its log. What is appended costs what was appended; the whole is looked at behind
 * it. `alsoWhole` is done along with that.
 */
export function useGrowing(
  { session, branch }: Reading,
  opening: Opening,
  alsoWhole: (() => Promise<unknown>) | undefined,
): Growing {
  const client = useQueryClient()
  const [total, setTotal] = useState(opening.total)
  const known = useRef(total)
  known.current = total
  const again = useCallback(
    async (what: 'end' | 'all') => setTotal(await refreshRows(client, { session, branch }, known.current, what)),
    [client, session, branch],
  )
  const end = useRounds(useCallback(() => again('end'), [again]))
  const all = useRounds(useCallback(() => again('all'), [again]))
  /** What was fetched from the end of the log is not all there is to it: calls may have started agents. */
  const isPart = useRef(false)
  const whole = useUnhurried(
    useCallback(async () => {
      await alsoWhole?.()
      if (!isPart.current) return
      isPart.current = false
      await again('end')
    }, [alsoWhole, again]),
    opening.offset / LIKELY_BYTES,
  )
  const appended = useRounds(
    useCallback(async () => {
      const found = await appendRows(client, { session, branch }, known.current).catch(() => 'changed' as const)
      if (found === 'changed') await again('end')
      else if (found === 'unseen') isPart.current = true
      else {
        setTotal(found.total)
        isPart.current ||= found.hasCalls
      }
      whole()
    }, [client, session, branch, again, whole]),
  )
  const refresh = useCallback((what: 'end' | 'all') => (what === 'end' ? end() : all()), [end, all])
  return { total, appended, refresh, whole }
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

/** Does something a while after it is called, the later the longer it took the last time; calls in between are one. */
function useUnhurried(round: () => Promise<void>, likelyMs: number): () => void {
  const state = useRef<{ timer: number | undefined; delay: number }>({ timer: undefined, delay: delayFor(likelyMs) })
  const current = useRef(round)
  current.current = round
  useEffect(() => () => clearTimeout(state.current.timer), [])
  return useCallback(() => {
    if (state.current.timer !== undefined) return
    state.current.timer = window.setTimeout(async () => {
      // What is said from now on is not in what is fetched.
      state.current.timer = undefined
      const began = performance.now()
      await current.current().catch(() => undefined)
      state.current.delay = delayFor(performance.now() - began)
    }, state.current.delay)
  }, [])
}

function delayFor(ms: number): number {
  return Math.min(LATEST_MS, Math.max(SOONEST_MS, ms / SHARE))
}
