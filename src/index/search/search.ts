import type { Database } from '../driver.ts'
import { withCandidates } from './candidates.ts'
import {
  type Docs,
  type Found,
  type LogCount,
  MatchingDocs,
  type MatchingSources,
  MOST_COUNTED,
} from './matching-docs.ts'
import { Originals } from './originals.ts'
import { RemoteDocs, type RemoteHits } from './remote-docs.ts'
import { type FoundSession, hitsOfEach, newestOf } from './search-order.ts'
import { latestLogs, type SearchedLog, type SearchFilter, searchedLogs } from './searched-logs.ts'

export interface SearchResult {
  readonly found: readonly Found[]
  /** Copies of one message count once. */
  readonly total: number
  /** There are more than `total`: so many are not counted. */
  readonly isMore: boolean
  /** Every session in which something was found, the newest first; none where nothing is counted. */
  readonly sessions: readonly FoundSession[]
}

export interface SearchOptions {
  readonly sort: 'time' | 'relevance'
  readonly limit: number
  /** So many of each session at most: what was asked and answered before all else. */
  readonly perSession?: number | undefined
  /** Only what comes first, which takes no longer where there is more; `total` is what is given. */
  readonly isUncounted?: boolean | undefined
}

/** Searches the text index. Newest first, whatever the session. */
export function searchDocs(
  database: Database,
  sought: MatchingSources,
  filter: SearchFilter,
  options: SearchOptions,
): SearchResult {
  return withCandidates(database, sought.candidates ?? [], () =>
    resultOf(database, new MatchingDocs(database, sought, filter), filter, options),
  )
}

/** The same for records that a team store found; the tables give their logs. */
export function searchRemoteHits(
  database: Database,
  hits: RemoteHits,
  filter: SearchFilter,
  options: SearchOptions,
): SearchResult {
  return resultOf(database, new RemoteDocs(hits), filter, options)
}

function resultOf(database: Database, docs: Docs, filter: SearchFilter, options: SearchOptions): SearchResult {
  const search = new Search(database, docs, filter)
  return options.isUncounted ? search.page(options) : search.counted(options)
}

/** The logs in which something was found, with how much of it. */
interface MatchingLogs {
  readonly logs: ReadonlyMap<number, SearchedLog>
  readonly sessions: readonly FoundSession[]
  /** There are others, which are not wanted. */
  readonly isSome: boolean
}

/** So many logs are looked at one by one before all that match are counted. */
const MOST_WALKED = 64

class Search {
  readonly #database: Database
  readonly #docs: Docs
  readonly #filter: SearchFilter

  constructor(database: Database, docs: Docs, filter: SearchFilter) {
    this.#database = database
    this.#docs = docs
    this.#filter = filter
  }

  counted(options: SearchOptions): SearchResult {
    const matching = this.#matching()
    const total = this.#docs.countDistinct(matching.isSome ? [...matching.logs.keys()] : undefined)
    return {
      found: this.#found(matching, options),
      total: Math.min(total, MOST_COUNTED),
      isMore: total > MOST_COUNTED,
      sessions: matching.sessions,
    }
  }

  page({ limit, ...options }: SearchOptions): SearchResult {
    const oneMore = { ...options, limit: limit + 1 }
    const found = this.#newestOfLatest(oneMore) ?? this.#found(this.#matching(), oneMore)
    const shown = found.slice(0, limit)
    return { found: shown, total: shown.length, isMore: found.length > limit, sessions: [] }
  }

  /** What is found often, the logs that ended last have as a rule. `undefined` where others may have something newer. */
  #newestOfLatest({ sort, limit, perSession }: SearchOptions): readonly Found[] | undefined {
    if (sort !== 'time' || perSession !== undefined || !this.#docs.areMany()) return undefined
    const { ids, endedMs } = latestLogs(this.#database, MOST_WALKED)
    const logs = searchedLogs(this.#database, this.#filter, ids)
    const found = newestOf(this.#docs, logs.values(), limit)
    const oldest = found[limit - 1]?.timeMs ?? Number.NEGATIVE_INFINITY
    return ids.length < MOST_WALKED || oldest > endedMs ? this.#inOriginals(found, logs) : undefined
  }

  #matching(): MatchingLogs {
    const all = this.#docs.countByLog()
    const ids = all.map(({ log }) => log)
    const logs = searchedLogs(this.#database, this.#filter, ids)
    const counts = all.filter(({ log }) => logs.has(log))
    return { logs, sessions: bySession(counts, logs), isSome: counts.length < all.length }
  }

  #found({ logs, sessions }: MatchingLogs, { sort, limit, perSession }: SearchOptions): readonly Found[] {
    const docs = this.#docs
    if (sort === 'relevance' && docs.isRanked) return this.#inOriginals(docs.best(logs, limit, perSession), logs)
    if (perSession === undefined) return this.#inOriginals(newestOf(docs, logs.values(), limit), logs)
    return hitsOfEach(docs, this.#originals(logs), { logs, sessions, limit, perSession })
  }

  #inOriginals(found: readonly Found[], logs: ReadonlyMap<number, SearchedLog>): readonly Found[] {
    const originals = this.#originals(logs)
    return found.map((one) => originals.of(one))
  }

  #originals(logs: ReadonlyMap<number, SearchedLog>): Originals {
    const logOf = (id: number) => logs.get(id) ?? searchedLogs(this.#database, this.#filter, [id]).get(id)
    return new Originals(this.#database, this.#docs, logOf)
  }
}

function bySession(counts: readonly LogCount[], logs: ReadonlyMap<number, SearchedLog>): readonly FoundSession[] {
  const sessions = new Map<string, FoundSession>()
  for (const { log, count, newestMs } of counts) {
    const { session, project } = logs.get(log) as SearchedLog
    const known = sessions.get(session)
    const newest = Math.max(newestMs ?? -1, known?.newestMs ?? -1)
    sessions.set(session, {
      session,
      project: known?.project ?? project,
      count: count + (known?.count ?? 0),
      newestMs: newest === -1 ? null : newest,
    })
  }
  return [...sessions.values()].sort((a, b) => (b.newestMs ?? -1) - (a.newestMs ?? -1))
}
