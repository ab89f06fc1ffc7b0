import type { UsageRow } from '../usage/usage.ts'
import type { LogEvidence, RowEvidence } from './evidence.ts'
import { type ResponseRow, type ResponseRows, ResponseTable } from './response-rows.ts'

/** Gathers the responses of a log, each with all its rows. */
export class StraightResponses {
  readonly #table = new ResponseTable()
  readonly #indexOf = new Map<string, number>()
  readonly #rowsBefore: number
  /** The index of the response of the last row; -1 before the first. */
  #last = -1

  /** `before` is the response of the last row that was read before: it may go on. */
  constructor(before: ResponseRow | null = null) {
    this.#rowsBefore = before?.numbers.rows ?? 0
    if (!before) return
    this.#last = this.#table.put(before)
    this.#indexOf.set(before.message, this.#last)
  }

  /** A copy of the response of the last row. */
  last(): ResponseRow | null {
    return this.#last === -1 ? null : this.#table.row(this.#last)
  }

  /** Adds a row; gives false where it names another request than the rows before: that takes a look at all logs. */
  add(row: UsageRow, evidence: RowEvidence, at: number, turn: number): boolean {
    const table = this.#table
    const known = this.#indexOf.get(row.messageId)
    if (known === undefined) {
      this.#last = table.start(row, evidence, at, turn)
      this.#indexOf.set(row.messageId, this.#last)
      return true
    }
    this.#last = known
    table.set(known, 'rows', table.get(known, 'rows') + 1)
    table.set(known, 'last_offset', row.place.offset)
    if (this.#counts(row, known)) table.count(known, row)
    return row.requestId === (table.requestOf(known) ?? '')
  }

  /** The responses that got a row. `log` is what the whole log tells of who made them. */
  changed(log: LogEvidence, file: string): ResponseRows {
    const isFirstAsBefore = this.#rowsBefore > 0 && this.#table.get(0, 'rows') === this.#rowsBefore
    return this.#table.rows(log, file, isFirstAsBefore ? 1 : 0)
  }

  /** The row with the most output counts, of equal ones a final one. */
  #counts(row: UsageRow, known: number): boolean {
    const output = this.#table.get(known, 'output')
    if (row.outputTokens !== output) return row.outputTokens > output
    return this.#table.get(known, 'placeholder') === 1 && !row.isPlaceholder
  }
}
