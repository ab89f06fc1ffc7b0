import { join } from 'node:path'
import { parseJson } from '../../core/json.ts'
import type { Columns, Database, Row, SqlValue, Statement } from '../../index/driver.ts'
import { Names } from '../../index/names.ts'
import { openIndex } from '../../index/open.ts'
import { OwnerWriter } from '../../index/owner.ts'
import { INDEXES, RESPONSE_FLAGS } from '../../index/schema.ts'
import { logOwner } from '../../index/write.ts'
import { inOne, inserter, putColumns } from './fill-tables.ts'
import type { StoredCalls } from './log-facts.ts'
import { placeOfTeamFile } from './place.ts'
import type { StoreFiles } from './store-files.ts'
import type { StoreReader, WhichHeld } from './store-reader.ts'
import { readStoredKey, storedKey } from './stored-key.ts'

/**
 * The tables of an index over what one may see of a team store, in memory: each is fetched when it is first needed, and of sums,
 * responses and turns only what a question is about.
 */
export class FetchedTables {
  readonly #reader: StoreReader
  readonly #files: StoreFiles
  /** The facts of so few logs come together. */
  readonly #fewLogs: number
  #database: Database | undefined
  #names: Names | undefined
  /** What was fetched, by table: all of it, or what some question needed. */
  readonly #fetched = new Map<string, string>()
  /** The logs of which facts are here. */
  #factsOf: ReadonlySet<number> | 'all' = new Set()
  /** Waits for the facts of all logs, which were asked for. */
  #asked: ReturnType<StoreReader['facts']> | undefined
  #callsOf: ReadonlySet<number> = new Set()

  constructor(reader: StoreReader, files: StoreFiles, fewLogs: number) {
    this.#reader = reader
    this.#files = files
    this.#fewLogs = fewLogs
  }

  /** Forgets what was fetched; what was asked for is waited for, so that nobody keeps it. */
  refresh(): void {
    this.#asked?.()
    this.close()
  }

  close(): void {
    this.#database?.close()
    this.#database = undefined
    this.#fetched.clear()
    this.#factsOf = new Set()
    this.#asked = undefined
  }

  /** The tables, with every log. */
  open(): Database {
    if (this.#database) return this.#database
    const { database } = openIndex(undefined, [])
    this.#database = database
    this.#names = new Names(database)
    database.exec(INDEXES)
    inOne(database, () => this.#putLogs(database))
    return database
  }

  #putLogs(database: Database): void {
    const logs = this.#files.logs().filter(({ hasFacts }) => hasFacts)
    const owned = logs.map((log) => {
      const { root, path, bytes } = log
      return { log, whose: logOwner({ root, path, sizeBytes: bytes, modifiedAt: 0 }) }
    })
    // A flat log of an agent names its session inside.
    const flat = owned.flatMap(({ log, whose }) => (whose.session === null ? log.id : []))
    const named = new Map(
      (flat.length > 0 ? this.#told(this.#areMany ? flat : undefined)() : []).map(({ log, facts }) => [
        log,
        facts.session,
      ]),
    )
    const put = database.prepare(NEW_LOG)
    for (const { log, whose } of owned) {
      const session = whose.session ?? named.get(log.id) ?? ''
      const { id, root, path, generation, bytes, records, lastAt } = log
      put.run(id, root, path, whose.project, session, whose.agent, whose.run, generation, bytes, lastAt ?? 0, records)
    }
  }

  /** Asks for the facts of all logs, which are worked on while the tables are made. */
  askFacts(): void {
    if (this.#factsOf !== 'all') this.#told()
  }

  /** What is known of some logs, or of all; of few, all was asked for ahead. */
  fetchFacts(logs?: readonly number[]): void {
    const known = this.#factsOf
    if (known === 'all') return
    const missing = this.#areMany ? logs?.filter((log) => !known.has(log)) : undefined
    if (missing?.length === 0) return
    const database = this.open()
    const told = this.#told(missing)
    if (!missing) this.#asked = undefined
    inOne(database, () => {
      const put = [inserter(database, 'fact'), inserter(database, 'slug'), inserter(database, 'summary')] as const
      const [putFact, putSlug, putSummary] = put
      for (const { log, facts } of told()) {
        putFact({ log, ...facts.fact })
        for (const slug of facts.slugs) putSlug({ slug, log })
        for (const summary of facts.summaries) putSummary({ ...summary, log })
      }
    })
    this.#factsOf = missing ? new Set([...known, ...missing]) : 'all'
  }

  /** Waits for what is known of some logs, or of all. */
  #told(logs?: readonly number[]): ReturnType<StoreReader['facts']> {
    if (logs) return this.#reader.facts(logs)
    this.#asked ??= onlyOnce(this.#reader.facts())
    return this.#asked
  }

  get #areMany(): boolean {
    return this.#files.logs().length > this.#fewLogs
  }

  /** What tells the titles of some sessions, by their ids: facts of their own logs, and summaries wherever they are. */
  fetchTitles(ids: readonly string[]): void {
    const own = this.open().prepare(OWN_LOGS).all(JSON.stringify(ids))
    this.fetchFacts([...own.map(({ id }) => id as number), ...this.#summing()])
  }

  /** The facts of some logs, and of those of the sessions that they are of. */
  fetchFamilies(logs: readonly number[]): void {
    const all = this.open().prepare(WITH_OWN_LOGS).all(JSON.stringify(logs))
    this.fetchFacts(all.map(({ id }) => id as number))
  }

  /** The logs that have summaries. */
  #summing(): readonly number[] {
    return this.#files.logs().flatMap(({ id, hasFacts, hasSummaries }) => (hasFacts && hasSummaries ? id : []))
  }

  /** Fetches what a query names of facts, of all logs unless those are here that are meant, and what is a little and all of it needed. */
  fetchRest(sql: string, hasFacts = false): void {
    const named = namedIn(sql)
    if (!hasFacts && FACT_TABLES.some((table) => named.has(table))) this.fetchFacts()
    if (named.has('response') || named.has('bucket')) this.#fetchShared()
    if (named.has('link')) this.#fetchLinks()
    if (named.has('sidecar')) this.#fetchSidecars()
  }

  /** The responses that several logs hold, and who owns them. */
  #fetchShared(): void {
    this.#once('shared', undefined, (database) => {
      const owners = new OwnerWriter(database)
      const shared = this.#reader.sharedResponses()
      const logs = [...new Set(shared.log as readonly number[])]
      // Who owns what is told by facts too.
      this.fetchFacts(logs)
      this.#putResponses(database, shared)
      for (const log of logs) owners.noteFresh(log)
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
    const known = this.#factsOf
    this.#once('link', known === 'all' ? undefined : { facts: known.size }, (database) => {
      const named = database
        .prepare('select leaf as key from summary union select parent_key from fact where parent_key is not null')
        .all()
      const keys = named.flatMap(({ key }) => [storedKey(key as number, true), storedKey(key as number, false)])
      const put = inserter(database, 'link')
      for (const { log, key: stored } of this.#reader.keyHolders(keys)) {
        const { key, isActive } = readStoredKey(stored)
        put({ key, log, active: Number(isActive) })
      }
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

  /** Has the tables hold no more than what several logs hold. */
  onlyShared(): void {
    this.#fetchShared()
    const database = this.open()
    if (this.#fetched.delete('bucket')) database.exec(SHARED_BUCKETS)
    if (this.#fetched.delete('response')) database.exec(SHARED_RESPONSES)
  }

  /** Sums of quarters of an hour. */
  fetchSums(which: WhichHeld): void {
    this.#fetchShared()
    this.#once('bucket', which, (database) => {
      database.exec(SHARED_BUCKETS)
      const sums = { ...this.#reader.sums(which) }
      putColumns(database, 'bucket', this.#named({ ...sums, copies: (sums.log ?? []).map(() => 0) }))
    })
  }

  /** Single responses. */
  fetchResponses(which: WhichHeld): void {
    this.#fetchShared()
    this.#once('response', which, (database) => {
      database.exec(SHARED_RESPONSES)
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

  #putResponses(database: Database, rows: Columns): void {
    const flags: ReadonlySet<string> = new Set(RESPONSE_FLAGS)
    const columns = Object.entries(rows).filter(([name]) => !flags.has(name))
    const bits = (rows.log ?? []).map((_, nth) =>
      RESPONSE_FLAGS.reduce((sum, name, bit) => sum | (Number(rows[name]?.[nth]) << bit), 0),
    )
    putColumns(
      database,
      'response',
      this.#named({ ...Object.fromEntries(columns), flags: bits, seen_rows: rows.rows ?? [] }),
    )
  }

  /** The same with the numbers of names. */
  #named(columns: Columns): Columns {
    const [models = [], geos = []] = [columns.model, columns.geo]
    return { ...columns, model: models.map((text) => this.#name(text)), geo: geos.map((text) => this.#name(text)) }
  }

  #name(text: SqlValue | undefined): number | null {
    return this.#names?.id(text as string | null) ?? null
  }

  /** The number of a log by its path. */
  logAt(path: string): number {
    return (this.open().prepare('select id from log where path = ?').get(path)?.id as number | undefined) ?? -1
  }
}

const SHARED_BUCKETS = 'delete from bucket; insert into bucket select * from shared_bucket'
const SHARED_RESPONSES = 'delete from response where id > (select coalesce(max(id), 0) from shared_response)'

/** What is told by `LogFacts.facts`. */
const FACT_TABLES = ['fact', 'slug', 'summary']

/** What is known of a log from its listing; the rest is about files, which there are none of. */
const NEW_LOG = `
insert or ignore into log (id, root, path, project, session, agent, run, state, generation, size, modified, settled, head_length, head_hash,
  tail_length, tail_hash, prefix_sum, read, read_line, worded, worded_line, worded_to)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'disk', ?8, ?9, ?10, 1, 0, '', 0, '', 0, ?9, ?11, ?9, ?11, ?9)`

const OWN_LOGS = 'select id from log where agent is null and session in (select value from json_each(?))'
const WITH_OWN_LOGS = `select id from log where id in (select value from json_each(?1)) or agent is null and session in
  (select session from log where id in (select value from json_each(?1)))`

function namedIn(sql: string): ReadonlySet<string | undefined> {
  return new Set(Array.from(sql.matchAll(/\b(?:from|join)\s+(\w+)/g), ([, name]) => name))
}

const NOTHING = { project: null, session: null, agent: null, isHistory: false }

/** What was waited for is there for whoever asks again. */
function onlyOnce<T extends object>(wait: () => T): () => T {
  let got: T | undefined
  return () => {
    got ??= wait()
    return got
  }
}
