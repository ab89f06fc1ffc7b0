import type { Query } from '../../core/search/query.ts'
import type { SqlValue } from '../../index/driver.ts'
import type { RemoteHits } from '../../index/search/remote-docs.ts'
import type { SearchFilter } from '../../index/search/searched-logs.ts'
import type { StoredFacts } from './log-facts.ts'

/**
 * Queries to a team store, answered as the reader may see it: rows of the tables that a local index has, as few as a question
 * needs. Queries may be sent before earlier ones are answered. `logs` are the ids that `logs()` returned.
 */
export interface StoreReader {
  /** The address of the store, for people. */
  readonly shown: string
  /** All logs. Called first, and again when the store may have changed. */
  logs(): Promise<readonly StoredLog[]>
  /** Facts of some logs, or of all. */
  facts(logs?: readonly number[]): Promise<readonly { readonly log: number; readonly facts: StoredFacts }[]>
  documents(): Promise<readonly StoredDocument[]>
  /** Contents of the small files that lists need. */
  sidecars(): Promise<readonly { readonly machine: string; readonly file: string; readonly text: string }[]>
  /** The logs that hold some rows, by keys as `storedKey` writes them. */
  keyHolders(keys: readonly number[]): Promise<readonly { readonly log: number; readonly key: number }[]>
  /** Responses that several logs hold, with the columns of the table `response` and names as text, in the order of their logs. */
  sharedResponses(): Promise<Columns>
  /** Responses that one log holds: the same columns, or some of them. */
  responses(which: WhichHeld, columns?: readonly string[]): Promise<Columns>
  /** Sums of these by quarter of an hour, with the columns of the table `bucket`. */
  sums(which: WhichHeld): Promise<Columns>
  /** `turns` and `calls` of `LogFacts`, as JSON. */
  turns(logs?: readonly number[]): Promise<readonly { readonly log: number; readonly text: string }[]>
  calls(logs?: readonly number[]): Promise<readonly { readonly log: number; readonly text: string }[]>
  trees(logs?: readonly number[]): Promise<readonly { readonly log: number; readonly packed: Uint8Array }[]>
  /** Finds records by their words: how many there are, and the newest `most` of them. */
  find(query: Query, filter: SearchFilter, logs: readonly number[] | undefined, most: number): Promise<RemoteHits>
  /** Where each record of some logs begins: in the log as the store has it, and in the file that it came from. */
  offsets(logs: readonly number[]): Promise<readonly { readonly log: number; readonly offsets: Float64Array }[]>
  /** Up to a thousand records of a log, by where they began in the file that they came from. */
  records(log: number, from: number, to: number): Promise<readonly StoredRecord[]>
  /** Single records by where they began in the files that they came from, in any order. */
  recordsAt(places: readonly RecordPlace[]): Promise<readonly (RecordPlace & StoredRecord)[]>
  document(machine: string, file: string): Promise<Uint8Array | undefined>
  close(): void
}

/** Rows column by column: thousands take a fraction of the time and the bytes. */
export type Columns = Readonly<Record<string, readonly SqlValue[]>>

/** A record, and where it began in the file that it came from. */
export interface StoredRecord {
  readonly offset: number
  readonly content: Uint8Array
}

/** A log as a store lists it. */
export interface StoredLog {
  readonly id: number
  readonly machine: string
  readonly file: string
  readonly place: string
  readonly generation: number
  readonly reached: number
  readonly bytes: number
  readonly records: number
  readonly lastAt: number | null
  /** Whether anything is known of it: else it is no log of a session. */
  readonly hasFacts: boolean
  /** Whether it has summaries, which are titles of other logs as a rule. */
  readonly hasSummaries: boolean
}

/** A document as a store lists it. */
export interface StoredDocument {
  readonly machine: string
  readonly file: string
  readonly bytes: number
  readonly modifiedAt: number | null
  readonly hash: string
}

/** Of which logs, and since when: what is later, or in some logs; or in no others than some. */
export interface WhichHeld {
  readonly since?: number | undefined
  readonly logs?: readonly number[]
  readonly only?: readonly number[] | undefined
}

/** A record by where it began in the file that it came from. */
export interface RecordPlace {
  readonly log: number
  readonly offset: number
}

/** Up to this number of logs, the facts of all are fetched at once. */
export const FEW_LOGS = 1_000

/** Records beyond so many, the newest, are not counted. */
export const MOST_LOOKED_AT = 200_000

/** Of what is counted so many of the newest are told, unless more are wanted: a page of some sessions is made of these. */
export const MOST_LISTED = 5_000

/** Nothing was found. */
export const NOTHING_FOUND: RemoteHits = { docs: [], counts: [], total: 0 }
