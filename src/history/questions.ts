import type { Query } from '../core/search/query.ts'
import type { SourceEntry } from '../disk/source.ts'
import { activityByLog, type LogActivity } from '../index/activity.ts'
import { type CallFilter, callPlace, callsByLog, type KnownCall } from '../index/calls.ts'
import type { Database } from '../index/driver.ts'
import {
  type Holder,
  holdersOf,
  inheritedBy,
  type SessionPlace,
  sharingSessions,
  unmarkedHoldings,
} from '../index/holdings.ts'
import { type LastResponse, lastResponse } from '../index/last-response.ts'
import { sessionOfRow } from '../index/links.ts'
import { type LogNote, logNotes } from '../index/log-notes.ts'
import { placesByLog, type RowFilter } from '../index/places.ts'
import type { FoundElsewhere } from '../index/search/found-docs.ts'
import type { Sought } from '../index/search/matching-docs.ts'
import { type SearchOptions, type SearchResult, searchDocs } from '../index/search/search.ts'
import type { SearchFilter } from '../index/search/searched-logs.ts'
import type { RowPlace } from '../index/text-batch.ts'
import { type KnownTurn, turnsByLog } from '../index/turns.ts'
import { type SessionInfo, sessionInfos } from './info.ts'
import { type TitledSession, titlesOf } from './titles.ts'
import type { PriceBook } from './usage/price-book.ts'
import {
  inheritances,
  ownedResponses,
  type Spending,
  type SpendingFilter,
  spendings,
  spendingsOf,
} from './usage/spending.ts'

/** What lists, sums, search and statistics ask, in plain data. The index answers; whoever else can may stand in its place. */
export interface Questions {
  /** All sessions that any log is known of, by what they are known by. */
  sessions(): ReadonlyMap<string, SessionInfo>
  /** What all logs say of themselves, the newest first. */
  logs(): readonly LogNote[]
  /** The turns of each session, by the path of its log; or those of some logs. */
  turns(paths?: readonly string[]): ReadonlyMap<string, readonly KnownTurn[]>
  /** What logs spent: by quarters of an hour, one by one, of some logs, or what they only inherited. */
  spending(book: PriceBook, which?: WhichSpending): Spending[]
  /** The responses that some logs own, by their numbers. */
  responses(logs: readonly number[]): readonly number[]
  /** Who holds responses beside their owners. */
  holdings(): Holdings
  /** The calls of tools by the paths of their logs, of some tools or of all. */
  calls(filter?: CallFilter): ReadonlyMap<string, readonly KnownCall[]>
  /** Where rows stand that are read back from their logs. */
  places(filter: RowFilter): ReadonlyMap<string, readonly RowPlace[]>
  /** What was said and answered in each log, by its path. */
  activity(): ReadonlyMap<string, LogActivity>
  /** The last response of a log, and how much stood in the model's window then. */
  lastResponse(path: string): LastResponse | undefined
  /** Where a call of a log was made, by the id of the call. */
  callPlace(path: string, toolUseId: string): RowPlace | undefined
  /** The session that holds a row, by the row's uuid: of rows that other logs name. */
  sessionOfRow(uuid: string): { readonly root: string; readonly project: string; readonly session: string } | undefined
  /** What sessions are called, by what they are known by: those of these that have a log of their own. */
  titles(keys: Iterable<string>): ReadonlyMap<string, TitledSession>
  /** Records by their words and by what filters say. */
  search(sought: Sought, filter: SearchFilter, options: SearchOptions): SearchResult
}

/** A history that lies elsewhere, as in a team store: the same tables and questions, fetched when they are asked for. */
export interface Elsewhere {
  /** The tables of an index; what a query needs of them is there when it is prepared. */
  tables(): Database
  /** The same questions, with no more fetched than each is about. */
  questions(): Questions
  /** The models that there are responses of. */
  models(): readonly string[]
  /** How many records have some words, and the newest of them, as many as are wanted and more. */
  find(query: Query, filter: SearchFilter, wanted: number): FoundElsewhere
  /** Has logs lie on this disk, so that others can read them there. */
  bringHere(logs: readonly SourceEntry[]): void
  close(): void
}

/** Which spending is meant: what logs own, that of some responses of theirs one by one, or what is inherited. */
export type WhichSpending =
  | SpendingFilter
  | { readonly of: readonly number[]; readonly responses: readonly number[] }
  | { readonly inherited: true; readonly only?: readonly number[] | undefined }

/** Who holds responses; these are known by a number that all their holdings share. */
export interface Holdings {
  /** The owner first. */
  readonly holders: (key: number) => readonly Holder[]
  /** What a log holds and another owns. */
  readonly inheritedBy: (path: string) => ReadonlySet<number>
  readonly sharingSessions: () => readonly SessionPlace[]
  /** What is marked as a copy is left out. */
  readonly unmarked: () => readonly (SessionPlace & { readonly key: number })[]
}

/** The index answers. */
export function indexQuestions(database: Database): Questions {
  return {
    sessions: () => sessionInfos(database),
    logs: () => logNotes(database),
    turns: (paths) => turnsByLog(database, paths),
    spending: (book, which = {}) => {
      if ('of' in which) return spendingsOf(database, book, which.responses)
      return 'inherited' in which ? inheritances(database, book, which.only) : spendings(database, book, which)
    },
    responses: (logs) => ownedResponses(database, logs),
    holdings: () => ({
      holders: holdersOf(database),
      inheritedBy: (path) => inheritedBy(database, path),
      sharingSessions: () => sharingSessions(database),
      unmarked: () => unmarkedHoldings(database),
    }),
    calls: (filter) => callsByLog(database, filter),
    places: (filter) => placesByLog(database, filter),
    activity: () => activityByLog(database),
    lastResponse: (path) => lastResponse(database, path),
    callPlace: (path, toolUseId) => callPlace(database, path, toolUseId),
    sessionOfRow: (uuid) => sessionOfRow(database, uuid),
    titles: (keys) => titlesOf(database, keys),
    search: (sought, filter, options) => searchDocs(database, sought, filter, options),
  }
}
