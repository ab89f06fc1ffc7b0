import { basename } from 'node:path'
import { numberIndex, RESPONSE_NUMBERS } from '../core/facts/response-rows.ts'
import { unpackRows } from '../core/facts/row-table.ts'
import type { Cursor } from '../disk/cursor.ts'
import { placeOf, relativePath } from '../disk/layout.ts'
import type { SourceEntry } from '../disk/source.ts'
import { type Database, prepared, type Row, type SqlValue, type Statement } from './driver.ts'
import { Inserts } from './inserts.ts'
import { LinkWriter } from './links.ts'
import { FACT_COLUMNS, type LogRows } from './log-rows.ts'
import { Names } from './names.ts'
import { OwnerWriter } from './owner.ts'
import { INDEXES, OF_A_LOG, RESPONSE_FLAGS } from './schema.ts'
import { CURSOR_COLUMNS, cursorValues, stateOf } from './survey.ts'
import { clearText } from './write-text.ts'

/** The session or agent that a log belongs to. */
export interface LogOwner {
  readonly project: string
  /** `null` for the flat logs of agents, whose rows name their session. */
  readonly session: string | null
  readonly agent: string | null
  readonly run: string | null
}

/** Resolves the owner of a log. */
export type LogOwnerOf = (entry: SourceEntry) => LogOwner

/** Resolves it from the path, for logs in the usual places. */
export const logOwner: LogOwnerOf = (entry) => {
  const place = placeOf(relativePath(entry))
  if (place.kind === 'session') return { project: place.project, session: place.session, agent: null, run: null }
  if (place.kind === 'agent')
    return { project: place.project, session: place.session, agent: place.agent, run: place.run }
  return { project: '', session: basename(entry.path, '.jsonl'), agent: null, run: null }
}

/** Writes the rows of logs. Every call belongs into the transaction that its caller has begun. */
export class LogWriter {
  readonly #database: Database
  readonly #ownerOf: LogOwnerOf
  readonly #names: Names
  readonly #owners: OwnerWriter
  readonly #links: LinkWriter
  readonly #added: Readonly<Record<keyof typeof ADDED, Inserts>>
  /** The largest number of a log, and whether nothing was known when this transaction began: then each of its logs is new. */
  #last: { id: number; readonly isFirst: boolean } | undefined

  constructor(database: Database, ownerOf: LogOwnerOf) {
    this.#database = database
    this.#ownerOf = ownerOf
    this.#names = new Names(database)
    this.#owners = new OwnerWriter(database)
    this.#links = new LinkWriter(database)
    const inserts = Object.entries(ADDED).map(([table, [how, columns]]) => [table, new Inserts(database, how, columns)])
    this.#added = Object.fromEntries(inserts)
  }

  /** Writes what was read of a log: beside what is known of it, or in its place. What it adds is seen after `flush`. */
  put(entry: SourceEntry, rows: LogRows): void {
    const known = this.#idOf(entry.path)
    if (known !== undefined) this.flush()
    const log = this.#putLog(entry, rows, known)
    if (known !== undefined && !rows.isAppend) this.#clear(log)
    const added = this.#added
    // First: what rows these name anew shows beside what was named before.
    this.#addRows(log, rows)
    added.fact.add(log, ...FACT_COLUMNS.map((name) => rows.fact[name]))
    if (rows.carry !== null) added.carry.add(log, rows.carry)
    else if (known !== undefined) this.#statement('delete from carry where log = ?').run(log)
    for (const one of rows.slugs) added.slug.add(one, log)
    for (const { leaf, line, text } of rows.summaries) added.summary.add(leaf, log, line, text)
    if (rows.isAppend) this.#statement('delete from turn where log = ? and n >= ?').run(log, rows.turnsFrom)
    for (const [i, { key, label, startedAt }] of rows.turns.entries())
      added.turn.add(log, rows.turnsFrom + i, key, label, startedAt)
    this.#addResponses(log, rows)
  }

  /** Puts all that was added into the tables. */
  flush(): void {
    for (const inserts of Object.values(this.#added)) inserts.flush()
  }

  /** A log that has moved keeps its rows; where it lies says whose it is. One that vanished from that place is forgotten. */
  move(from: string, entry: SourceEntry): void {
    this.flush()
    const { project, session, agent, run } = this.#ownerOf(entry)
    const known = prepared(this.#database, 'select id, session from log where path = ?').get(from)
    if (!known) return
    this.remove(entry.path)
    prepared(
      this.#database,
      'update log set root = ?, path = ?, project = ?, session = ?, agent = ?, run = ? where id = ?',
    ).run(entry.root, entry.path, project, session ?? (known.session as string), agent, run, known.id as number)
    this.#owners.noteShared(known.id as number)
  }

  /** Notes a cursor whose times or inode changed, and nothing else. */
  touch(cursor: Cursor, entry: SourceEntry): void {
    const columns = CURSOR_COLUMNS.split(', ').map((name) => `${name} = ?`)
    prepared(this.#database, `update log set ${columns.join(', ')}, state = ? where path = ?`).run(
      ...cursorValues(cursor),
      stateOf(entry),
      cursor.path,
    )
  }

  /** A vanished log that the archive does not have: in no sum, still known. */
  lose(path: string): void {
    this.flush()
    const log = prepared(this.#database, 'select id from log where path = ?').get(path)?.id
    if (log === undefined) return
    this.#owners.noteShared(log as number)
    prepared(this.#database, "update log set state = 'lost' where id = ?").run(log as number)
  }

  /** Forgets a log. */
  remove(path: string): void {
    this.flush()
    const log = prepared(this.#database, 'select id from log where path = ?').get(path)?.id
    if (log === undefined) return
    clearText(this.#database, log as number, 0)
    this.#clear(log as number)
    prepared(this.#database, 'delete from log where id = ?').run(log as number)
  }

  /** Decides, at the end of a transaction, what takes a look at several logs. */
  settle(): void {
    this.flush()
    this.#database.exec(INDEXES)
    this.#links.settle()
    this.#owners.settle()
    this.#last = undefined
  }

  /** What was named in a transaction that did not happen is no longer known. */
  rollBack(): void {
    this.#names.forget()
    this.#links.forget()
    for (const inserts of Object.values(this.#added)) inserts.forget()
    this.#last = undefined
  }

  /** Writes the row of a log, and gives its number. Words are those of a generation, and those of a lost log are not of the one that came to its place. */
  #putLog(entry: SourceEntry, { cursor, namedSession }: LogRows, known: number | undefined): number {
    const { project, session, agent, run } = this.#ownerOf(entry)
    const named = session ?? namedSession ?? agent ?? ''
    const values = [...cursorValues(cursor), entry.root, project, named, agent, run, stateOf(entry)]
    if (known === undefined) {
      const id = this.#nextId()
      this.#added.log.add(id, ...values)
      return id
    }
    const { worded, worded_to: wordedTo } = this.#statement(UPDATE_LOG).get(...values, cursor.generation, known) as Row
    if (wordedTo === 0) clearText(this.#database, known, worded as number)
    return known
  }

  #clear(log: number): void {
    this.#owners.noteShared(log)
    for (const table of OF_A_LOG) this.#statement(`delete from ${table} where log = ?`).run(log)
  }

  #addRows(log: number, { rows, summaries, fact, isAppend }: LogRows): void {
    const names = summaries.map(({ leaf }) => leaf)
    if (fact.parent_key !== null) names.push(fact.parent_key as number)
    const packed = new Uint8Array(rows.buffer)
    this.#links.add(log, names, unpackRows(packed))
    if (rows.length === 0) return
    const before = isAppend ? (this.#statement(PIECES).get(log)?.pieces as number) : 0
    this.#added.rows.add(log, before + 1, packed)
  }

  #addResponses(log: number, { responses, isAppend }: LogRows): void {
    const { messages, requests, models, geos, numbers } = responses
    const width = RESPONSE_NUMBERS.length
    const count = PLAIN_NUMBERS.length
    const forget = this.#statement('delete from response where message = ? and log = ?')
    // One list for all: this is done for every response of every log.
    const values: SqlValue[] = []
    for (let i = 0; i < messages.length; i++) {
      const message = messages[i] as string
      // A response that went on is written anew.
      if (isAppend) forget.run(message, log)
      const from = i * width
      let flags = 0
      for (let k = 0; k < FLAGS_AT.length; k++) flags |= (numbers[from + (FLAGS_AT[k] as number)] as number) << k
      for (let k = 0; k < count; k++) values[k] = orNull(numbers[from + (NUMBERS_AT[k] as number)] as number)
      values[count] = flags
      values[count + 1] = numbers[from + ROWS_AT] as number
      values[count + 2] = log
      values[count + 3] = message
      values[count + 4] = requests[i] ?? null
      values[count + 5] = this.#names.id(models[i] as string)
      values[count + 6] = this.#names.id(geos[i])
      this.#added.response.add(...values)
    }
    if (isAppend) {
      this.flush()
      this.#owners.noteMessages(log, messages)
    } else this.#owners.noteFresh(log)
  }

  #idOf(path: string): number | undefined {
    if (this.#lastLog().isFirst) return undefined
    return this.#statement('select id from log where path = ?').get(path)?.id as number | undefined
  }

  #nextId(): number {
    const last = this.#lastLog()
    last.id += 1
    return last.id
  }

  #lastLog(): { id: number; readonly isFirst: boolean } {
    if (this.#last) return this.#last
    const id = this.#statement('select max(id) as id from log').get()?.id as number | null
    this.#last = { id: id ?? 0, isFirst: id === null }
    return this.#last
  }

  #statement(sql: string): Statement {
    return prepared(this.#database, sql)
  }
}

const LOG_COLUMNS = [...CURSOR_COLUMNS.split(', '), 'root', 'project', 'session', 'agent', 'run', 'state']

const [GENERATION, ID] = [`?${LOG_COLUMNS.length + 1}`, `?${LOG_COLUMNS.length + 2}`]

/** Those of a last line without newline are made anew: `worded_to` is behind `worded` where there may be such. */
const KEPT_WORDS = [
  ['worded', ''],
  ['worded_line', ''],
  ['worded_to', 'and worded_to = worded'],
].map(([name, more]) => `${name} = iif(generation = ${GENERATION} and state <> 'lost' ${more}, ${name}, 0)`)

const UPDATE_LOG = `
update log set ${[...LOG_COLUMNS.map((name) => `${name} = ?`), ...KEPT_WORDS].join(', ')} where id = ${ID} returning worded, worded_to`

const PIECES = 'select coalesce(max(piece), 0) as pieces from rows where log = ?'

const ROWS_AT = numberIndex('rows')
const FLAGS_AT = RESPONSE_FLAGS.map(numberIndex)
const PLAIN_NUMBERS = RESPONSE_NUMBERS.filter((name) => !RESPONSE_FLAGS.some((flag) => flag === name))
const NUMBERS_AT = PLAIN_NUMBERS.map(numberIndex)

/** The tables that rows are added to, and with what. */
const ADDED = {
  log: ['into log', ['id', ...LOG_COLUMNS]],
  fact: ['or replace into fact', ['log', ...FACT_COLUMNS]],
  carry: ['or replace into carry', ['log', 'value']],
  slug: ['or ignore into slug', ['slug', 'log']],
  summary: ['or ignore into summary', ['leaf', 'log', 'line', 'text']],
  rows: ['into rows', ['log', 'piece', 'packed']],
  turn: ['into turn', ['log', 'n', 'key', 'label', 'started']],
  response: ['into response', [...PLAIN_NUMBERS, 'flags', 'seen_rows', 'log', 'message', 'request', 'model', 'geo']],
} as const satisfies Readonly<Record<string, readonly [into: string, columns: readonly string[]]>>

/** NaN stands for nothing in columns of numbers. */
function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value
}
