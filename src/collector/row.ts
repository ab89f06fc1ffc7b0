import type { Tokens } from '../core/usage/usage.ts'

/** Where a row was read: on which machine, in which generation of which file. With `offset` the key that never repeats. */
export interface Origin {
  /** Made once per machine at random; says nothing about it. */
  readonly machine: string
  /** The file below its root, as it is or hashed, as was chosen. */
  readonly file: string
  /** Counted from 1: a file that was rewritten begins a new one. */
  readonly generation: number
}

/**
 * A record of a log as a team has it: its key, whose it is, the facts that were derived from it at the source, and as much
 * of its content as was chosen. Flat and of plain types, so that any table can hold it.
 */
export interface TeamRow extends Origin {
  /** Where the record is in its file: grows from record to record, and tells no lengths. See `row-place.ts`. */
  readonly offset: number
  readonly line: number
  /** Bytes of the record in its file, before anything was masked; 0 where that may not leave. */
  readonly length: number

  readonly user: string | null
  /** The project's path, its hash, or null, as was chosen. */
  readonly project: string | null
  readonly session: string | null
  readonly agent: string | null

  /** ISO 8601, UTC; null where the record has none. */
  readonly timestamp: string | null
  readonly type: string
  readonly kind: string | null
  readonly role: string | null
  readonly uuid: string | null
  readonly parentUuid: string | null
  readonly version: string | null
  readonly gitBranch: string | null

  readonly messageId: string | null
  readonly requestId: string | null
  readonly model: string | null
  /** Tokens by kind where the record carries them, as the client wrote them: readers count each response once. */
  readonly tokens: Tokens | null
  /** Tool calls and their results, in order. */
  readonly tools: readonly RowTool[]
  readonly isError: boolean

  /**
   * The record as one JSON line without newline, masked, with as much content as was chosen; always a record of the same
   * format, so that whoever has the rows can read them as a log. As bytes: texts hold NUL and lone surrogates.
   */
  readonly content: Uint8Array
  /** Says that two rows have the same content, whatever machine they come from. */
  readonly contentHash: string
}

/** A tool call, or its result, by the id they share. */
export interface RowTool {
  readonly id: string
  /** Null in a result: the call names the tool. */
  readonly name: string | null
  readonly file: string | null
  readonly isResult: boolean
  readonly isError: boolean | null
}

/** A small file that is taken whole whenever its content changed. */
export interface TeamDocument {
  readonly machine: string
  readonly user: string | null
  readonly project: string | null
  readonly session: string | null
  readonly file: string
  /** `meta`, `sessions-index`, `stats-cache`, `todos`, `tasks`, `plan`, `memory`, `tool-result`, `checkpoint`. */
  readonly kind: string
  readonly modifiedAt: string
  readonly content: Uint8Array
  readonly contentHash: string
}
