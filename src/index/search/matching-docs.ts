import { parseJson } from '../../core/json.ts'
import { type Database, prepared, type Row, type SqlValue, type Statement } from '../driver.ts'
import { DOCS_OF_A_LOG } from '../schema.ts'
import type { Candidate } from './candidates.ts'
import { conditions } from './search-conditions.ts'
import type { SearchedLog, SearchFilter } from './searched-logs.ts'

/** Selects records: those that an FTS5 expression finds, and those that were found in the logs themselves. */
export interface MatchingSources {
  readonly match?: string | undefined
  readonly candidates?: readonly Candidate[] | undefined
}

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

/** How many messages were found in a log, and when the newest of them was. */
export interface LogCount {
  readonly log: number
  readonly count: number
  readonly newestMs: number | null
}

/** Hits beyond so many are not counted. */
export const MOST_COUNTED = 10_000

/** So many hits and more are many: to look where they all are takes longer than to look into a few logs. */
const MANY = 2_000

/** The docs that match and that a filter wants; logs are chosen by who asks. */
export interface Docs {
  /** Only full-text search knows what fits best, and its docs come in the order of their ids. */
  readonly isRanked: boolean
  areMany(): boolean
  countByLog(): readonly LogCount[]
  /** How many messages there are, in all logs or in some; beyond what is counted it need not be exact. */
  countDistinct(logs: readonly number[] | undefined): number
  best(logs: ReadonlyMap<number, SearchedLog>, limit: number, perSession?: number): readonly Found[]
  /** Those of one log, the newest first; what was asked and answered before all else, if that is wanted. */
  newestIn(log: SearchedLog, isSpokenFirst?: boolean): Iterable<Found>
  /** A copy of a message in one log. */
  copyIn(log: SearchedLog, copy: number): Found | undefined
}

/** The docs that match and that a filter wants, as something that can be asked in SQL; logs are chosen by who asks. */
export class MatchingDocs implements Docs {
  readonly isRanked: boolean
  readonly #database: Database
  readonly #match: readonly string[]
  readonly #from: string
  /** The same where no more than ids is asked for. */
  readonly #fromIds: string
  readonly #id: string
  readonly #inRange: string
  readonly #where: string
  readonly #values: readonly SqlValue[]
  readonly #names = new Map<number, string>()
  readonly #statements = new Map<string, Statement>()

  constructor(database: Database, { match, candidates = [] }: MatchingSources, filter: SearchFilter) {
    this.#database = database
    this.#match = match === undefined ? [] : [match]
    this.isRanked = match !== undefined && candidates.length === 0
    this.#from = this.isRanked ? WORDS : match === undefined ? CANDIDATES : BOTH
    this.#id = this.isRanked ? 'words.rowid' : 'd.id'
    // Numbers are bound as fractions, and full-text search can only go to where a whole one says.
    this.#inRange = ` and ${this.#id} >= cast(? as int) and ${this.#id} < cast(? as int)`
    const { where, values } = conditions(filter)
    this.#where = where
    this.#values = values
    this.#fromIds = where === '' ? 'words where words match ?' : this.#from
  }

  areMany(): boolean {
    if (!this.isRanked) return false
    const sql = `select count(*) as count from (select 1 from ${this.#fromIds}${this.#where} limit ${MANY})`
    return this.#prepared(sql).get(...this.#match, ...this.#values)?.count === MANY
  }

  /** In a log whose docs are orderly, a count of ids counts messages, and the last is the newest. */
  countByLog(): readonly LogCount[] {
    if (!this.isRanked) return this.#countCopies('')
    const ids = `select json_group_array(words.rowid) as list from ${this.#fromIds}${this.#where}`
    const runs = runsOf(prepared(this.#database, ids).get(...this.#match, ...this.#values)?.list as string)
    const disorderly = new Set(
      listOf(this.#database, `select json_group_array(id) as list from log where ${DISORDERLY}`),
    )
    const orderly = runs.filter(({ log }) => !disorderly.has(log))
    const times = listOf(this.#database, TIMES, JSON.stringify(orderly.map(({ last }) => last)))
    const counts = orderly.map(({ log, count }, i): LogCount => ({ log, count, newestMs: times[i] as number }))
    if (orderly.length === runs.length) return counts
    const rest = this.#countCopies(` and ${this.#id} / ${DOCS_OF_A_LOG} in (select id from log where ${DISORDERLY})`)
    return [...counts, ...rest].sort((a, b) => a.log - b.log)
  }

  #countCopies(inLogs: string): readonly LogCount[] {
    const sql = `select d.id / ${DOCS_OF_A_LOG} as log, count(distinct d.copy) as count, max(d.time) as newest
      from ${this.#from}${inLogs}${this.#where} group by 1`
    const rows = this.#prepared(sql).all(...this.#match, ...this.#values)
    return rows.map(({ log, count, newest }) => ({
      log: log as number,
      count: count as number,
      newestMs: newest as number | null,
    }))
  }

  /** How many messages there are, in all logs or in some, or one more than are counted. */
  countDistinct(logs: readonly number[] | undefined): number {
    const inLogs = logs ? ` and ${this.#id} / ${DOCS_OF_A_LOG} in (${logs.join()})` : ''
    if (!this.isRanked) {
      const sql = `select count(*) as total from (
        select distinct d.copy from ${this.#from}${inLogs}${this.#where} limit ${MOST_COUNTED + 1})`
      return this.#prepared(sql).get(...this.#match, ...this.#values)?.total as number
    }
    const sql = `select json_group_array(copy) as list, max(id) as last from (
      select d.copy, d.id from ${this.#from} and ${this.#id} > cast(? as int)${inLogs}${this.#where} order by ${this.#id} limit ?)`
    const copies = new Set<number>()
    for (let last: SqlValue = -1; last !== null && copies.size <= MOST_COUNTED; ) {
      const left = MOST_COUNTED + 1 - copies.size
      const row: Row = this.#prepared(sql).get(...this.#match, last, ...this.#values, left) as Row
      for (const copy of parseJson(row.list as string) as number[]) copies.add(copy)
      last = row.last as number | null
    }
    return copies.size
  }

  best(logs: ReadonlyMap<number, SearchedLog>, limit: number, perSession = limit): readonly Found[] {
    const sql = `select ${COLUMNS} from ${this.#from}${this.#where} order by words.rank`
    const found: Found[] = []
    const seen = new Set<SqlValue>()
    const taken = new Map<string, number>()
    for (const row of this.#prepared(sql).iterate(...this.#match, ...this.#values)) {
      const log = logs.get(row.log as number)
      if (!log || seen.has(row.copy as number)) continue
      seen.add(row.copy as number)
      const own = taken.get(log.session) ?? 0
      if (own >= perSession) continue
      taken.set(log.session, own + 1)
      found.push(this.#toFound(log, row))
      if (found.length >= limit) break
    }
    return found
  }

  /**
   * Those of one log, the newest first; what was asked and answered before all else, if that is wanted. That is asked for by
   * itself: to sort a log's hits by both takes all of them, and mostly three are enough.
   */
  *newestIn(log: SearchedLog, isSpokenFirst = false): Iterable<Found> {
    const kinds = isSpokenFirst ? [` and d.kind in ${SPOKEN}`, ` and d.kind not in ${SPOKEN}`] : ['']
    const order = this.isRanked && log.isOrderly ? `${this.#id} desc` : 'd.time desc, d.id desc'
    const values = [...this.#match, ...rangeOf(log), ...this.#values]
    for (const kind of kinds) {
      const sql = `select ${COLUMNS} from ${this.#from}${this.#inRange}${this.#where}${kind} order by ${order}`
      for (const row of this.#prepared(sql).iterate(...values)) yield this.#toFound(log, row)
    }
  }

  /** A copy of a message in one log. */
  copyIn(log: SearchedLog, copy: number): Found | undefined {
    const sql = `select ${COLUMNS} from ${this.#from}${this.#inRange}${this.#where} and d.copy = ? limit 1`
    const row = this.#prepared(sql).get(...this.#match, ...rangeOf(log), ...this.#values, copy)
    return row && this.#toFound(log, row)
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
    const text = this.#prepared('select text from any_name where id = ?').get(id)?.text as string
    this.#names.set(id, text)
    return text
  }

  #prepared(sql: string): Statement {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql)
    this.#statements.set(sql, known)
    return known
  }
}

/** What a person asked, and what they were answered. */
export const SPOKEN_KINDS = ['prompt', 'text']
const SPOKEN = `(select id from any_name where text in (${SPOKEN_KINDS.map((kind) => `'${kind}'`).join()}))`

const WORDS = 'words join doc d on d.id = words.rowid where words match ?'
const CANDIDATES = 'candidate d where 1'
const BOTH = `(select doc.* from words join doc on doc.id = words.rowid where words match ?
  union all select * from candidate) d where 1`
const COLUMNS = `d.id / ${DOCS_OF_A_LOG} as log, d.line, d.offset, d.length, d.time, d.copy, d.role, d.kind`
const DISORDERLY = 'orderly = 0'
const TIMES = 'select json_group_array(time) as list from json_each(?) cross join doc on doc.id = value'

/** A query of one list of numbers, which comes as JSON: the drivers take ten times as long for rows. */
function listOf(database: Database, sql: string, ...values: SqlValue[]): readonly number[] {
  return parseJson(prepared(database, sql).get(...values)?.list as string) as number[]
}

/**
 * Ids by their logs, those of one behind each other as a rule: how many there are, and the last. They are read as they stand in the JSON text:
 * to make a list of tens of thousands takes three times as long.
 */
function runsOf(ids: string): readonly Run[] {
  const runs = new Map<number, Run>()
  let run: Run = { log: -1, count: 0, last: -1 }
  for (let at = 1; at < ids.length - 1; at++) {
    let id = 0
    for (let code = ids.charCodeAt(at); isDigit(code); code = ids.charCodeAt(++at)) id = id * 10 + code - ZERO
    const log = Math.floor(id / DOCS_OF_A_LOG)
    if (log !== run.log) {
      run = runs.get(log) ?? { log, count: 0, last: id }
      runs.set(log, run)
    }
    run.count += 1
    run.last = Math.max(run.last, id)
  }
  return [...runs.values()]
}

const ZERO = 48

function isDigit(code: number): boolean {
  return code >= ZERO && code <= ZERO + 9
}

interface Run {
  readonly log: number
  count: number
  last: number
}

/** The ids of a log's docs: from the first on, and up to the second. */
function rangeOf({ id }: SearchedLog): readonly [number, number] {
  return [id * DOCS_OF_A_LOG, (id + 1) * DOCS_OF_A_LOG]
}
