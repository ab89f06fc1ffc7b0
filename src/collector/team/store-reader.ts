import type { Query } from '../../core/search/query.ts'
import type { Columns } from '../../index/driver.ts'
import type { RemoteHits } from '../../index/search/remote-docs.ts'
import type { SearchFilter } from '../../index/search/searched-logs.ts'
import type { StoredFacts } from './log-facts.ts'

/**
 * What a team store is asked, as whoever asks may see it: rows of the tables that the index of one's own logs has, as few as a
 * question needs. Every call is synchronous. `logs` are numbers that the store gave.
 */
export interface StoreReader {
  /** Who the store is, for people. */
  readonly shown: string
  logs(): readonly StoredLog[]
  /** Begins to ask what is known of some logs, or of all, and gives what waits for it. */
  facts(logs?: readonly number[]): () => readonly { readonly log: number; readonly facts: StoredFacts }[]
  documents(): readonly StoredDocument[]
  /** What is told by the small files that lists need, by machine and file. */
  sidecars(): readonly { readonly machine: string; readonly file: string; readonly text: string }[]
  /** Which of some rows stand in which logs: of keys as `storedKey` writes them. */
  keyHolders(keys: readonly number[]): readonly { readonly log: number; readonly key: number }[]
  /**
   * The responses that several logs hold; each of the others; and sums of the others by quarters of an hour. These are many, and come column by
   * column: the columns of `response` and `bucket`, with names as texts, in the order of their logs.
   */
  sharedResponses(): Columns
  responses(which: WhichHeld, columns?: readonly string[]): Columns
  sums(which: WhichHeld): Columns
  /** `turns` and `calls` are what `LogFacts` has, as JSON. */
  turns(logs?: readonly number[]): readonly { readonly log: number; readonly text: string }[]
  calls(logs?: readonly number[]): readonly { readonly log: number; readonly text: string }[]
  trees(logs?: readonly number[]): readonly { readonly log: number; readonly packed: Uint8Array }[]
  /** Begins to look for records with some words, and gives what waits for how many there are, and for so many of the newest. */
  find(query: Query, filter: SearchFilter, logs: readonly number[] | undefined, most: number): () => RemoteHits
  /** Where each record of some logs begins: in the log as the store has it, and in the file that it came from. */
  offsets(logs: readonly number[]): readonly { readonly log: number; readonly offsets: Float64Array }[]
  /** Records by where they began in the file that they came from, from one up to another. */
  records(log: number, from: number, to: number): readonly { readonly offset: number; readonly content: Uint8Array }[]
  /** Single records by where they began in the files that they came from, in any order. */
  recordsAt(places: readonly RecordPlace[]): readonly (RecordPlace & { readonly content: Uint8Array })[]
  document(machine: string, file: string): Uint8Array | undefined
  close(): void
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

/** The facts of so few logs are asked for together, ahead of who needs some of them. */
export const FEW_LOGS = 1_000

/** Records beyond so many, the newest, are not counted. */
export const MOST_LOOKED_AT = 200_000

/** Of what is counted so many of the newest are told, unless more are wanted: a page of some sessions is made of these. */
export const MOST_LISTED = 5_000

/** Nothing was found. */
export const NOTHING_FOUND: RemoteHits = { docs: [], counts: [], total: 0 }
