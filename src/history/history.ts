import type { Library } from '../disk/library.ts'
import type { SourceEntry } from '../disk/source.ts'
import type { Warning } from '../disk/warning.ts'
import { LogIndex } from '../index/log-index.ts'
import type { HistoryQueries } from '../index/queries/history-queries.ts'
import { hasSqlite } from '../index/sqlite.ts'
import { fileQueries } from './file-queries.ts'
import type { Need } from './need.ts'
import type { RecordPlace, RemoteHistory } from './remote-history.ts'
import { openPriceBook, type PriceBook } from './usage/price-book.ts'

export interface HistoryOptions {
  readonly library: Library
  /** Folder of the index file; without it, the index is in memory. */
  readonly cacheDir?: string | undefined
  /** Folder of the user's own prices. */
  readonly configDir?: string | undefined
  /** Another thread writes the index and keeps it up to date with the library's listing: only read it here. */
  readonly isReader?: boolean | undefined
  /** A team store that is queried instead of an index. */
  readonly remote?: RemoteHistory | undefined
  readonly warn: (warning: Warning) => void
}

/** Progress callback: bytes read, bytes in total, and the stage if there are several. */
export type OnProgress = (doneBytes: number, totalBytes: number, stage?: string) => void

/** All sessions of some roots, or of a team store. `refresh` is the only way to the data. */
export class History {
  readonly library: Library
  readonly #options: HistoryOptions
  #index: LogIndex | undefined
  #book: { readonly listing: readonly SourceEntry[]; readonly book: PriceBook } | undefined
  /** Refreshes run one after the other. */
  #running: Promise<unknown> = Promise.resolve()

  constructor(options: HistoryOptions) {
    this.library = options.library
    this.#options = options
  }

  /** The local index; there is none for a team store or without SQLite. */
  get index(): LogIndex | undefined {
    if (!this.remote && hasSqlite()) this.#index ??= new LogIndex(this.#options)
    return this.#index
  }

  get remote(): RemoteHistory | undefined {
    return this.#options.remote
  }

  /** Reads what is needed of the listed logs into the tables, and returns the queries over them. */
  async refresh(need: Need = 'facts', progress?: OnProgress): Promise<HistoryQueries> {
    if (this.remote) return this.remote.queries
    const { index } = this
    if (!index) return fileQueries(this.library)
    const done = this.#running.then(() => refreshIndex(index, need, progress))
    this.#running = done.catch(() => {})
    await done
    return index.queries
  }

  /** Whether text is searched in the index. An index in memory has no text: then the logs are searched. */
  get hasTextIndex(): boolean {
    return this.remote !== undefined || this.index?.isKept === true
  }

  /** Bytes of listed logs that are not in the tables. */
  async unreadBytes(): Promise<number> {
    return (await this.index?.unreadBytes()) ?? 0
  }

  /** Makes logs of a team store readable through the library; local logs are. */
  async fetchLogs(logs: Iterable<SourceEntry | undefined>): Promise<void> {
    await this.remote?.fetchLogs([...logs].filter((log) => log !== undefined))
  }

  /** The same for single records, by the path of their log and their offset in it. */
  async fetchRecords(places: readonly RecordPlace[]): Promise<void> {
    await this.remote?.fetchRecords(places)
  }

  /** The same for other files below the roots, by their relative paths. */
  async fetchBeside(include: (relativePath: string) => boolean): Promise<void> {
    await this.remote?.fetchBeside(include)
  }

  /** The prices of all models in use. Opened once per listing, as the public price list is large. */
  async prices(): Promise<PriceBook> {
    const listing = this.library.listed()
    if (this.#book?.listing !== listing) {
      const models = await (await this.refresh()).spending.models()
      this.#book = { listing, book: await openPriceBook(this.#options, models) }
    }
    return this.#book.book
  }

  close(): void {
    this.remote?.close()
    this.#index?.close()
  }
}

async function refreshIndex(index: LogIndex, need: Need, progress: OnProgress | undefined): Promise<void> {
  if (need === 'as-is') return
  // Facts come first: they take a fraction of the time, and an interrupted build has them.
  const stage = (name: string) => progress && ((done: number, total: number) => progress(done, total, name))
  await index.refresh(need === 'facts' ? progress : stage('lists and sums'))
  if (need === 'calls') await index.refreshCalls(stage('text'))
  if (need === 'text') await index.refreshText(stage('text'))
}

/** One history per library, as long as the library lives. */
const opened = new WeakMap<Library, History>()

/** The history over a library: one for each, open as long as the library is. */
export function historyOf(context: HistoryOptions): History {
  const known = opened.get(context.library) ?? new History(context)
  opened.set(context.library, known)
  return known
}
