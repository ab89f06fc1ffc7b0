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

  /** What is known of every log, which rows others name, and who owns what several hold. */
  #fetchFacts(database: Database): void {
    const owners = new OwnerWriter(database)
    for (const { facts: text, ...log } of this.#files.logs()) {
      if (text === null) continue
      const { project, session, agent, run } = whoseLog({ ...log, sizeBytes: log.bytes, modifiedAt: 0 })
      const facts = parseJson(text) as unknown as StoredFacts
      put(database, 'log', {
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
      put(database, 'fact', { log: log.id, ...facts.fact })
      for (const slug of facts.slugs) put(database, 'slug', { slug, log: log.id })
      for (const summary of facts.summaries) put(database, 'summary', { ...summary, log: log.id })
      owners.noteFresh(log.id)
    }
    for (const row of this.#reader.sharedResponses()) this.#putResponse(database, row)
    owners.settle()
    database.exec(
      'create temp table shared_bucket as select * from bucket; create temp table shared_response as select id from response',
    )
    const named = database
      .prepare('select leaf as key from summary union select parent_key from fact where parent_key is not null')
      .all()
    const keys = named.flatMap(({ key }) => [2 * (key as number), 2 * (key as number) + 1])
    for (const { log, key } of this.#reader.keyHolders(keys))
      put(database, 'link', { key: Math.floor(key / 2), log, active: key % 2 })
    for (const { machine, file, text } of this.#reader.sidecars()) {
      const place = file.startsWith('h:') ? undefined : placeOfTeamFile({ ...NOTHING, machine, file })
      if (place !== undefined)
        put(database, 'sidecar', { path: join(this.#files.folder, place), size: 0, modified: 0, value: text })
    }
  }

  /** Fetches the tables that a query names. */
  fetchFor(sql: string): void {
    const named = new Set(Array.from(sql.matchAll(/\b(?:from|join)\s+(\w+)/g), ([, name]) => name))
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
      for (const { log, text } of this.#reader.turns(logs))
        for (const turn of parseJson(text) as unknown as Row[]) put(database, 'turn', { log, ...turn })
    })
  }

  /** Calls and places of some logs, or of all. */
  fetchCalls(logs?: readonly number[]): void {
    if (this.#fetched.has('call') && logs?.every((log) => this.#callsOf.has(log))) return
    this.#callsOf = new Set(logs)
    this.#once('call', logs && { logs }, (database) => {
      database.exec('delete from call; delete from place')
      for (const { log, text } of this.#reader.calls(logs)) {
        const { calls, places } = parseJson(text) as unknown as StoredCalls
        for (const { tool, target, ...call } of calls)
          put(database, 'call', { log, ...call, tool: this.#name(tool), target: this.#name(target) })
        for (const place of places) put(database, 'place', { log, ...place })
      }
    })
  }

  /** Sums of quarters of an hour. */
  fetchSums(which: WhichHeld): void {
    this.#once('bucket', which, (database) => {
      database.exec('delete from bucket; insert into bucket select * from shared_bucket')
      for (const { model, geo, ...sum } of this.#reader.sums(which))
        put(database, 'bucket', { ...sum, model: this.#name(model), geo: this.#name(geo) })
    })
  }

  /** Single responses. */
  fetchResponses(which: WhichHeld): void {
    this.#once('response', which, (database) => {
      database.exec('delete from response where id > (select coalesce(max(id), 0) from shared_response)')
      for (const row of this.#reader.responses(which)) this.#putResponse(database, row)
    })
  }

  #fetchTrees(logs?: readonly number[]): void {
    this.#once('rows', logs && { logs }, (database) => {
      for (const { log, packed } of this.#reader.trees(logs)) putTree(database, log, packed)
    })
  }

  /** A statement that asks for the rows of one log: these are fetched before. */
  treesFirst(statement: Statement): Statement {
    const isThere = this.open().prepare('select 1 from rows where log = ?')
    return {
      run: (...values) => statement.run(...values),
      get: (...values) => statement.get(...values),
      iterate: (...values) => statement.iterate(...values),
      all: (...values) => {
        const [log] = values as [number]
        if (isThere.get(log) === undefined)
          for (const { packed } of this.#reader.trees([log])) putTree(this.open(), log, packed)
        return statement.all(...values)
      },
    }
  }

  #putResponse(database: Database, { model, geo, ...row }: HeldRow): void {
    const isFlag = (name: string) => (RESPONSE_FLAGS as readonly string[]).includes(name)
    const others = Object.fromEntries(Object.entries(row).filter(([name]) => !isFlag(name)))
    const flags = RESPONSE_FLAGS.reduce((bits, name, bit) => bits | (Number(row[name]) << bit), 0)
    const named = { model: this.#name(model), geo: this.#name(geo) }
    put(database, 'response', { ...others, flags, seen_rows: row.rows as number, ...named })
  }

  #name(text: SqlValue | undefined): number | null {
    return this.#names?.id(text as string | null) ?? null
  }

  /** The number of a log by its path. */
  logAt(path: string): number {
    return (this.open().prepare('select id from log where path = ?').get(path)?.id as number | undefined) ?? -1
  }
}

const NOTHING = { project: null, session: null, agent: null, isHistory: false }

const statements = new WeakMap<Database, Map<string, Statement>>()

/** Adds a row to a table. */
function put(database: Database, table: string, row: Readonly<Record<string, SqlValue | undefined>>): void {
  const known = statements.get(database) ?? new Map<string, Statement>()
  statements.set(database, known)
  const columns = Object.keys(row)
  const key = `${table} ${columns.join()}`
  const statement =
    known.get(key) ??
    database.prepare(`insert or ignore into ${table} (${columns.map((name) => `"${name}"`).join(', ')})
      values (${columns.map(() => '?').join(', ')})`)
  known.set(key, statement)
  statement.run(...columns.map((name) => row[name] ?? null))
}

function putTree(database: Database, log: number, packed: Uint8Array): void {
  database.prepare('insert or replace into rows (log, piece, packed) values (?, 1, ?)').run(log, packed)
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
