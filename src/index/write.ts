import { basename, relative, sep } from 'node:path'
import type { Cursor } from '../disk/cursor.ts'
import { placeOf } from '../disk/layout.ts'
import type { SourceEntry } from '../disk/source.ts'
import type { Database, SqlValue, Statement } from './driver.ts'
import { FACT_COLUMNS, type LogRows, RESPONSE_NUMBERS, type ResponseRows, ROW_KEY_COLUMNS } from './log-rows.ts'
import { Names } from './names.ts'
import { noteFresh, noteMessages, noteShared } from './owner.ts'
import { OF_A_LOG } from './schema.ts'
import { CURSOR_COLUMNS, cursorValues, stateOf } from './survey.ts'
import { clearText } from './write-text.ts'

/** Whose log a file is. */
export interface Whose {
  readonly project: string
  /** `null` for the flat logs of agents, whose rows name their session. */
  readonly session: string | null
  readonly agent: string | null
  readonly run: string | null
}

/** Tells whose a log is. */
export type WhoseLog = (entry: SourceEntry) => Whose

/** The same for logs that lie where clients put them. */
export const whoseLog: WhoseLog = ({ root, path }) => {
  const place = placeOf(relative(root, path).split(sep).join('/'))
  if (place.kind === 'session') return { project: place.project, session: place.session, agent: null, run: null }
  if (place.kind === 'agent')
    return { project: place.project, session: place.session, agent: place.agent, run: place.run }
  return { project: '', session: basename(path, '.jsonl'), agent: null, run: null }
}

const KEPT_WORDS = ['worded', 'worded_line', 'worded_to']
  .map((name) => `${name} = iif(generation = excluded.generation and state <> 'lost', ${name}, 0)`)
  .join(', ')

/** Writes the rows of logs. Every call belongs into the transaction that its caller has begun. */
export class LogWriter {
  readonly #database: Database
  readonly #whose: WhoseLog
  readonly #names: Names
  readonly #statements = new Map<string, Statement>()

  constructor(database: Database, whose: WhoseLog) {
    this.#database = database
    this.#whose = whose
    this.#names = new Names(database)
  }

  /** Writes what was read of a log: beside what is known of it, or in its place. */
  put(entry: SourceEntry, rows: LogRows): void {
    const known = this.#idOf(entry.path)
    const { log, isAnother } = this.#logRow(entry, rows)
    if (known !== undefined && isAnother) clearText(this.#database, log)
    if (known !== undefined && !rows.isAppend) this.#clear(log)
    this.#put('fact', ['log', ...FACT_COLUMNS], 'or replace').run(log, ...FACT_COLUMNS.map((name) => rows.fact[name]))
    const slug = this.#put('slug', ['slug', 'log'], 'or ignore')
    for (const one of rows.slugs) slug.run(one, log)
    const summary = this.#put('summary', ['leaf', 'log', 'line', 'text'], 'or ignore')
    for (const { leaf, line, text } of rows.summaries) summary.run(leaf, log, line, text)
    this.#addRowKeys(log, rows.rowKeys)
    if (rows.isAppend) this.#statement('delete from turn where log = ? and n >= ?').run(log, rows.turnsFrom)
    const turn = this.#put('turn', ['log', 'n', 'key', 'label', 'started'])
    for (const [i, { key, label, startedAt }] of rows.turns.entries())
      turn.run(log, rows.turnsFrom + i, key, label, startedAt)
    this.#addResponses(log, rows)
  }

  /** A log that has moved keeps its rows; where it lies says whose it is. One that vanished from that place is forgotten. */
  move(from: string, entry: SourceEntry): void {
    const { project, session, agent, run } = this.#whose(entry)
    const known = this.#database.prepare('select id, session from log where path = ?').get(from)
    if (!known) return
    this.remove(entry.path)
    this.#database
      .prepare('update log set root = ?, path = ?, project = ?, session = ?, agent = ?, run = ? where id = ?')
      .run(entry.root, entry.path, project, session ?? (known.session as string), agent, run, known.id as number)
    noteShared(this.#database, known.id as number)
  }

  /** Notes a cursor whose times or inode changed, and nothing else. */
  touch(cursor: Cursor, entry: SourceEntry): void {
    const columns = CURSOR_COLUMNS.split(', ').map((name) => `${name} = ?`)
    this.#database
      .prepare(`update log set ${columns.join(', ')}, state = ? where path = ?`)
      .run(...cursorValues(cursor), stateOf(entry), cursor.path)
  }

  /** A vanished log that the archive does not have: in no sum, still known. */
  lose(path: string): void {
    const log = this.#database.prepare('select id from log where path = ?').get(path)?.id
    if (log === undefined) return
    noteShared(this.#database, log as number)
    this.#database.prepare("update log set state = 'lost' where id = ?").run(log as number)
  }

  /** Forgets a log. */
  remove(path: string): void {
    const log = this.#database.prepare('select id from log where path = ?').get(path)?.id
    if (log === undefined) return
    clearText(this.#database, log as number)
    this.#clear(log as number)
    this.#database.prepare('delete from log where id = ?').run(log as number)
  }

  /** What was named in a transaction that did not happen is no longer known. */
  rollBack(): void {
    this.#names.forget()
  }

  /** The row of a log. Words are those of a generation, and those of a lost log are not of the one that came to its place. */
  #logRow(
    entry: SourceEntry,
    { cursor, namedSession }: LogRows,
  ): { readonly log: number; readonly isAnother: boolean } {
    const { project, session, agent, run } = this.#whose(entry)
    const columns = `root, project, session, agent, run, state, ${CURSOR_COLUMNS}`
    const values = [
      entry.root,
      project,
      session ?? namedSession ?? agent ?? '',
      agent,
      run,
      stateOf(entry),
      ...cursorValues(cursor),
    ]
    const names = columns.split(', ')
    const updates = names.map((name) => `${name} = excluded.${name}`).join(', ')
    const row = this.#statement(
      `insert into log (${columns}) values (${names.map(() => '?').join(', ')})
       on conflict (path) do update set ${updates}, ${KEPT_WORDS} returning id, worded`,
    ).get(...values)
    return { log: row?.id as number, isAnother: row?.worded === 0 }
  }

  #clear(log: number): void {
    noteShared(this.#database, log)
    for (const table of OF_A_LOG) this.#statement(`delete from ${table} where log = ?`).run(log)
  }

  #addRowKeys(log: number, keys: Float64Array): void {
    const add = this.#put('row_key', ['log', ...ROW_KEY_COLUMNS], 'or ignore')
    for (let i = 0; i < keys.length; i += ROW_KEY_COLUMNS.length) {
      const [key, offset, time, active, own, spent] = keys.subarray(i, i + ROW_KEY_COLUMNS.length) as unknown as RowKey
      add.run(log, key, offset, orNull(time), active, own, spent)
    }
  }

  #addResponses(log: number, { responses, isAppend }: LogRows): void {
    const { messages, numbers } = responses
    const count = RESPONSE_NUMBERS.length
    const add = this.#put('response', ['log', 'message', 'request', 'model', 'geo', ...RESPONSE_NUMBERS, 'seen_rows'])
    const forget = this.#statement('delete from response where message = ? and log = ?')
    const rowsAt = RESPONSE_NUMBERS.indexOf('rows')
    for (const [i, message] of messages.entries()) {
      // A response that went on is written anew.
      if (isAppend) forget.run(message, log)
      const own = Array.from(numbers.subarray(i * count, (i + 1) * count), orNull)
      add.run(log, message, ...this.#namesOf(responses, i), ...own, own[rowsAt] as number)
    }
    if (isAppend) noteMessages(this.#database, log, messages)
    else noteFresh(this.#database, log)
  }

  #namesOf({ requests, models, geos }: ResponseRows, i: number): readonly SqlValue[] {
    return [requests[i] ?? null, this.#names.id(models[i] as string), this.#names.id(geos[i])]
  }

  #idOf(path: string): number | undefined {
    return this.#statement('select id from log where path = ?').get(path)?.id as number | undefined
  }

  /** The statement that adds a row to a table. */
  #put(table: string, columns: readonly string[], how = ''): Statement {
    const name = `${how} ${table}`
    const known = this.#statements.get(name)
    if (known) return known
    const values = columns.map(() => '?').join(', ')
    const made = this.#database.prepare(`insert ${how} into ${table} (${columns.join(', ')}) values (${values})`)
    this.#statements.set(name, made)
    return made
  }

  #statement(sql: string): Statement {
    const known = this.#statements.get(sql) ?? this.#database.prepare(sql)
    this.#statements.set(sql, known)
    return known
  }
}

type RowKey = readonly [key: number, offset: number, time: number, active: number, own: number, spent: number]

/** NaN stands for nothing in columns of numbers. */
function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value
}
