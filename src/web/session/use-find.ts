import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from 'react'
import { type OpError, useOp } from '../api.ts'
import type { Reading } from './use-rows.ts'

/** A search inside a session. */
export interface Finding {
  readonly words: string
  readonly setWords: (words: string) => void
  /** How many rows have them. */
  readonly total: number
  /** Which of them one was led to; -1 for none. */
  readonly current: number
  readonly row: number | undefined
  readonly next: () => void
  readonly previous: () => void
  readonly isBusy: boolean
  readonly error: OpError | null
}

const PAUSE_MS = 200

/** Finds words in all rows of a session, drawn or not; begins at the row one reads. */
export function useFind(reading: Reading, initial: string, place: () => number): Finding {
  const { session, branch } = reading
  const [words, setWords] = useState(initial)
  const [query, setQuery] = useState(initial)
  useEffect(() => {
    const timer = setTimeout(() => setQuery(words.trim()), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [words])
  const input = { session, query, ...(branch !== undefined && { branch }) }
  const { data, isFetching, error } = useOp('find', input, { enabled: query !== '', staleMs: 60_000 })
  const matches = useMemo(() => (query === '' ? [] : (data?.matches ?? [])), [data, query])
  const [current, setCurrent] = useState(-1)
  // Else "0 of 3 rows" would be seen for a moment.
  useLayoutEffect(() => {
    const from = place()
    const first = matches.findIndex(({ row }) => row >= from)
    setCurrent(matches.length === 0 ? -1 : Math.max(0, first))
  }, [matches, place])
  const step = useCallback(
    (by: number) => setCurrent((at) => (matches.length === 0 ? -1 : (at + by + matches.length) % matches.length)),
    [matches],
  )
  return {
    words,
    setWords,
    total: query === '' ? 0 : (data?.total ?? 0),
    current,
    row: matches[current]?.row,
    next: useCallback(() => step(1), [step]),
    previous: useCallback(() => step(-1), [step]),
    isBusy: isFetching || words.trim() !== query,
    error,
  }
}
