import { join } from 'node:path'
import { parseJson } from '../../core/json.ts'
import type { Database, Row, SqlValue, Statement } from '../../index/driver.ts'
import { Names } from '../../index/names.ts'
import { openIndex } from '../../index/open.ts'
import { OwnerWriter } from '../../index/owner.ts'
import { INDEXES, RESPONSE_FLAGS } from '../../index/schema.ts'
import { whoseLog } from '../../index/write.ts'
import type { StoredCalls, StoredFacts } from './log-facts.ts'
import { placeOfTeamFile } from './place.ts'
import type { StoreFiles } from './store-files.ts'
import type { HeldRow, StoreReader, WhichHeld } from './store-reader.ts'

/**
 * The tables of an index over what one may see of a team store, in memory: each is fetched when it is first needed, and of sums,
 * responses and turns only what a question is about.
 */
export class FetchedTables {
  readonly #reader: StoreReader
  readonly #files: StoreFiles
  #database: Database | undefined
  #names: Names | undefined
  /** What was fetched, by table: all of it, or what some question needed. */
  readonly #fetched = new Map<string, string>()
  #callsOf: ReadonlySet<number> = new Set()

  constructor(reader: StoreReader, files: StoreFiles) {
    this.#reader = reader
    this.#files = files
  }

  /** Forgets what was fetched. */
  refresh(): void {
    this.#database?.close()
    this.#database = undefined
    this.#fetched.clear()
  }

  /** The tables, with what is known of every log. */
  open(): Database {
    if (this.#database) return this.#database
    const { database } = openIndex(undefined, [])
    this.#database = database
    this.#names = new Names(database)
    database.exec(INDEXES)
    inOne(database, () => this.#fetchFacts(database))
    return database
  }

  #fetchFacts(database: Database): void {
    const [putLog, putFact] = [inserter(database, 'log'), inserter(database, 'fact')]
    const [putSlug, putSummary] = [inserter(database, 'slug'), inserter(database, 'summary')]
    for (const { facts: text, ...log } of this.#files.logs()) {
      if (text === null) continue
      const { project, session, agent, run } = whoseLog({ ...log, sizeBytes: log.bytes, modifiedAt: 0 })
      const facts = parseJson(text) as unknown as StoredFacts
      putLog({
        id: log.id,
        root: log.root,
        path: log.path,
        project,
        session: session ?? facts.session,
        agent,
        run,
        state: 'disk',
        generation: log.generation,
        size: log.bytes,
        modified: log.lastAt ?? 0,
        settled: 1,
        head_length: 0,
        head_hash: '',
        tail_length: 0,
        tail_hash: '',
        prefix_sum: 0,
        read: log.bytes,
        read_line: log.records,
        worded: log.bytes,
        worded_line: log.records,
        worded_to: log.bytes,
      })
      putFact({ log: log.id, ...facts.fact })
      for (const slug of facts.slugs) putSlug({ slug, log: log.id })
      for (const summary of facts.summaries) putSummary({ ...summary, log: log.id })
    }
  }

  /** Fetches what a query names beside the facts of logs, as far as that is a little and all of it is needed. */
  fetchRest(sql: string): void {
    const named = namedIn(sql)
    if (named.has('response') || named.has('bucket')) this.#fetchShared()
    if (named.has('link')) this.#fetchLinks()
    if (named.has('sidecar')) this.#fetchSidecars()
  }

  /** The responses that several logs hold, and who owns them. */
  #fetchShared(): void {
    this.#once('shared', undefined, (database) => {
      const owners = new OwnerWriter(database)
      const shared = this.#reader.sharedResponses()
      this.#putResponses(database, shared)
      for (const log of new Set(shared.map(({ log }) => log as number))) owners.noteFresh(log)
      owners.settle()
      database.exec(
        'create temp table shared_bucket as select * from bucket; create temp table shared_response as select id from response',
      )
    })
  }

  /** The logs that hold what others hold too. */
  sharing(): readonly number[] {
    this.#fetchShared()
    const rows = this.open()
      .prepare('select distinct log from response where id in (select id from shared_response)')
      .all()
    return rows.map(({ log }) => log as number)
  }

  /** Which logs have the rows that others name. */
  #fetchLinks(): void {
    this.#once('link', undefined, (database) => {
      const named = database
        .prepare('select leaf as key from summary union select parent_key from fact where parent_key is not null')
        .all()
      const keys = named.flatMap(({ key }) => [2 * (key as number), 2 * (key as number) + 1])
      const put = inserter(database, 'link')
      for (const { log, key } of this.#reader.keyHolders(keys)) put({ key: Math.floor(key / 2), log, active: key % 2 })
    })
  }

  #fetchSidecars(): void {
    this.#once('sidecar', undefined, (database) => {
      const put = inserter(database, 'sidecar')
      for (const { machine, file, text } of this.#reader.sidecars()) {
        const place = file.startsWith('h:') ? undefined : placeOfTeamFile({ ...NOTHING, machine, file })
        if (place !== undefined) put({ path: join(this.#files.folder, place), size: 0, modified: 0, value: text })
      }
    })
  }

  /** Fetches the tables that a query names. */
  fetchFor(sql: string): void {
    const named = namedIn(sql)
    if (named.has('turn')) this.fetchTurns()
    if (named.has('call') || named.has('place')) this.fetchCalls()
    if (named.has('bucket')) this.fetchSums({})
    if (named.has('rows') && !/from rows where log = \?/.test(sql)) this.#fetchTrees()
    // What somebody inherited is shared, and all of that is here.
    if (named.has('response') && !/owner = 0/.test(sql)) this.fetchResponses({})
  }

  /** Does the work unless it was done, for all or for just this. Whatever was fetched for something else gives way. */
  #once(table: string, what: object | undefined, fetch: (database: Database) => void): void {
    const key = JSON.stringify(what ?? {})
    const known = this.#fetched.get(table)
    if (known === key || known === '{}') return
    const database = this.open()
    inOne(database, () => fetch(database))
    this.#fetched.set(table, key)
  }

  /** Turns of some logs, or of all. */
  fetchTurns(paths?: readonly string[]): void {
    const logs = paths?.map((path) => this.logAt(path))
    this.#once('turn', logs && { logs }, (database) => {
      database.exec('delete from turn')
      const put = inserter(database, 'turn')
      for (const { log, text } of this.#reader.turns(logs))
        for (const turn of parseJson(text) as unknown as Row[]) put({ log, ...turn })
    })
  }

  /** Calls and places of some logs, or of all. */
  fetchCalls(logs?: readonly number[]): void {
    if (this.#fetched.has('call') && logs?.every((log) => this.#callsOf.has(log))) return
    this.#callsOf = new Set(logs)
    this.#once('call', logs && { logs }, (database) => {
      database.exec('delete from call; delete from place')
      const [putCall, putPlace] = [inserter(database, 'call'), inserter(database, 'place')]
      for (const { log, text } of this.#reader.calls(logs)) {
        const { calls, places } = parseJson(text) as unknown as StoredCalls
        for (const { tool, target, ...call } of calls)
          putCall({ log, ...call, tool: this.#name(tool), target: this.#name(target) })
        for (const place of places) putPlace({ log, ...place })
      }
    })
  }

  /** Sums of quarters of an hour. */
  fetchSums(which: WhichHeld): void {
    this.#fetchShared()
    this.#once('bucket', which, (database) => {
      database.exec('delete from bucket; insert into bucket select * from shared_bucket')
      const put = inserter(database, 'bucket')
      for (const { model, geo, ...sum } of this.#reader.sums(which))
        put({ ...sum, model: this.#name(model), geo: this.#name(geo) })
    })
  }

  /** Single responses. */
  fetchResponses(which: WhichHeld): void {
    this.#fetchShared()
    this.#once('response', which, (database) => {
      database.exec('delete from response where id > (select coalesce(max(id), 0) from shared_response)')
      this.#putResponses(database, this.#reader.responses(which))
    })
  }

  #fetchTrees(logs?: readonly number[]): void {
    this.#once('rows', logs && { logs }, (database) => {
      const put = database.prepare('insert or replace into rows (log, piece, packed) values (?, 1, ?)')
      for (const { log, packed } of this.#reader.trees(logs)) put.run(log, packed)
    })
  }

  /**
   * A statement that asks for the rows of one log: these are fetched before. Who looks at a log that shares responses looks at the others
   * too, so those of all of them are one question.
   */
  treesFirst(statement: Statement): Statement {
    const isThere = this.open().prepare('select 1 from rows where log = ?')
    return {
      run: (...values) => statement.run(...values),
      get: (...values) => statement.get(...values),
      iterate: (...values) => statement.iterate(...values),
      all: (...values) => {
        const [log] = values as [number]
        if (isThere.get(log) === undefined) {
          const sharing = this.sharing()
          this.#fetchTrees(sharing.includes(log) ? sharing : [log])
        }
        return statement.all(...values)
      },
    }
  }

  #putResponses(database: Database, rows: readonly HeldRow[]): void {
    const flags: ReadonlySet<string> = new Set(RESPONSE_FLAGS)
    const columns = Object.keys(rows[0] ?? {}).filter((name) => !flags.has(name))
    const names = [...columns, 'flags', 'seen_rows']
    const put = database.prepare(
      `insert or ignore into response (${names.map((name) => `"${name}"`)}) values (${names.map(() => '?')})`,
    )
    for (const row of rows) {
      const bits = RESPONSE_FLAGS.reduce((sum, name, bit) => sum | (Number(row[name]) << bit), 0)
      const values = columns.map((name) =>
        name === 'model' || name === 'geo' ? this.#name(row[name]) : (row[name] as SqlValue),
      )
      put.run(...values, bits, row.rows as number)
    }
  }

  #name(text: SqlValue | undefined): number | null {
    return this.#names?.id(text as string | null) ?? null
  }

  /** The number of a log by its path. */
  logAt(path: string): number {
    return (this.open().prepare('select id from log where path = ?').get(path)?.id as number | undefined) ?? -1
  }
}

function namedIn(sql: string): ReadonlySet<string | undefined> {
  return new Set(Array.from(sql.matchAll(/\b(?:from|join)\s+(\w+)/g), ([, name]) => name))
}

const NOTHING = { project: null, session: null, agent: null, isHistory: false }

type NewRow = Readonly<Record<string, SqlValue | undefined>>

/** Adds rows to a table: thousands with the same columns, as a rule. */
function inserter(database: Database, table: string): (row: NewRow) => void {
  let columns: readonly string[] = []
  let statement: Statement | undefined
  return (row) => {
    const names = Object.keys(row)
    if (!statement || names.length !== columns.length || names.some((name, i) => name !== columns[i])) {
      columns = names
      statement = database.prepare(`insert or ignore into ${table} (${names.map((name) => `"${name}"`).join(', ')})
        values (${names.map(() => '?').join(', ')})`)
    }
    statement.run(...names.map((name) => row[name] ?? null))
  }
}

/** Many rows go in together. */
function inOne(database: Database, action: () => void): void {
  database.exec('savepoint fetching')
  try {
    action()
    database.exec('release fetching')
  } catch (error) {
    database.exec('rollback to fetching; release fetching')
    throw error
  }
}
