import type { Source } from '../disk/source.ts'
import type { Choices } from './choices.ts'
import type { IgnoreTest } from './ignore.ts'
import type { ReadingOptions } from './reading.ts'
import type { RowMaker } from './record-row.ts'
import type { Clock } from './retry.ts'
import type { Batch, Delivery, Machine, Sink, SinkTrouble } from './sink.ts'
import type { StateStore } from './state.ts'

/** What a collector works with. */
export interface CollectorOptions {
  readonly sink: Sink
  /** The roots with what the archive still has of them. */
  readonly source: Source
  readonly machine: Machine
  readonly maker: RowMaker
  readonly choices: Choices
  readonly destination: string
  readonly state: StateStore
  readonly isIgnored?: IgnoreTest
  /** Sessions that were purged, by their hashes. */
  readonly tombstones?: () => readonly string[]
  readonly clock?: Clock
  /** How often a delivery is tried; for ever by default. */
  readonly attempts?: number
  readonly limits?: Partial<Limits>
  readonly reading?: ReadingOptions
  /** Compare every byte that was read, whatever sizes and times say. */
  readonly thorough?: boolean
  /** Called when a batch was made and is about to leave; what it aborts does not leave. */
  readonly beforeDelivery?: () => void
  readonly onNotice?: (message: string) => void
  readonly onBatch?: (batch: Batch, delivery: Delivery) => void
  readonly onTrouble?: (trouble: SinkTrouble, waitMs: number) => void
}

/** How much is done at once. */
export interface Limits {
  readonly batchBytes: number
  readonly batchRows: number
  /** How long a delivery that is under way may go on after the signal to stop. */
  readonly stopMs: number
  /** How long what was delivered may stay unremembered; the sink knows it anyway. */
  readonly saveMs: number
}

/** What holds unless a test says otherwise. */
export const LIMITS: Limits = { batchBytes: 4 * 1024 * 1024, batchRows: 2_000, stopMs: 1_500, saveMs: 5_000 }
