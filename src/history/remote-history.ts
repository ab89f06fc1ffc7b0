import type { SourceEntry } from '../disk/source.ts'
import type { HistoryQueries } from '../index/queries/history-queries.ts'

/** A record by its log and its offset in it. */
export interface RecordPlace {
  readonly path: string
  readonly offset: number
}

/** A history in a team store: the same queries, fetched from there. */
export interface RemoteHistory {
  readonly queries: HistoryQueries
  /** Downloads logs to this machine, so that the library can read them. */
  fetchLogs(logs: readonly SourceEntry[]): Promise<void>
  /** Fetches single records, so that the library can read them. */
  fetchRecords(places: readonly RecordPlace[]): Promise<void>
  /** Fetches the other files whose paths below a root are chosen, so that `library.beside` can read them. */
  fetchBeside(include: (relativePath: string) => boolean): Promise<void>
  close(): void
}
