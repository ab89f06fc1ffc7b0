import { Failure } from '../core/failure.ts'
import type { Cursor } from '../disk/cursor.ts'
import type { Origin, TeamDocument, TeamRow } from './row.ts'

/** A machine as it makes itself known. */
export interface Machine {
  readonly id: string
  readonly user: string | null
  /** The name people know it by; null where none may leave. */
  readonly name: string | null
}

/** How far a file has been delivered. The sink keeps it with the rows it stands for, in one transaction where it can. */
export interface Mark extends Origin {
  /** All records before it were delivered. */
  readonly offset: number
  /** The collector's own cursor, for a machine that lost its state. Names paths only where paths may leave. */
  readonly cursor: Cursor | null
}

/** What is delivered at once: rows in the order of their files, and how far that brings each file. */
export interface Batch {
  /** The same batch sent again has the same id. */
  readonly id: string
  readonly machine: Machine
  readonly rows: readonly TeamRow[]
  readonly documents: readonly TeamDocument[]
  readonly marks: readonly Mark[]
  /** Sessions that were purged: their rows go, and none of them is taken again. Hashed ids. */
  readonly tombstones: readonly string[]
  /** The tombstones are of this machine alone: what other machines sent of the same sessions stays. A receiver says so. */
  readonly isOwnPurge?: boolean
}

/** A row that a sink will never take, and why. It is kept apart, and the rest goes through. */
export interface DeadLetter extends Origin {
  readonly offset: number
  readonly reason: string
}

/** What became of a batch. */
export interface Delivery {
  /** Rows that are there now and were not before; the others were delivered earlier. */
  readonly added: number
  readonly deadLetters: readonly DeadLetter[]
  /** Sessions that were purged elsewhere: the sink took none of their rows, and the machine should forget them too. */
  readonly refused: readonly string[]
  /** What of the batch was not done and why, in sentences for the person. */
  readonly notices?: readonly string[]
}

/** Said where a machine purges what it never sent: others may have. */
export const NOT_ITS_OWN =
  'A session that was purged is not among what this machine had sent: what other machines sent of it stays.'

/**
 * Where rows go. A delivery is whole or has not happened; one whose answer was lost is sent again and changes nothing.
 * One suite of tests holds every sink to this.
 */
export interface Sink {
  /** Makes what must be there (folders, tables), or fails with a sentence. */
  open(machine: Machine): Promise<void>
  /** How far the sink has each file of the machine: the truth, where it and the machine disagree. */
  marks(machine: string): Promise<readonly Mark[]>
  /** Fails with a `SinkTrouble` that says whether to try again. */
  deliver(batch: Batch): Promise<Delivery>
  /** Asks the destination whether it is there, and fails where it is not. */
  check?(): Promise<void>
  close(): Promise<void>
}

/** A delivery that failed. What passes by itself (no connection, 503) is tried again; what does not, stops the run. */
export class SinkTrouble extends Error {
  readonly passes: boolean
  /** What to do about it. */
  readonly hint: string | undefined
  /** How long the sink asked to be left alone. */
  readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    options: {
      readonly passes: boolean
      readonly hint?: string
      readonly retryAfterMs?: number
      readonly cause?: unknown
    },
  ) {
    super(message, { cause: options.cause })
    this.name = 'SinkTrouble'
    this.passes = options.passes
    this.hint = options.hint
    this.retryAfterMs = options.retryAfterMs
  }
}

/** What went wrong with a store, for whoever asked at the command line. */
export function troubleAsFailure(error: unknown): unknown {
  if (!(error instanceof SinkTrouble)) return error
  return new Failure('CANNOT_RUN', error.message, {
    ...(error.hint !== undefined && { hint: error.hint }),
    cause: error,
  })
}
