import { type Candidate, withCandidates } from './candidates.ts'
import type { Database, Row, SqlValue, Statement } from './driver.ts'
import { DOCS_OF_A_LOG } from './schema.ts'
import { conditions } from './search-conditions.ts'
import { type Project, type SearchedLog, type SearchFilter, searchedLogs } from './searched-logs.ts'

/** A record that was found, by its place. */
export interface Found {
  readonly log: SearchedLog
  readonly line: number
  readonly offset: number
  readonly length: number
  readonly role: string
  readonly kind: string
  readonly timeMs: number | null
  /** What copies of it share. */
  readonly copy: number
}

/** What was found in a session and its agents. */
export interface FoundSession {
  readonly session: string
  readonly project: Project
  /** Each message once; what it copied from another session counts there too. */
  readonly count: number
  readonly newestMs: number | null
}

export interface SearchResult {
  readonly found: readonly Found[]
  /** Copies of one message count once. */
  readonly total: number
  /** There are more than `total`: so many are not counted. */
  readonly isMore: boolean
  /** Every session in which something was found, the newest first. */
  readonly sessions: readonly FoundSession[]
}

/** What is looked for: records that an FTS5 expression finds, and records that were found in the logs themselves. */
export interface Sought {
  readonly match?: string | undefined
  readonly candidates?: readonly Candidate[]
}

export interface SearchOptions {
  readonly sort: 'time' | 'relevance'
  readonly limit: number
  /** So many of each session at most: what was asked and answered before all else. */
  readonly perSession?: number | undefined
}

/** Hits beyond so many are not counted. */
export const MOST_COUNTED = 10_000

/** The records that were found and are wanted, the newest first whatever their session. */
export function searchDocs(
  database: Database,
  sought: Sought,
  filter: SearchFilter,
  options: SearchOptions,
): SearchResult {
  return withCandidates(database, sought.candidates ?? [], () => {
    const docs = new Docs(database, sought, filter)
    const all = docs.countByLog()
    const logs = searchedLogs(
      database,
      filter,
      all.map(({ log }) => log),
    )
    const counts = all.filter(({ log }) => logs.has(log))
    const matching = counts.map(({ log }) => logs.get(log) as SearchedLog)
    const total = docs.countDistinct(counts.length < all.length ? matching : undefined)
    const sessions = bySession(counts, logs)
    return {
      found: foundBy(docs, logs, sessions, options),
      total: Math.min(total, MOST_COUNTED),
      isMore: total > MOST_COUNTED,
      sessions,
    }
  })
}

function foundBy(
  docs: Docs,
  logs: ReadonlyMap<number, SearchedLog>,
  sessions: readonly FoundSession[],
  { sort, limit, perSession }: SearchOptions,
): readonly Found[] {
  if (sort === 'relevance' && docs.isRanked) return docs.best(logs, limit, perSession)
  return perSession === undefined ? docs.newest(logs, limit) : docs.ofEach(logs, sessions, { limit, perSession })
}

interface LogCount {
  readonly log: number
  readonly count: number
  readonly newestMs: number | null
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

/** The docs that were found, as something that can be asked in SQL. */
class Docs {
  /** Only full-text search knows what fits best. */
  readonly isRanked: boolean
  readonly #database: Database
  readonly #match: readonly string[]
  readonly #from: string
  readonly #id: string
  readonly #where: string
  readonly #values: readonly SqlValue[]
  readonly #names = new Map<number, string>()
  #origin: Statement | undefined
  #copies: Statement | undefined

  constructor(database: Database, { match, candidates = [] }: Sought, filter: SearchFilter) {
    this.#database = database
    this.#match = match === undefined ? [] : [match]
    this.isRanked = match !== undefined && candidates.length === 0
    this.#from = this.isRanked ? WORDS : match === undefined ? CANDIDATES : BOTH
    this.#id = this.isRanked ? 'words.rowid' : 'd.id'
    const { where, values } = conditions(filter)
    this.#where = where
    this.#values = values
  }

  countByLog(): readonly LogCount[] {
    const sql = `select d.id / ${DOCS_OF_A_LOG} as log, count(distinct d.copy) as count, max(d.time) as newest
      from ${this.#from}${this.#where} group by 1`
    const rows = this.#database.prepare(sql).all(...this.#match, ...this.#values)
    return rows.map(({ log, count, newest }) => ({
      log: log as number,
      count: count as number,
      newestMs: newest as number | null,
    }))
  }

  /** How many there are, in all logs or in some, or one more than are counted. */
  countDistinct(logs: readonly SearchedLog[] | undefined): number {
    const inLogs = logs ? ` and d.id / ${DOCS_OF_A_LOG} in (${logs.map(({ id }) => id).join()})` : ''
    const sql = `select count(*) as total from (
      select distinct d.copy from ${this.#from}${this.#where}${inLogs} limit ${MOST_COUNTED + 1})`
    return this.#database.prepare(sql).get(...this.#match, ...this.#values)?.total as number
  }

  best(logs: ReadonlyMap<number, SearchedLog>, limit: number, perSession = limit): readonly Found[] {
    const rows = this.#database.prepare(`select ${COLUMNS} from ${this.#from}${this.#where} order by words.rank`)
    const found: Found[] = []
    const seen = new Set<SqlValue>()
    const taken = new Map<string, number>()
    for (const row of rows.iterate(...this.#match, ...this.#values)) {
      const log = logs.get(row.log as number)
      if (!log || seen.has(row.copy as number)) continue
      seen.add(row.copy as number)
      const own = taken.get(log.session) ?? 0
      if (own >= perSession) continue
      taken.set(log.session, own + 1)
      found.push(this.#toFound(log, row))
      if (found.length >= limit) break
    }
    return found.map((one) => this.#inOriginal(one, logs))
  }

  /** Session by session, the newest first: of each what was said, then the rest, the newest first. A copy is told where it was made. */
  ofEach(
    logs: ReadonlyMap<number, SearchedLog>,
    sessions: readonly FoundSession[],
    { limit, perSession }: { readonly limit: number; readonly perSession: number },
  ): readonly Found[] {
    const rows = this.#database.prepare(
      `select ${COLUMNS} from ${this.#from} and ${this.#id} >= ? and ${this.#id} < ?${this.#where}
      order by d.kind in (select id from any_name where text in (${SPOKEN})) desc, d.time desc, d.id desc`,
    )
    const logsOf = new Map<string, SearchedLog[]>()
    for (const log of logs.values()) logsOf.set(log.session, [...(logsOf.get(log.session) ?? []), log])
    const seen = new Set<SqlValue>()
    const found: Found[] = []
    for (const { session } of sessions) {
      if (found.length >= limit) break
      const own: Found[] = []
      for (const log of logsOf.get(session) ?? []) {
        let taken = 0
        for (const row of rows.iterate(...this.#match, ...rangeOf(log), ...this.#values)) {
          if (taken >= perSession) break
          const one = seen.has(row.copy as number) ? undefined : this.#inOriginal(this.#toFound(log, row), logs)
          if (one?.log.session !== session) continue
          seen.add(row.copy as number)
          taken += 1
          own.push(one)
        }
      }
      own.sort((a, b) => closeness(b) - closeness(a) || timeOf(b) - timeOf(a))
      found.push(...own.slice(0, Math.min(perSession, limit - found.length)))
    }
    return found
  }

  /** Log by log, those that end last first, until no other can have anything newer. */
  newest(logs: ReadonlyMap<number, SearchedLog>, limit: number): readonly Found[] {
    const rows = this.#database.prepare(
      `select ${COLUMNS} from ${this.#from} and ${this.#id} >= ? and ${this.#id} < ?${this.#where} order by d.time desc, d.id desc`,
    )
    const seen = new Set<SqlValue>()
    let found: Found[] = []
    for (const log of [...logs.values()].sort((a, b) => b.endedMs - a.endedMs || b.id - a.id)) {
      const least = found.length < limit ? Number.NEGATIVE_INFINITY : timeOf(found[limit - 1] as Found)
      if (log.endedMs < least) break
      const own: Found[] = []
      for (const row of rows.iterate(...this.#match, ...rangeOf(log), ...this.#values)) {
        const one = this.#toFound(log, row)
        if (own.length >= limit || timeOf(one) < least) break
        if (seen.has(row.copy as number)) continue
        seen.add(row.copy as number)
        own.push(one)
      }
      found = [...found, ...own].sort((a, b) => timeOf(b) - timeOf(a)).slice(0, limit)
    }
    return found.map((one) => this.#inOriginal(one, logs))
  }

  /** Of copies the one in the log that made it, where that is searched: the log that owns the response it belongs to. */
  #inOriginal(one: Found, logs: ReadonlyMap<number, SearchedLog>): Found {
    this.#origin ??= this.#database.prepare(ORIGIN)
    const log = logs.get((this.#origin.get(one.log.id, one.offset)?.origin as number | undefined) ?? -1)
    if (!log || log === one.log) return one
    this.#copies ??= this.#database.prepare(
      `select ${COLUMNS} from ${this.#from} and ${this.#id} >= ? and ${this.#id} < ?${this.#where} and d.copy = ? limit 1`,
    )
    const row = this.#copies.get(...this.#match, ...rangeOf(log), ...this.#values, one.copy)
    return row ? this.#toFound(log, row) : one
  }

  #toFound(log: SearchedLog, row: Row): Found {
    return {
      log,
      line: row.line as number,
      offset: row.offset as number,
      length: row.length as number,
      role: this.#name(row.role as number),
      kind: this.#name(row.kind as number),
      timeMs: row.time as number | null,
      copy: row.copy as number,
    }
  }

  #name(id: number): string {
    const known = this.#names.get(id)
    if (known !== undefined) return known
    const text = this.#database.prepare('select text from any_name where id = ?').get(id)?.text as string
    this.#names.set(id, text)
    return text
  }
}

/** The log that owns the first response that ends at a place or behind it. */
const ORIGIN = `
select o.log as origin from response r join response o on o.message = r.message and o.owner = 1
where r.id = (select id from response where log = ? and last_offset >= ? order by last_offset limit 1)`

const WORDS = 'words join doc d on d.id = words.rowid where words match ?'
const CANDIDATES = 'candidate d where 1'
const BOTH = `(select doc.* from words join doc on doc.id = words.rowid where words match ?
  union all select * from candidate) d where 1`
const COLUMNS = `d.id / ${DOCS_OF_A_LOG} as log, d.line, d.offset, d.length, d.time, d.copy, d.role, d.kind`

/** What a person asked, and what they were answered. */
const SPOKEN_KINDS = ['prompt', 'text']
const SPOKEN = SPOKEN_KINDS.map((kind) => `'${kind}'`).join()

/** What was said in the conversation itself comes before what was said to agents, and that before all else. */
function closeness({ kind, log }: Found): number {
  return !SPOKEN_KINDS.includes(kind) ? 0 : log.agent === null ? 2 : 1
}

/** The ids of a log's docs: from the first on, and up to the second. */
function rangeOf({ id }: SearchedLog): readonly [number, number] {
  return [id * DOCS_OF_A_LOG, (id + 1) * DOCS_OF_A_LOG]
}

/** What has no time is the oldest. */
function timeOf({ timeMs }: Found): number {
  return timeMs ?? -1
}
