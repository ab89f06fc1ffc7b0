import type { RowEvidence } from './evidence.ts'
import type { UsageRow } from './usage.ts'

/** A response as a straight log holds it: plain data. */
export interface StraightResponse {
  readonly first: UsageRow
  /** The row whose numbers count: the one with the most output, of equal ones a final one. */
  readonly kept: UsageRow
  readonly rows: number
  /** Where its last row begins. */
  readonly lastOffset: number
  readonly evidence: RowEvidence
  /** In milliseconds; `null` where its first row has no time. */
  readonly at: number | null
  readonly turn: number
}

/** Gathers the responses of a log, each with all its rows. */
export class StraightResponses {
  readonly #held = new Map<string, StraightResponse>()
  #last: StraightResponse | null
  readonly #before: StraightResponse | null

  /** `before` is the last response of what was read before: it may go on. */
  constructor(before: StraightResponse | null = null) {
    this.#before = before
    this.#last = before
    if (before) this.#held.set(before.first.messageId, before)
  }

  get last(): StraightResponse | null {
    return this.#last
  }

  /** Adds a row; says no where it names another request than the rows before: that takes a look at all logs. */
  add(row: UsageRow, evidence: RowEvidence, at: number, turn: number): boolean {
    const held = this.#held.get(row.messageId)
    this.#last = held ? joined(held, row) : begun(row, evidence, at, turn)
    this.#held.set(row.messageId, this.#last)
    return !held || row.requestId === held.first.requestId
  }

  /** The responses that got a row. */
  changed(): readonly StraightResponse[] {
    return [...this.#held.values()].filter((one) => one !== this.#before)
  }
}

function begun(row: UsageRow, evidence: RowEvidence, at: number, turn: number): StraightResponse {
  const time = Number.isNaN(at) ? null : at
  return { first: row, kept: row, rows: 1, lastOffset: row.place.offset, evidence, at: time, turn }
}

function joined(held: StraightResponse, row: UsageRow): StraightResponse {
  const { first, kept, rows, evidence, at, turn } = held
  const isMore = row.outputTokens > kept.outputTokens
  const isFinal = row.outputTokens === kept.outputTokens && kept.isPlaceholder && !row.isPlaceholder
  const counts = isMore || isFinal ? row : kept
  return { first, kept: counts, rows: rows + 1, lastOffset: row.place.offset, evidence, at, turn }
}
