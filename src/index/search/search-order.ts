import { type Docs, type Found, SPOKEN_KINDS } from './matching-docs.ts'
import type { Originals } from './originals.ts'
import type { Project, SearchedLog } from './searched-logs.ts'

/** What was found in a session and its agents. */
export interface FoundSession {
  readonly session: string
  readonly project: Project
  /** Each message once; what it copied from another session counts there too. */
  readonly count: number
  readonly newestMs: number | null
}

/** The newest messages in some logs: log by log, those that end last first, until no other can have anything newer. */
export function newestOf(docs: Docs, logs: Iterable<SearchedLog>, limit: number): readonly Found[] {
  let found: readonly Found[] = []
  for (const log of [...logs].sort((a, b) => b.endedMs - a.endedMs || b.id - a.id)) {
    const least = found.length < limit ? Number.NEGATIVE_INFINITY : timeOf(found[limit - 1] as Found)
    if (log.endedMs < least) break
    const own = new Map<number, Found>()
    for (const one of docs.newestIn(log)) {
      if (own.size >= limit || timeOf(one) < least) break
      if (!own.has(one.copy)) own.set(one.copy, one)
    }
    if (own.size > 0) found = eachOnce([...found, ...own.values()].sort(byTime)).slice(0, limit)
  }
  return found
}

/** Of copies the first. */
function eachOnce(found: readonly Found[]): readonly Found[] {
  const seen = new Set<number>()
  return found.filter(({ copy }) => !seen.has(copy) && seen.add(copy))
}

/** Session by session, the newest first: of each what was said, then the rest, the newest first. A copy is told where it was made. */
export function hitsOfEach(
  docs: Docs,
  originals: Originals,
  wanted: {
    readonly logs: ReadonlyMap<number, SearchedLog>
    readonly sessions: readonly FoundSession[]
    readonly limit: number
    readonly perSession: number
  },
): readonly Found[] {
  const { logs, sessions, limit, perSession } = wanted
  const logsOf = new Map<string, SearchedLog[]>()
  for (const log of logs.values()) logsOf.set(log.session, [...(logsOf.get(log.session) ?? []), log])
  const seen = new Set<number>()
  const found: Found[] = []
  for (const { session } of sessions) {
    if (found.length >= limit) break
    const own: Found[] = []
    for (const log of logsOf.get(session) ?? []) {
      let taken = 0
      for (const hit of docs.newestIn(log, true)) {
        if (taken >= perSession) break
        const one = seen.has(hit.copy) ? undefined : originals.of(hit)
        if (one?.log.session !== session) continue
        seen.add(hit.copy)
        taken += 1
        own.push(one)
      }
    }
    own.sort((a, b) => closeness(b) - closeness(a) || byTime(a, b))
    found.push(...own.slice(0, Math.min(perSession, limit - found.length)))
  }
  return found
}

/** What was said in the conversation itself comes before what was said to agents, and that before all else. */
function closeness({ kind, log }: Found): number {
  return !SPOKEN_KINDS.includes(kind) ? 0 : log.agent === null ? 2 : 1
}

function byTime(a: Found, b: Found): number {
  return timeOf(b) - timeOf(a)
}

/** What has no time is the oldest. */
function timeOf({ timeMs }: Found): number {
  return timeMs ?? -1
}
