import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Library } from '../disk/library.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import type { Warning } from '../disk/warning.ts'
import type { Database } from './driver.ts'
import { ingestFacts, ingestOnAllCores } from './ingest.ts'
import { ingestTexts, ingestTextsOnAllCores, type TextIngested } from './ingest-text.ts'
import { isMarked, listingMark, markListing } from './listing-mark.ts'
import {
  fileId,
  indexBytes,
  indexInMemory,
  indexName,
  isUnwritable,
  type OpenIndex,
  openIndex,
  openToRead,
  removeIndex,
} from './open.ts'
import type { HistoryQueries } from './queries/history-queries.ts'
import { indexQueries } from './queries/index-queries.ts'
import { isTextIndexed, lostLogs } from './queries/log-notes.ts'
import { unindexedBytes, unindexedLogs } from './queries/unindexed-logs.ts'
import { ingestSidecars } from './sidecars.ts'
import { type Selected, selectRows } from './sql/select.ts'
import { openViews, type ViewSource } from './sql/view-tables.ts'
import { isUpToDate } from './survey.ts'
import { asFailure } from './trouble.ts'
import type { LogOwner, LogOwnerOf } from './write.ts'

export interface LogIndexOptions {
  readonly library: Library
  /** Folder of the index file; without it, the index is in memory. */
  readonly cacheDir?: string | undefined
  /** Another thread writes the index and keeps it up to date with the library's listing: only read it here. */
  readonly isReader?: boolean | undefined
  readonly warn: (warning: Warning) => void
}

/** An index file. */
export interface IndexFile {
  readonly path: string
  /** Device and inode. */
  readonly id: string
}

/** Progress callback: bytes read, bytes in total. */
export type OnProgress = (doneBytes: number, totalBytes: number) => void

/** The index over the logs of a library: opens the database, reads logs into its tables, and gives queries over them. */
export class LogIndex {
  readonly #options: LogIndexOptions
  #index: (OpenIndex & { readonly id: string | undefined }) | undefined
  /** The listing that the tables are up to date with. */
  #listing: readonly SourceEntry[] | undefined
  #queries: { readonly listing: readonly SourceEntry[] | undefined; readonly queries: HistoryQueries } | undefined
  /** Whether every listed log is in the tables. */
  #isWhole = false

  constructor(options: LogIndexOptions) {
    this.#options = options
  }

  /** Queries over the tables as they are. */
  get queries(): HistoryQueries {
    const listing = this.#options.isReader ? this.#library.listed() : this.#listing
    const known = listing === undefined || !this.#index ? undefined : this.#queries
    if (known && known.listing === listing) return known.queries
    const queries = indexQueries(this.#open().database)
    this.#queries = { listing, queries }
    return queries
  }

  /** Reads what changed in the listed logs into the tables, on all cores if that is much. */
  async refresh(progress?: OnProgress): Promise<void> {
    if (this.#isCurrent()) return
    const { database, path } = this.#open()
    try {
      if (!this.#isUpToDate(database)) {
        await ingestOnAllCores(database, this.#logs(), { ownerOf: this.#ownerOf(), ...(progress && { progress }) })
        ingestSidecars(database, this.#library.projects(), this.#library.source)
      }
      this.#listing = this.#library.listed()
    } catch (error) {
      if (!this.#isMovedToMemory(error)) throw asFailure(error, path)
      await this.refresh(progress)
    }
  }

  /** The same on this thread, synchronously: for the server's writer, which has a thread of its own. */
  refreshHere(): void {
    if (this.#isCurrent()) return
    this.#guarded(() => {
      const { database } = this.#open()
      if (!this.#isUpToDate(database)) {
        ingestFacts(database, this.#logs(), { ownerOf: this.#ownerOf() })
        ingestSidecars(database, this.#library.projects(), this.#library.source)
      }
      this.#listing = this.#library.listed()
    })
  }

  /** Indexes the text of what is in the tables, on all cores. A reader leaves that to the writer. */
  async refreshText(progress?: OnProgress): Promise<TextIngested> {
    if (this.#options.isReader) return NOTHING_INDEXED
    const { database, path } = this.#open()
    try {
      return path === undefined || isTextIndexed(database)
        ? NOTHING_INDEXED
        : await ingestTextsOnAllCores(database, this.#logs(), { progress })
    } catch (error) {
      if (this.#isMovedToMemory(error)) return NOTHING_INDEXED
      throw asFailure(error, path)
    }
  }

  /** Reads tool calls and rows by kind, which come with the text; an index in memory has them without text. */
  async refreshCalls(progress?: OnProgress): Promise<void> {
    if (this.#options.isReader && this.isKept) return this.#untilTextIndexed()
    if (this.isKept) await this.refreshText(progress)
    // It may have moved to memory meanwhile, for lack of room.
    if (this.isKept) return
    await this.refresh()
    await ingestTextsOnAllCores(this.#open().database, this.#logs(), { progress, makes: 'calls' })
  }

  /** Waits for the writer, as long as that makes progress. */
  async #untilTextIndexed(): Promise<void> {
    let least = Number.POSITIVE_INFINITY
    for (let waits = 0; waits < MOST_WAITS; waits++) {
      const left = unindexedBytes(unindexedLogs(this.#open().database))
      if (left === 0) return
      if (left < least) waits = 0
      least = Math.min(least, left)
      await sleep(WAIT_MS)
    }
  }

  /** Brings facts up to date, and indexes text for about `withinMs`. Synchronous. */
  catchUp(withinMs?: number): TextIngested {
    this.refreshHere()
    if (!this.isKept) return NOTHING_INDEXED
    return this.#guarded(() => ingestTexts(this.#open().database, this.#logs(), { withinMs }))
  }

  /** Brings facts up to date with files that changed, and looks at no others. Returns false if that takes a new listing. */
  refreshFiles(changed: ReadonlySet<string>): boolean {
    const library = this.#library
    // The library does not list what is beside the projects.
    const listed = [...changed].filter((path) => !library.roots.includes(dirname(path)))
    if (!this.isKept || !this.#isCurrent() || !library.look(listed)) return false
    if (this.#isCurrent()) return true
    const logs = library.logs().filter(({ path }) => changed.has(path))
    const only = new Set(logs.map(({ path }) => path))
    return this.#guarded(() => {
      // An index that was just begun in memory knows no log yet.
      if (!this.isKept) return false
      const { database } = this.#open()
      ingestFacts(database, { ...this.#logs(), list: () => logs }, { ownerOf: this.#ownerOf(), only })
      if (logs.length < listed.length) ingestSidecars(database, library.projects(), library.source)
      this.#listing = library.listed()
      return true
    })
  }

  /** Bytes of listed logs that are not in the tables. */
  async unreadBytes(): Promise<number> {
    if (this.#isWhole) return 0
    const known = new Set((await this.queries.sessions.logs()).map(({ path }) => path))
    return this.#library.logs().reduce((sum, log) => sum + (known.has(log.path) ? 0 : log.sizeBytes), 0)
  }

  /** Whether the index is a file. One in memory has no text: a search reads the logs instead. */
  get isKept(): boolean {
    return this.#open().path !== undefined
  }

  /** The index file; one that another process removed or replaced is opened again. */
  currentFile(): IndexFile | undefined {
    const { path, id } = this.#open()
    if (path !== undefined && id !== fileId(path)) this.close()
    const now = this.#open()
    return now.path === undefined ? undefined : { path: now.path, id: now.id ?? '' }
  }

  /** Deletes the index file. Returns how many vanished logs it was the last to know. */
  rebuild(): { readonly forgotten: number } {
    const forgotten = lostLogs(this.#open().database)
    this.close()
    if (this.#options.cacheDir !== undefined) removeIndex(this.#options.cacheDir, indexName(this.#library.roots))
    return { forgotten }
  }

  /** Runs an SQL query over the views, on a read-only connection and in one transaction. */
  select(sql: string, { prices, needs }: Omit<ViewSource, 'source'>): Selected {
    const { cacheDir } = this.#options
    const own = this.isKept && cacheDir !== undefined ? openToRead(cacheDir, this.#library.roots).database : undefined
    const database = own ?? this.#open().database
    // Text of sessions must not be written to temporary files.
    own?.exec('pragma temp_store = memory')
    database.exec('begin')
    try {
      openViews(database, { prices, needs, source: this.#library.source })
      return selectRows(database, sql)
    } catch (error) {
      throw asFailure(error, this.#index?.path)
    } finally {
      database.exec('rollback')
      own?.close()
    }
  }

  get sizeBytes(): number {
    return indexBytes(this.#open().path)
  }

  close(): void {
    this.#index?.database.close()
    this.#index = undefined
    this.#queries = undefined
    this.#listing = undefined
  }

  get #library(): Library {
    return this.#options.library
  }

  /** The logs as the library listed them, so that nothing is listed twice. */
  #logs(): Source {
    const library = this.#library
    return { list: () => library.logs(), read: (entry, offset, into) => library.source.read(entry, offset, into) }
  }

  /** Whether the tables are up to date with the listing. */
  #isCurrent(): boolean {
    return this.#options.isReader === true || this.#listing === this.#library.listed()
  }

  #open(): OpenIndex & { readonly id: string | undefined } {
    if (this.#index) return this.#index
    const { cacheDir, isReader } = this.#options
    const { roots } = this.#library
    const opened = isReader && cacheDir !== undefined ? openToRead(cacheDir, roots) : openIndex(cacheDir, roots)
    this.#index = { ...this.#withNotice(opened), id: opened.path && fileId(opened.path) }
    return this.#index
  }

  #withNotice(index: OpenIndex): OpenIndex {
    if (index.notice) this.#options.warn({ file: this.#options.cacheDir ?? '', message: index.notice })
    return index
  }

  /** If there is no room for the index file, starts over in memory. */
  #isMovedToMemory(error: unknown): boolean {
    const { cacheDir } = this.#options
    if (cacheDir === undefined || this.#index?.path === undefined || !isUnwritable(error)) return false
    this.close()
    this.#index = { ...this.#withNotice(indexInMemory(cacheDir)), id: undefined }
    return true
  }

  #guarded<T>(action: () => T): T {
    try {
      return action()
    } catch (error) {
      if (this.#isMovedToMemory(error)) return action()
      throw asFailure(error, this.#index?.path)
    }
  }

  /** Resolves which session or agent a log belongs to, from the library's inventory. */
  #ownerOf(): LogOwnerOf {
    const owners = new Map<string, LogOwner>()
    for (const { key: project, sessions, flatAgents } of this.#library.projects()) {
      const add = (log: SourceEntry | undefined, owner: Omit<LogOwner, 'project'>) => {
        if (log) owners.set(log.path, { project, ...owner })
      }
      for (const { id: agent, log, run } of flatAgents) add(log, { session: null, agent, run })
      for (const { id: session, log, agents } of sessions) {
        add(log, { session, agent: null, run: null })
        for (const { id: agent, log: theirs, run } of agents) add(theirs, { session, agent, run })
      }
    }
    return ({ path }) => owners.get(path) as LogOwner
  }

  /** Compares the tables with the listing. If nothing is growing, notes that for the next process. */
  #isUpToDate(database: Database): boolean {
    const mark = this.isKept ? listingMark(this.#library.listed()) : undefined
    const isNoted = mark !== undefined && isMarked(database, mark)
    this.#isWhole = isNoted || isUpToDate(database, this.#library.logs())
    if (this.#isWhole && !isNoted) {
      ingestSidecars(database, this.#library.projects(), this.#library.source)
      if (mark !== undefined) markListing(database, mark)
    }
    return this.#isWhole
  }
}

const WAIT_MS = 50
/** After so many waits without progress the writer is in trouble, and what is known has to do. */
const MOST_WAITS = 100

const NOTHING_INDEXED: TextIngested = { filesRead: 0, bytesRead: 0, records: 0, behindBytes: 0 }
