import { useCallback, useMemo } from 'react'
import { parseQuery, wantedTerms } from '../../core/search/query.ts'
import { fetchOp, type OpInput, useOp } from '../api.ts'
import { useNavigate } from '../routing.tsx'
import { type Hit, sessionOf } from '../search/hit-words.ts'

/** The way from one hit of a search to the next, over the rows of a session and on to the next session. */
export interface HitWalk {
  /** The words that are marked. */
  readonly words: readonly string[]
  /** Hits of this session, and which of them one is at; -1 for none. */
  readonly total: number
  readonly current: number
  readonly sessions: number
  readonly next: () => void
  readonly previous: () => void
}

/** As many hits of one session as one walks through. */
const MOST = 2000

/** Walks through the hits of a search. `family` is the session with its agents; `at` the row one was led to. */
export function useHits(query: string, family: string | undefined, at: string | undefined): HitWalk | undefined {
  const navigate = useNavigate()
  const isOn = query !== ''
  const own = useOp('search', hitsOf(query, family ?? ''), { enabled: isOn && family !== undefined, staleMs: 60_000 })
  const all = useOp('search', { query: [query], 'per-session': 1, limit: 1 }, { enabled: isOn, staleMs: 60_000 })
  const hits = useMemo(() => inOrder(own.data?.hits ?? []), [own.data])
  const groups = all.data?.groups
  const current = hits.findIndex(({ uuid }) => uuid === at)
  const go = useCallback(
    (hit: Hit | undefined) => {
      if (!hit) return
      const search = { hits: query, at: hit.uuid ?? undefined }
      navigate({ to: '/s/$session', params: { session: sessionOf(hit) }, search, replace: true })
    },
    [navigate, query],
  )
  const step = useCallback(
    async (by: 1 | -1) => {
      const next = hits[current + by]
      if (next) return go(next)
      const place = groups?.findIndex(({ session }) => session === family) ?? -1
      const group = groups?.[place + by]
      if (!group || place === -1) return
      const answer = await fetchOp('search', hitsOf(query, group.session))
      const there = inOrder(answer.hits)
      go(by === 1 ? there[0] : there.at(-1))
    },
    [hits, current, groups, family, query, go],
  )
  const words = useMemo(() => wantedTerms(parseQuery(query)).map(({ text }) => text), [query])
  const next = useCallback(() => void step(1).catch(() => undefined), [step])
  const previous = useCallback(() => void step(-1).catch(() => undefined), [step])
  if (!isOn) return undefined
  return { words, total: hits.length, current, sessions: groups?.length ?? 0, next, previous }
}

function hitsOf(query: string, session: string): OpInput<'search'> {
  return { query: [query], session, limit: MOST }
}

/** The hits that stand on a row, as one reads them: by time, each row once. */
function inOrder(hits: readonly Hit[]): readonly Hit[] {
  const rows = new Map(hits.flatMap((hit) => (hit.uuid === null ? [] : [[hit.uuid, hit] as const])))
  return [...rows.values()].sort((a, b) => timeOf(a) - timeOf(b) || a.offset - b.offset)
}

function timeOf({ timestamp }: Hit): number {
  return Date.parse(timestamp ?? '') || 0
}
