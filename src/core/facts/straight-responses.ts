import type { UsageRow } from '../usage/usage.ts'
import type { RowEvidence } from './evidence.ts'

/** A response as a straight log holds it: plain data. */
export interface StraightResponse {
  readonly first: UsageRow
  /** The row whose numbers count: the one with the most output, of equal ones a final one. */
  readonly kept: UsageRow
  readonly request: string | null
  readonly rows: number
  /** Where its last row begins. */
  readonly lastOffset: number
  readonly evidence: RowEvidence
  /** In milliseconds; `null` where its first row has no time. */
  readonly at: number | null
  readonly turn: number
  readonly isAbandoned: false
}

type Held = { -readonly [K in keyof StraightResponse]: StraightResponse[K] }

/** Gathers the responses of a log, each with all its rows. */
export class StraightResponses {
  readonly #held = new Map<string, Held>()
  readonly #rowsBefore: number
  #last: Held | null

  /** `before` is the last response of what was read before: it may go on. */
  constructor(before: StraightResponse | null = null) {
    this.#rowsBefore = before?.rows ?? 0
    this.#last = before
    if (before) this.#held.set(before.first.messageId, before)
  }

  get last(): StraightResponse | null {
    return this.#last
  }

  /** Adds a row; says no where it names another request than the rows before: that takes a look at all logs. */
  add(row: UsageRow, evidence: RowEvidence, at: number, turn: number): boolean {
    const held = this.#held.get(row.messageId)
    if (held) join(held, row)
    this.#last = held ?? begun(row, evidence, at, turn)
    if (!held) this.#held.set(row.messageId, this.#last)
    return row.requestId === this.#last.first.requestId
  }

  /** The responses that got a row. */
  changed(): readonly StraightResponse[] {
    const all = [...this.#held.values()]
    return this.#rowsBefore > 0 && all[0]?.rows === this.#rowsBefore ? all.slice(1) : all
  }
}

function begun(row: UsageRow, evidence: RowEvidence, at: number, turn: number): Held {
  return {
    first: row,
    kept: row,
    request: row.requestId || null,
    rows: 1,
    lastOffset: row.place.offset,
    evidence,
    at: Number.isNaN(at) ? null : at,
    turn,
    isAbandoned: false,
  }
}

function join(held: Held, row: UsageRow): void {
  const { kept } = held
  const isMore = row.outputTokens > kept.outputTokens
  const isFinal = row.outputTokens === kept.outputTokens && kept.isPlaceholder && !row.isPlaceholder
  if (isMore || isFinal) held.kept = row
  held.rows += 1
  held.lastOffset = row.place.offset
}
