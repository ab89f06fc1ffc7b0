import type { UsageRow } from '../usage/usage.ts'
import type { LogEvidence, RowEvidence } from './evidence.ts'
import { type ResponseRow, type ResponseRows, responseRows, setCounted, startResponse } from './response-rows.ts'

/** Gathers the responses of a log, each with all its rows. */
export class StraightResponses {
  readonly #byMessage = new Map<string, ResponseRow>()
  readonly #before: ResponseRow | null
  #last: ResponseRow | null

  /** `before` is the response of the last row that was read before: it may go on. */
  constructor(before: ResponseRow | null = null) {
    this.#before = before
    this.#last = before && { ...before }
    if (this.#last) this.#byMessage.set(this.#last.message, this.#last)
  }

  /** The response of the last row. */
  get last(): ResponseRow | null {
    return this.#last
  }

  /** Adds a row; gives false where it names another request than the rows before: that takes a look at all logs. */
  add(row: UsageRow, evidence: RowEvidence, at: number, turn: number): boolean {
    const known = this.#byMessage.get(row.messageId)
    this.#last = known ?? startResponse(row, evidence, at, turn)
    if (!known) {
      this.#byMessage.set(row.messageId, this.#last)
      return true
    }
    known.rows += 1
    known.last_offset = row.place.offset
    if (counts(row, known)) setCounted(known, row)
    return row.requestId === (known.request ?? '')
  }

  /** The responses that got a row. `log` is what the whole log tells of who made them. */
  changed(log: LogEvidence, file: string): ResponseRows {
    const before = this.#before
    const all = [...this.#byMessage.values()]
    return responseRows(
      all.filter(({ message, rows }) => message !== before?.message || rows > before.rows),
      log,
      file,
    )
  }
}

/** The row with the most output counts, of equal ones a final one. */
function counts(row: UsageRow, { output, placeholder }: ResponseRow): boolean {
  return row.outputTokens > output || (row.outputTokens === output && placeholder === 1 && !row.isPlaceholder)
}
