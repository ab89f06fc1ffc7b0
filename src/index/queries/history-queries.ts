import type { Query } from '../../core/search/query.ts'
import type { Candidate } from '../search/candidates.ts'
import type { SearchOptions, SearchResult } from '../search/search.ts'
import type { SearchedLog, SearchFilter } from '../search/searched-logs.ts'
import type { RowPlace } from '../text-batch.ts'
import type { LogActivity } from './activity.ts'
import type { BilledFilter, BilledLogRow } from './billed-logs.ts'
import type { CallFilter, CallName, KnownCall } from './calls.ts'
import type { CallInSession, FileCall, FileCallFilter, TouchedFile, TurnOfCall } from './file-calls.ts'
import type { Holder, SessionPlace, SharedHoldings } from './holdings.ts'
import type { LastResponse } from './last-response.ts'
import type { LogNote } from './log-notes.ts'
import type { RowFilter } from './places.ts'
import type { SessionInfo } from './session-info.ts'
import type { ResponsePage, SpendingFilter, SpentTokens } from './spending.ts'
import type { TitledSession } from './titles.ts'
import type { KnownTurn } from './turns.ts'
import type { UnindexedLog } from './unindexed-logs.ts'

/**
 * Everything `history` asks of the tables: plain data in, a promise of plain data out. The local index and each team store
 * implement it. A query never reads logs into tables; `History.refresh` does that first.
 */
export interface HistoryQueries {
  readonly sessions: SessionQueries
  readonly spending: SpendingQueries
  readonly search: SearchQueries
  readonly calls: CallQueries
}

export interface SessionQueries {
  /** Sessions by family key: all, or at least those with the given ids. */
  infos(ids?: readonly string[]): Promise<ReadonlyMap<string, SessionInfo>>
  /** Logs that exist, newest first: all, or those at the given paths. */
  logs(paths?: readonly string[]): Promise<readonly LogNote[]>
  /** Family keys of sessions whose first records contain an id that starts with `idStart`. */
  naming(idStart: string): Promise<ReadonlySet<string>>
  /** Titles by family key; sessions without a log of their own are left out. */
  titles(keys: readonly string[]): Promise<ReadonlyMap<string, TitledSession>>
  /** Turns by the path of the session's log: of all logs, or of some. */
  turns(paths?: readonly string[]): Promise<ReadonlyMap<string, readonly KnownTurn[]>>
  /** Sessions that hold rows which other logs refer to, by row uuid. */
  ofRows(uuids: readonly string[]): Promise<ReadonlyMap<string, SessionPlace>>
}

export interface SpendingQueries {
  /** Tokens spent, each response once, for the log that owns it. */
  tokens(filter?: SpendingFilter): Promise<readonly SpentTokens[]>
  /** One page of responses, and the id to continue after. */
  page(page: ResponsePage): Promise<{ readonly rows: readonly SpentTokens[]; readonly last: number }>
  /** Responses that logs hold and other logs own. */
  inherited(logs?: readonly number[]): Promise<readonly SpentTokens[]>
  /** What all logs of a session spent, lost ones included. */
  bySession(session: { root: string; project: string; id: string }): Promise<readonly SpentTokens[]>
  /** The logs that count, with the session of each. */
  logs(filter?: BilledFilter): Promise<readonly BilledLogRow[]>
  /** The models of all responses. */
  models(): Promise<readonly string[]>
  /** Start of the last quarter of an hour in which something was spent, in milliseconds. */
  lastSpentAt(): Promise<number | undefined>
  /** The last response of a log, with the tokens in its context window. */
  lastResponse(path: string): Promise<LastResponse | undefined>
  /** The logs that hold each of some responses, the owner first. */
  holders(keys: readonly number[]): Promise<ReadonlyMap<number, readonly Holder[]>>
  /** Sessions that share responses, and their unmarked holdings. */
  shared(): Promise<SharedHoldings>
}

/** What to search for: a query in the text index, and records that were found in the logs themselves. */
export interface Sought {
  readonly query?: Query | undefined
  readonly candidates?: readonly Candidate[] | undefined
}

export interface SearchQueries {
  /** Records by their text and by filters. */
  docs(sought: Sought, filter: SearchFilter, options: SearchOptions): Promise<SearchResult>
  /** The logs that a filter selects. */
  logs(filter?: SearchFilter): Promise<ReadonlyMap<number, SearchedLog>>
  /** Logs whose text is not indexed as far as their facts, oldest first. */
  unindexed(): Promise<readonly UnindexedLog[]>
  /** The names of all tools that were called. */
  tools(): Promise<readonly string[]>
}

export interface CallQueries {
  /** Tool calls by the path of their log. */
  byLog(filter?: CallFilter): Promise<ReadonlyMap<string, readonly KnownCall[]>>
  /** Where calls were made; `undefined` for those that are not known. */
  places(calls: readonly CallName[]): Promise<readonly (RowPlace | undefined)[]>
  /** Where rows of some kinds are, by the path of their log. */
  rows(filter: RowFilter): Promise<ReadonlyMap<string, readonly RowPlace[]>>
  /** Rows, responses and tree rows of all logs, by path. */
  activity(): Promise<ReadonlyMap<string, LogActivity>>
  /** The files that calls of some tools are about. */
  touchedFiles(tools: readonly string[]): Promise<readonly TouchedFile[]>
  /** Calls about some files, or calls that contain some words. */
  onFiles(filter: FileCallFilter): Promise<readonly FileCall[]>
  /** The turns that calls belong to. */
  turns(calls: readonly CallInSession[]): Promise<readonly (TurnOfCall | undefined)[]>
}
