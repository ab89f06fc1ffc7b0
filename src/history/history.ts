import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Library } from '../disk/library.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import type { Warning } from '../disk/warning.ts'
import { type Database, hasSqlite } from '../index/driver.ts'
import { ingestFacts, ingestOnAllCores } from '../index/ingest.ts'
import { ingestTexts, ingestTextsOnAllCores, unwordedBytes, unwordedLogs, type Worded } from '../index/ingest-text.ts'
import { isMarked, listingMark, markListing } from '../index/listing-mark.ts'
import { areWorded, lostLogs, usedModels } from '../index/log-notes.ts'
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
} from '../index/open.ts'
import { ingestSidecars } from '../index/sidecars.ts'
import { isUpToDate } from '../index/survey.ts'
import { asFailure } from '../index/trouble.ts'
import type { Whose, WhoseLog } from '../index/write.ts'
import { type Elsewhere, indexQuestions, type Questions } from './questions.ts'
import { openPriceBook, type PriceBook } from './usage/price-book.ts'

export interface HistoryOptions {
  readonly library: Library
  /** Where the index is kept; without it, it lives in memory. */
  readonly cacheDir?: string | undefined
  /** Where the user's own prices lie. */
  readonly configDir?: string | undefined
  /** Another thread writes the index, and has brought it up to date with what the library has listed: here it is only read. */
  readonly isReader?: boolean | undefined
  /** The history lies elsewhere: its tables are asked there, and nothing is read or kept here. */
  readonly elsewhere?: Elsewhere | undefined
  readonly warn: (warning: Warning) => void
}

/** A file that the index is kept in. */
export interface IndexFile {
  readonly path: string
  /** Its device and inode. */
  readonly id: string
}

/** Hears how far reading has come, in bytes. */
export type OnProgress = (doneBytes: number, totalBytes: number) => void

/** What a person's sessions are: every list, sum and title is asked here, and answered from the tables of the index. */
export class History {
  readonly library: Library
  readonly #options: HistoryOptions
  #index: (OpenIndex & { readonly id: string | undefined }) | undefined
  /** The listing that the tables are up to date with. */
  #listing: readonly SourceEntry[] | undefined
  /** Whether all of it is known to be in the tables. */
  #isWhole = false
  #book: { readonly listing: readonly SourceEntry[]; readonly book: PriceBook } | undefined

  constructor(options: HistoryOptions) {
    this.library = options.library
    this.#options = options
  }

  /** The tables, up to date with what the library has listed. Reading happens here, on this thread, if it has to. */
  tables(): Database {
    if (this.elsewhere) return this.elsewhere.tables()
    if (this.#isCurrent()) return this.#open().database
    return this.#guarded(() => {
      const { database } = this.#open()
      if (!this.#isUpToDate(database)) {
        ingestFacts(database, this.logs(), { whose: this.#whose() })
        ingestSidecars(database, this.library.projects(), this.library.source)
      }
      this.#listing = this.library.listed()
      return database
    })
  }

  /** Who answers what is asked of all sessions, up to date in the same way. */
  ask(): Questions {
    return this.elsewhere?.questions() ?? indexQuestions(this.tables())
  }

  get elsewhere(): Elsewhere | undefined {
    return this.#options.elsewhere
  }

  /** The tables as they were left: for a first screen that waits for nothing. */
  knownTables(): Database {
    return this.elsewhere?.tables() ?? this.#open().database
  }

  /** Brings the tables up to date on all cores, where that is more than a little work. */
  async refresh(progress?: OnProgress): Promise<void> {
    if (this.#isCurrent()) return
    const { database, path } = this.#open()
    try {
      if (!this.#isUpToDate(database)) {
        await ingestOnAllCores(database, this.logs(), { whose: this.#whose(), ...(progress && { progress }) })
        ingestSidecars(database, this.library.projects(), this.library.source)
      }
      this.#listing = this.library.listed()
    } catch (error) {
      if (!this.#isMovedToMemory(error)) throw asFailure(error, path)
      await this.refresh(progress)
    }
  }

  /** How much of what is listed is not in the tables; the paths of the logs that are in them are given. */
  unreadBytes(read: () => ReadonlySet<string>): number {
    if (this.#isWhole) return 0
    const known = read()
    return this.library.logs().reduce((sum, log) => sum + (known.has(log.path) ? 0 : log.sizeBytes), 0)
  }

  /** Whether the index is kept. One in memory has no words: what is looked for is found in the logs themselves. */
  get isKept(): boolean {
    return this.elsewhere !== undefined || this.#open().path !== undefined
  }

  /** Where the index is kept, and which file that is; one that another process has removed or replaced is opened anew. */
  currentFile(): IndexFile | undefined {
    const { path, id } = this.#open()
    if (path !== undefined && id !== fileId(path)) this.close()
    const now = this.#open()
    return now.path === undefined ? undefined : { path: now.path, id: now.id ?? '' }
  }

  /** Brings the words up to date with the facts, on all cores; a reader leaves that to who writes. */
  async refreshTexts(progress?: OnProgress): Promise<Worded> {
    if (this.#options.isReader || this.elsewhere) return NO_WORDS
    const { database, path } = this.#open()
    try {
      return path === undefined || areWorded(database)
        ? NO_WORDS
        : await ingestTextsOnAllCores(database, this.logs(), { progress })
    } catch (error) {
      if (this.#isMovedToMemory(error)) return NO_WORDS
      throw asFailure(error, path)
    }
  }

  /** The same for the calls of tools and for rows by kind, which come with the words; an index in memory has them without words. */
  async refreshCalls(progress?: OnProgress): Promise<void> {
    if (this.elsewhere) return
    if (this.#options.isReader && this.isKept) return this.#untilWorded()
    if (this.isKept) await this.refreshTexts(progress)
    // Where there is no room for words, it lives in memory by now.
    if (!this.isKept) await ingestTextsOnAllCores(this.tables(), this.logs(), { progress, makes: 'calls' })
  }

  /** A reader waits for who writes, as long as that gets anywhere. */
  async #untilWorded(): Promise<void> {
    let least = Number.POSITIVE_INFINITY
    for (let waits = 0; waits < MOST_WAITS; waits++) {
      const left = unwordedBytes(unwordedLogs(this.tables()))
      if (left === 0) return
      if (left < least) waits = 0
      least = Math.min(least, left)
      await sleep(WAIT_MS)
    }
  }

  /** Brings facts up to date, and words for about so long. */
  catchUp(withinMs?: number): Worded {
    const database = this.tables()
    if (!this.isKept) return NO_WORDS
    return this.#guarded(() => ingestTexts(database, this.logs(), { withinMs }))
  }

  /** Brings facts and words up to date with files that changed; with all of them where one is gone, or not known yet. */
  follow(changed: ReadonlySet<string> | undefined): Worded {
    if (changed === undefined || !this.refreshFiles(changed)) this.library.refresh()
    return this.catchUp()
  }

  /** Brings facts up to date with files that changed, and looks at no others. Says no where that takes a listing. */
  refreshFiles(changed: ReadonlySet<string>): boolean {
    const { library } = this
    // What lies beside the projects, the library does not list.
    const listed = [...changed].filter((path) => !library.roots.includes(dirname(path)))
    if (!this.isKept || !this.#isCurrent() || !library.look(listed)) return false
    if (this.#isCurrent()) return true
    const logs = library.logs().filter(({ path }) => changed.has(path))
    const only = new Set(logs.map(({ path }) => path))
    return this.#guarded(() => {
      // Begun anew in memory, it knows of no log yet.
      if (!this.isKept) return false
      const { database } = this.#open()
      ingestFacts(database, { ...this.logs(), list: () => logs }, { whose: this.#whose(), only })
      if (logs.length < listed.length) ingestSidecars(database, library.projects(), library.source)
      this.#listing = library.listed()
      return true
    })
  }

  /** Begins anew. What only the index still knew of vanished logs is forgotten: their number is given. */
  rebuild(): { readonly forgotten: number } {
    const forgotten = lostLogs(this.#open().database)
    this.close()
    if (this.#options.cacheDir !== undefined) removeIndex(this.#options.cacheDir, indexName(this.library.roots))
    return { forgotten }
  }

  /** Runs something on a connection that only reads, in one state of the tables; what it makes beside them is gone afterwards. */
  reading<T>(action: (database: Database) => T): T {
    const { cacheDir } = this.#options
    const own = this.isKept && cacheDir !== undefined ? openToRead(cacheDir, this.library.roots).database : undefined
    const database = own ?? this.tables()
    // What people said is never written to a temporary file.
    own?.exec('pragma temp_store = memory')
    database.exec('begin')
    try {
      return action(database)
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

  /** The prices of all models that there are responses of. Opened once for a listing: what the public list adds is large. */
  async prices(): Promise<PriceBook> {
    const listing = this.library.listed()
    if (this.#book?.listing !== listing) {
      // Without tables nobody knows which models there are: all prices may be needed.
      const models = this.elsewhere?.models() ?? (hasSqlite() ? usedModels(this.tables()) : ANY_MODEL)
      this.#book = { listing, book: await openPriceBook(this.#options, models) }
    }
    return this.#book.book
  }

  /** The logs as the library has listed them, so that nothing is listed twice. */
  logs(): Source {
    const { library } = this
    return { list: () => library.logs(), read: (entry, offset, into) => library.source.read(entry, offset, into) }
  }

  close(): void {
    this.elsewhere?.close()
    this.#index?.database.close()
    this.#index = undefined
    this.#listing = undefined
  }

  /** Whether the tables are up to date with what is listed. */
  #isCurrent(): boolean {
    return this.elsewhere !== undefined || this.#options.isReader === true || this.#listing === this.library.listed()
  }

  #open(): OpenIndex & { readonly id: string | undefined } {
    if (this.#index) return this.#index
    const { cacheDir, isReader } = this.#options
    const { roots } = this.library
    const opened = isReader && cacheDir !== undefined ? openToRead(cacheDir, roots) : openIndex(cacheDir, roots)
    this.#index = { ...this.#told(opened), id: opened.path && fileId(opened.path) }
    return this.#index
  }

  #told(index: OpenIndex): OpenIndex {
    if (index.notice) this.#options.warn({ file: this.#options.cacheDir ?? '', message: index.notice })
    return index
  }

  /** Where there is no room for the index, it is begun anew in memory. */
  #isMovedToMemory(error: unknown): boolean {
    const { cacheDir } = this.#options
    if (cacheDir === undefined || this.#index?.path === undefined || !isUnwritable(error)) return false
    this.close()
    this.#index = { ...this.#told(indexInMemory(cacheDir)), id: undefined }
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

  /** Whose logs these are, as the library has sorted them. */
  #whose(): WhoseLog {
    const owners = new Map<string, Whose>()
    for (const { key: project, sessions, flatAgents } of this.library.projects()) {
      const add = (log: SourceEntry | undefined, whose: Omit<Whose, 'project'>) => {
        if (log) owners.set(log.path, { project, ...whose })
      }
      for (const { id: agent, log, run } of flatAgents) add(log, { session: null, agent, run })
      for (const { id: session, log, agents } of sessions) {
        add(log, { session, agent: null, run: null })
        for (const { id: agent, log: theirs, run } of agents) add(theirs, { session, agent, run })
      }
    }
    return ({ path }) => owners.get(path) as Whose
  }

  /** Whether the tables are up to date with what is listed now. Where all is at rest that is noted, for the next who asks. */
  #isUpToDate(database: Database): boolean {
    const mark = this.isKept ? listingMark(this.library.listed()) : undefined
    const isNoted = mark !== undefined && isMarked(database, mark)
    this.#isWhole = isNoted || isUpToDate(database, this.library.logs())
    if (this.#isWhole && !isNoted) {
      ingestSidecars(database, this.library.projects(), this.library.source)
      if (mark !== undefined) markListing(database, mark)
    }
    return this.#isWhole
  }
}

const ANY_MODEL = ['any']
const WAIT_MS = 50
/** So often in a row nothing has come further: who writes is in trouble, and what is known has to do. */
const MOST_WAITS = 100

const NO_WORDS: Worded = { filesRead: 0, bytesRead: 0, records: 0, behindBytes: 0 }

const opened = new WeakMap<Library, History>()

/** The history that an operation asks: one for each library, kept open with it. */
export function historyOf(context: HistoryOptions): History {
  const known = opened.get(context.library) ?? new History(context)
  opened.set(context.library, known)
  return known
}
