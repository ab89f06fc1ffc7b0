import { toolResultsOf } from '../../core/log/content.ts'
import type { Query } from '../../core/search/query.ts'
import { readRecordAt } from '../../disk/log-file.ts'
import type { Source, SourceEntry } from '../../disk/source.ts'
import { idOfKey } from '../../history/families.ts'
import { type Elsewhere, indexQuestions, type Questions, type WhichSpending } from '../../history/questions.ts'
import type { Database } from '../../index/driver.ts'
import type { Found, Sought } from '../../index/search/matching-docs.ts'
import type { RemoteHits } from '../../index/search/remote-docs.ts'
import { type SearchFilter, searchedLogs } from '../../index/search/searched-logs.ts'
import { FetchedTables } from './fetched-tables.ts'
import type { StoreFiles } from './store-files.ts'
import { FEW_LOGS, MOST_LISTED, type StoredLog, type StoreReader, type WhichHeld } from './store-reader.ts'
import { storeSpendings } from './store-spending.ts'

/** A log of a store, with the path that it has here. */
export interface PlacedLog extends StoredLog {
  readonly root: string
  readonly path: string
}

/**
 * Answers from what one may see of a team store. Each question says what it needs of the tables before it is asked. So lists, sums and search are asked here as of one's own logs, by the
 * same code, and answered from the rows of the store.
 */
export class StoreTables implements Elsewhere {
  readonly #reader: StoreReader
  readonly #files: StoreFiles
  #source: Source | undefined
  readonly #fetched: FetchedTables
  /** A question has fetched what it needs itself. */
  #isFetched = false
  /** The facts too, of the logs that it is about. */
  #hasFacts = false

  constructor(reader: StoreReader, files: StoreFiles, fewLogs = FEW_LOGS) {
    this.#reader = reader
    this.#files = files
    this.#fetched = new FetchedTables(reader, files, fewLogs)
  }

  /** Says by what the texts of records are read. */
  readsBy(source: Source): void {
    this.#source = source
  }

  tables(): Database {
    this.#fetched.askFacts()
    return this.#opened()
  }

  #opened(): Database {
    const database = this.#fetched.open()
    return {
      exec: (sql) => database.exec(sql),
      close: () => {},
      prepare: (sql) => {
        this.#fetched.fetchRest(sql, this.#hasFacts)
        if (!this.#isFetched) this.#fetched.fetchFor(sql)
        const statement = database.prepare(sql)
        return /from rows where log = \?/.test(sql) ? this.#fetched.treesFirst(statement) : statement
      },
    }
  }

  questions(): Questions {
    const own = indexQuestions(this.#opened())
    const after = <T>(fetch: () => void, ask: () => T, hasFacts = false): T => {
      this.#fetched.open()
      fetch()
      this.#isFetched = true
      this.#hasFacts = hasFacts
      try {
        return ask()
      } finally {
        this.#isFetched = false
        this.#hasFacts = false
      }
    }
    return {
      ...own,
      turns: (paths) =>
        after(
          () => this.#fetched.fetchTurns(paths),
          () => own.turns(paths),
        ),
      spending: (book, which = {}) => {
        const of = responsesIn(which)
        if (of)
          return after(
            () => this.#fetched.fetchResponses(of),
            () => own.spending(book, which),
          )
        return after(
          () => this.#fetched.onlyShared(),
          () => {
            if ('of' in which || 'inherited' in which) return own.spending(book, which)
            const asking = { reader: this.#reader, tables: this.#fetched.open(), spending: own.spending }
            return storeSpendings(asking, book, which)
          },
        )
      },
      responses: (logs) =>
        after(
          () => this.#fetched.fetchResponses({ only: logs }),
          () => own.responses(logs),
        ),
      calls: (filter = {}) =>
        after(
          () => this.#fetched.fetchCalls(this.#logsSince(filter.since)),
          () => own.calls(filter),
        ),
      callPlace: (path, id) =>
        after(
          () => this.#fetched.fetchCalls([this.#fetched.logAt(path)]),
          () => own.callPlace(path, id),
        ),
      lastResponse: (path) =>
        after(
          () => this.#fetched.fetchResponses({ only: [this.#fetched.logAt(path)] }),
          () => own.lastResponse(path),
        ),
      sessionOfRow: (uuid) =>
        after(
          () => this.#fetched.fetchTitles([]),
          () => own.sessionOfRow(uuid),
          true,
        ),
      titles: (keys) => {
        const wanted = [...keys]
        return after(
          () => this.#fetched.fetchTitles(wanted.map(idOfKey)),
          () => own.titles(wanted),
          true,
        )
      },
      search: (sought, filter, options) =>
        after(
          () => {
            const logs = logsIn(sought)
            const sharing = this.#fetched.sharing().filter((log) => logs.has(log))
            this.#fetched.fetchFamilies([...logs])
            // What one of these copied was made by another of those that share.
            if (sharing.length === 0) return
            this.#fetched.fetchFamilies(this.#fetched.sharing())
            this.#fetched.fetchResponses({ only: sharing })
          },
          () => {
            const result = own.search(sought, filter, options)
            this.#readAhead(result.found, own)
            return result
          },
          true,
        ),
    }
  }

  models(): readonly string[] {
    const rows = this.tables().prepare('select distinct value from fact, json_each(models)').all()
    return rows.map(({ value }) => value as string)
  }

  find(query: Query, filter: SearchFilter, wanted: number): RemoteHits {
    const { inProject, session, agent } = filter
    const isNarrow = inProject !== undefined || session !== undefined || agent !== undefined
    const only = isNarrow ? [...searchedLogs(this.tables(), filter).keys()] : undefined
    const found = this.#reader.find(query, filter, only, Math.max(MOST_LISTED, wanted + 1))
    // The tables are made, and owners settled, while the store looks.
    this.#fetched.sharing()
    return found()
  }

  bringHere(logs: readonly SourceEntry[]): void {
    this.#files.bringHere(logs)
  }

  /** Forgets what was fetched. */
  refresh(): void {
    this.#fetched.refresh()
  }

  close(): void {
    this.#fetched.close()
    this.#reader.close()
  }

  /** What a page shows is asked for at once: its records, and the calls that some of these answer. */
  #readAhead(found: readonly Found[], questions: Questions): void {
    this.#files.readAhead(found.map(({ log, offset }) => ({ path: log.path, offset })))
    const answers = found.filter(({ kind }) => kind === 'tool-result')
    this.#fetched.fetchCalls([...new Set(answers.map(({ log }) => log.id))])
    const calls = answers.flatMap(({ log: { root, path }, line, offset, length }) => {
      const entry = { root, path, sizeBytes: 0, modifiedAt: 0 }
      const record = readRecordAt(this.#source as Source, entry, { file: path, line, offset, length })
      const [answer] = record ? toolResultsOf(record.raw) : []
      const place = answer?.toolUseId && questions.callPlace(path, answer.toolUseId)
      return place ? [{ path, offset: place.offset }] : []
    })
    this.#files.readAhead(calls)
  }

  #logsSince(since: number | undefined): readonly number[] | undefined {
    return since === undefined
      ? undefined
      : this.#files.logs().flatMap(({ id, lastAt }) => ((lastAt ?? since) >= since ? id : []))
  }
}

/** The logs in which something was found. */
function logsIn({ found, candidates = [] }: Sought): ReadonlySet<number> {
  return new Set([...(found?.counts ?? []), ...candidates].map(({ log }) => log))
}

/** The responses that a question needs in the tables: those of some logs, or all, which are then known by the numbers that they have there. */
function responsesIn(which: WhichSpending): WhichHeld | undefined {
  if ('of' in which) return { only: which.of }
  if ('inherited' in which || !which.single || which.since !== undefined || which.only) return undefined
  return {}
}
