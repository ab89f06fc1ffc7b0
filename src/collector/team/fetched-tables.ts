import { join } from 'node:path'
import { type CountedHolding, ownersOf } from '../../core/facts/owner.ts'
import { parseJson } from '../../core/json.ts'
import { type Database, type Row, type SqlValue, selectAll } from '../../index/driver.ts'
import { Names } from '../../index/names.ts'
import { openIndex } from '../../index/open.ts'
import { logsOfForks } from '../../index/queries/forks.ts'
import { type SpentTokens, spentTokens } from '../../index/queries/spending.ts'
import { INDEXES, RESPONSE_FLAGS } from '../../index/schema.ts'
import { logOwner } from '../../index/write.ts'
import { inOne, inserter, putColumns } from './fill-tables.ts'
import type { StoredCalls } from './log-facts.ts'
import { placeOfTeamFile } from './place.ts'
import type { StoreFiles } from './store-files.ts'
import type { Columns, StoreReader } from './store-reader.ts'
import { readStoredKey, storedKey } from './stored-key.ts'

/** What is fetched log by log. */
type Kind = 'facts' | 'turns' | 'calls' | 'trees' | 'responses'

/**
 * The tables of an index in memory, filled from a team store. Each `fetch` method adds what is missing and never removes
 * anything, so that queries may run at the same time.
 */
export class FetchedTables {
  readonly #reader: StoreReader
  readonly #files: StoreFiles
  /** The facts of so few logs are fetched together. */
  readonly #fewLogs: number
  #opened: Promise<Database> | undefined
  #names: Names | undefined
  #shared: Promise<readonly SpentTokens[]> | undefined
  #sidecars: Promise<void> | undefined
  #links: Promise<void> = Promise.resolve()
  readonly #linked = new Set<number>()
  /** The logs of which something was fetched; fetches of one kind run one after the other. */
  readonly #known = new Map<Kind, ReadonlySet<number> | 'all'>()
  readonly #running = new Map<Kind, Promise<void>>()

  constructor(reader: StoreReader, files: StoreFiles, fewLogs: number) {
    this.#reader = reader
    this.#files = files
    this.#fewLogs = fewLogs
  }

  close(): void {
    void this.#opened?.then((database) => database.close()).catch(() => {})
  }

  /** The tables, with all logs in `log`. */
  database(): Promise<Database> {
    this.#opened ??= this.#open()
    return this.#opened
  }

  async #open(): Promise<Database> {
    const logs = this.#files.logs().filter(({ hasFacts }) => hasFacts)
    const owned = logs.map((log) => {
      const { root, path, bytes } = log
      return { log, owner: logOwner({ root, path, sizeBytes: bytes, modifiedAt: 0 }) }
    })
    // A flat log of an agent names its session in its records.
    const flat = owned.flatMap(({ log, owner }) => (owner.session === null ? log.id : []))
    const named = new Map(
      (flat.length > 0 ? await this.#reader.facts(flat) : []).map(({ log, facts }) => [log, facts.session]),
    )
    const { database } = openIndex(undefined, [])
    this.#names = new Names(database)
    database.exec(INDEXES)
    inOne(database, () => {
      const put = database.prepare(NEW_LOG)
      for (const { log, owner } of owned) {
        const session = owner.session ?? named.get(log.id) ?? ''
        const { id, root, path, generation, bytes, records, lastAt } = log
        put.run(id, root, path, owner.project, session, owner.agent, owner.run, generation, bytes, lastAt ?? 0, records)
      }
    })
    return database
  }

  /** Facts, plan names and summaries of some logs, or of all. */
  fetchFacts(logs?: readonly number[]): Promise<void> {
    const areMany = this.#files.logs().length > this.#fewLogs
    return this.#fetchOf('facts', areMany ? logs : undefined, async (missing) => {
      const fetched = await this.#reader.facts(missing)
      return (database) => {
        const putFact = inserter(database, 'fact')
        const putSlug = inserter(database, 'slug')
        const putSummary = inserter(database, 'summary')
        for (const { log, facts } of fetched) {
          putFact({ log, ...facts.fact })
          for (const slug of facts.slugs) putSlug({ slug, log })
          for (const summary of facts.summaries) putSummary({ ...summary, log })
        }
      }
    })
  }

  /** Turns of some logs, or of all. */
  fetchTurns(logs?: readonly number[]): Promise<void> {
    return this.#fetchOf('turns', logs, async (missing) => {
      const fetched = await this.#reader.turns(missing)
      return (database) => {
        const put = inserter(database, 'turn')
        for (const { log, text } of fetched)
          for (const turn of parseJson(text) as unknown as Row[]) put({ log, ...turn })
      }
    })
  }

  /** Calls and places of some logs, or of all. */
  fetchCalls(logs?: readonly number[]): Promise<void> {
    return this.#fetchOf('calls', logs, async (missing) => {
      const fetched = await this.#reader.calls(missing)
      return (database) => {
        const [putCall, putPlace] = [inserter(database, 'call'), inserter(database, 'place')]
        for (const { log, text } of fetched) {
          const { calls, places } = parseJson(text) as unknown as StoredCalls
          for (const { tool, target, ...call } of calls)
            putCall({ log, ...call, tool: this.#name(tool), target: this.#name(target) })
          for (const place of places) putPlace({ log, ...place })
        }
      }
    })
  }

  /** The tree rows of some logs, or of all. */
  fetchTrees(logs?: readonly number[]): Promise<void> {
    return this.#fetchOf('trees', logs, async (missing) => {
      const fetched = await this.#reader.trees(missing)
      return (database) => {
        const put = database.prepare('insert or ignore into rows (log, piece, packed) values (?, 1, ?)')
        for (const { log, packed } of fetched) put.run(log, packed)
      }
    })
  }

  /** The responses of some logs, or of all, shared ones included. */
  async fetchResponses(logs?: readonly number[]): Promise<void> {
    await this.fetchShared()
    await this.#fetchOf('responses', logs, async (missing) => {
      const fetched = await this.#reader.responses(missing ? { only: missing } : {})
      return (database) => this.#putResponses(database, fetched, { seen_rows: fetched.rows ?? [] })
    })
  }

  /** The responses that several logs hold, settled among the logs that the reader may see. Returns those that count. */
  fetchShared(): Promise<readonly SpentTokens[]> {
    this.#shared ??= this.#fetchShared()
    return this.#shared
  }

  async #fetchShared(): Promise<readonly SpentTokens[]> {
    const [database, shared] = await Promise.all([this.database(), this.#reader.sharedResponses()])
    const logs = [...new Set((shared.log ?? []) as readonly number[])]
    if (logs.length === 0) return []
    await this.fetchFacts(logs)
    const owned = ownersOf(holdingsIn(database, shared))
    inOne(database, () =>
      this.#putResponses(database, shared, {
        id: owned.map((_, nth) => nth + 1),
        owner: owned.map(({ isOwner }) => Number(isOwner)),
        counts: owned.map(({ counts }) => counts + 1),
        seen_rows: owned.map(({ seenRows }) => seenRows),
        seen_logs: owned.map(({ seenLogs }) => seenLogs),
      }),
    )
    return spentTokens(database, { single: true })
  }

  /** The logs that hold shared responses. */
  async sharingLogs(): Promise<readonly number[]> {
    await this.fetchShared()
    const rows = (await this.database()).prepare('select distinct log from response where seen_logs > 1').all()
    return rows.map(({ log }) => log as number)
  }

  /** Small files that contain titles or describe agents. */
  fetchSidecars(): Promise<void> {
    this.#sidecars ??= this.#fetchSidecars()
    return this.#sidecars
  }

  async #fetchSidecars(): Promise<void> {
    const [database, sidecars] = await Promise.all([this.database(), this.#reader.sidecars()])
    inOne(database, () => {
      const put = inserter(database, 'sidecar')
      for (const { machine, file, text } of sidecars) {
        const place = file.startsWith('h:') ? undefined : placeOfTeamFile({ ...NOTHING, machine, file })
        if (place !== undefined) put({ path: join(this.#files.folder, place), size: 0, modified: 0, value: text })
      }
    })
  }

  /** The logs that hold the rows which fetched summaries and fetched logs refer to. */
  async fetchLinks(): Promise<void> {
    const rows = (await this.database()).prepare(LINKED_KEYS).all()
    await this.fetchHolders(rows.map(({ key }) => key as number))
  }

  /** The logs that hold some rows, by row key. */
  fetchHolders(keys: readonly number[]): Promise<void> {
    this.#links = this.#links.then(async () => {
      const missing = [...new Set(keys)].filter((key) => !this.#linked.has(key))
      if (missing.length === 0) return
      const stored = missing.flatMap((key) => [storedKey(key, true), storedKey(key, false)])
      const [database, holders] = await Promise.all([this.database(), this.#reader.keyHolders(stored)])
      inOne(database, () => {
        const put = inserter(database, 'link')
        for (const { log, key: stored } of holders) {
          const { key, isActive } = readStoredKey(stored)
          put({ key, log, active: Number(isActive) })
        }
      })
      for (const key of missing) this.#linked.add(key)
    })
    return this.#links
  }

  /** The tree rows that tell when forks began: of all sessions, or of those with some ids. Facts and shared responses come first. */
  async fetchForkTrees(ids?: readonly string[]): Promise<void> {
    const database = await this.database()
    const logs = logsOfForks(database, ids && (await this.mainLogs(ids)))
    await this.fetchTrees(logs)
  }

  /** What the titles of some sessions need: facts of their own logs, summaries wherever they are, and small files. */
  async fetchTitles(ids: readonly string[]): Promise<void> {
    const summing = this.#files.logs().flatMap((log) => (log.hasFacts && log.hasSummaries ? log.id : []))
    await Promise.all([this.fetchFacts([...(await this.mainLogs(ids)), ...summing]), this.fetchSidecars()])
    await this.fetchLinks()
  }

  /** Facts of some logs, and of the sessions that they belong to. */
  async fetchFamilies(logs: readonly number[]): Promise<void> {
    await this.fetchFacts(await this.#ids(WITH_MAIN_LOGS, JSON.stringify(logs)))
  }

  /** Ids of the logs of sessions, without agents. */
  mainLogs(ids: readonly string[]): Promise<readonly number[]> {
    return this.#ids(MAIN_LOGS, JSON.stringify(ids))
  }

  /** Ids of all logs of the sessions that some logs belong to. */
  familyLogs(logs: readonly number[]): Promise<readonly number[]> {
    return this.#ids(FAMILY_LOGS, JSON.stringify(logs))
  }

  /** Ids of all logs of one session. */
  sessionLogs(root: string, project: string, id: string): Promise<readonly number[]> {
    return this.#ids('select id from log where root = ? and project = ? and session = ?', root, project, id)
  }

  /** Ids of logs by their paths. */
  logsAt(paths: readonly string[]): Promise<readonly number[]> {
    return this.#ids('select id from log where path in (select value from json_each(?))', JSON.stringify(paths))
  }

  async #ids(sql: string, ...values: SqlValue[]): Promise<readonly number[]> {
    const rows = (await this.database()).prepare(sql).all(...values)
    return rows.map(({ id }) => id as number)
  }

  /** Fetches something of the logs it was not fetched for yet, and puts it into the tables in one step. */
  #fetchOf(
    kind: Kind,
    logs: readonly number[] | undefined,
    fetch: (missing: readonly number[] | undefined) => Promise<(database: Database) => void>,
  ): Promise<void> {
    const fetchMissing = async () => {
      const known = this.#known.get(kind) ?? new Set()
      if (known === 'all') return
      const isAll = logs === undefined && known.size === 0
      const wanted = logs ?? this.#files.logs().map(({ id }) => id)
      const missing = isAll ? undefined : [...new Set(wanted)].filter((log) => !known.has(log))
      if (missing?.length !== 0) {
        const [database, put] = await Promise.all([this.database(), fetch(missing)])
        inOne(database, () => put(database))
      }
      this.#known.set(kind, logs ? new Set([...known, ...(missing ?? [])]) : 'all')
    }
    const running = (this.#running.get(kind) ?? Promise.resolve()).then(fetchMissing)
    this.#running.set(kind, running)
    return running
  }

  #putResponses(database: Database, rows: Columns, settled: Columns): void {
    const flags: ReadonlySet<string> = new Set(RESPONSE_FLAGS)
    const columns = Object.entries(rows).filter(([name]) => !flags.has(name))
    const bits = (rows.log ?? []).map((_, nth) =>
      RESPONSE_FLAGS.reduce((sum, name, bit) => sum | (Number(rows[name]?.[nth]) << bit), 0),
    )
    const names = (name: string) => (rows[name] ?? []).map((text) => this.#name(text))
    const named = { model: names('model'), geo: names('geo') }
    putColumns(database, 'response', { ...Object.fromEntries(columns), ...named, flags: bits, ...settled })
  }

  #name(text: SqlValue | undefined): number | null {
    return this.#names?.id(text as string | null) ?? null
  }
}

/** Responses as `ownersOf` compares them; facts of their logs are in the tables. */
function holdingsIn(database: Database, rows: Columns): readonly CountedHolding[] {
  const facts = selectAll(database, { columns: ['id', 'path', 'ended', 'head'], from: 'log join fact on log = id' })
  const logs = new Map(
    facts.map(({ id, path, ended, head }) => [
      id,
      { endedAt: ended as number, head: head as string, path: path as string },
    ]),
  )
  const value = (name: string, nth: number) => rows[name]?.[nth] ?? null
  return (rows.log ?? []).map((log, nth) => ({
    message: value('message', nth) as string,
    request: value('request', nth) as string | null,
    rows: Number(value('rows', nth)),
    outputTokens: Number(value('output', nth)),
    isPlaceholder: Number(value('placeholder', nth)) === 1,
    isMarked: Number(value('marked', nth)) === 1,
    isMadeHere: Number(value('made', nth)) === 1,
    writtenAt: Number(value('written', nth)),
    isNamed: Number(value('named', nth)) === 1,
    log: logs.get(log) ?? { endedAt: 0, head: '', path: String(log) },
  }))
}

/** A log as its listing has it; the other columns are about files, of which there are none. */
const NEW_LOG = `
insert or ignore into log (id, root, path, project, session, agent, run, state, generation, size, modified, settled, head_length, head_hash,
  tail_length, tail_hash, prefix_sum, read, read_line, worded, worded_line, worded_to)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'disk', ?8, ?9, ?10, 1, 0, '', 0, '', 0, ?9, ?11, ?9, ?11, ?9)`

const MAIN_LOGS = 'select id from log where agent is null and session in (select value from json_each(?))'
const WITH_MAIN_LOGS = `select id from log where id in (select value from json_each(?1)) or agent is null and session in
  (select session from log where id in (select value from json_each(?1)))`
const FAMILY_LOGS = `select id from log where (root, project, session) in
  (select root, project, session from log where id in (select value from json_each(?)))`
const LINKED_KEYS = 'select leaf as key from summary union select parent_key from fact where parent_key is not null'

const NOTHING = { project: null, session: null, agent: null, isHistory: false }
