import * as skim from '../skim/layout.ts'
import type { UsageRow } from '../usage/usage.ts'
import { isOfAnother, type LogEvidence, type RowEvidence, sessionByPlace } from './evidence.ts'
import { numberIndex, RESPONSE_NUMBERS, type ResponseRows } from './response-rows.ts'
import type { SkimmedRows } from './row-facts.ts'

/** The last response of a straight log, which may go on: plain data. */
export interface LastResponse {
  readonly message: string
  readonly request: string
  readonly session: string | null
  readonly model: string
  readonly geo: string | null
  /** `RESPONSE_NUMBERS`, `null` for none. */
  readonly numbers: readonly (number | null)[]
}

const WIDTH = RESPONSE_NUMBERS.length
const [ROWS, OUTPUT, LAST_OFFSET, MARKED] = (['rows', 'output', 'last_offset', 'marked'] as const).map(numberIndex) as [
  number,
  number,
  number,
  number,
]
const [FORKED, NAMED, FAST, PLACEHOLDER] = (['forked', 'named', 'fast', 'placeholder'] as const).map(numberIndex) as [
  number,
  number,
  number,
  number,
]

/** Gathers the responses of a log, each with all its rows, by columns: a log may have very many. */
export class StraightResponses {
  readonly #messages: string[] = []
  readonly #requests: string[] = []
  readonly #sessions: (string | null)[] = []
  readonly #models: string[] = []
  readonly #geos: (string | null)[] = []
  readonly #indexOf = new Map<string, number>()
  readonly #rowsBefore: number
  #numbers = new Float64Array(16 * WIDTH)
  /** The response of the last row. */
  #last = -1

  /** `before` is the last response of what was read before. */
  constructor(before: LastResponse | null = null) {
    this.#rowsBefore = before?.numbers[ROWS] ?? 0
    if (!before) return
    this.#name(before.message, before.request, before.session, before.model, before.geo)
    this.#numbers.set(before.numbers.map((number) => number ?? Number.NaN))
  }

  get last(): LastResponse | null {
    const i = this.#last
    if (i === -1) return null
    const numbers = Array.from(this.#numbers.subarray(i * WIDTH, (i + 1) * WIDTH), (n) => (Number.isNaN(n) ? null : n))
    return {
      message: this.#messages[i] as string,
      request: this.#requests[i] as string,
      session: this.#sessions[i] as string | null,
      model: this.#models[i] as string,
      geo: this.#geos[i] as string | null,
      numbers,
    }
  }

  /** Adds a row; says no where it names another request than the rows before: that takes a look at all logs. */
  add(row: UsageRow, evidence: RowEvidence, at: number, turn: number): boolean {
    const known = this.#indexOf.get(row.messageId)
    if (known === undefined) {
      this.#begin(row, evidence, at, turn)
      return true
    }
    this.#last = known
    this.#addRow(known, row.place.offset)
    this.#keep(known, row)
    return row.requestId === this.#requests[known]
  }

  /** Adds a row with the ids of the response that the last row was of. */
  goOn(rows: SkimmedRows, row: number): void {
    this.#addRow(this.#last, rows.offset(row))
    const from = this.#last * WIDTH
    const output = rows.doubles[(row * skim.ROW_WORDS) / 2 + skim.OUTPUT_TOKENS] as number
    const more = output - (this.#numbers[from + OUTPUT] as number)
    // Nearly all rows of a response say the same.
    if (more > 0 || (more === 0 && this.#numbers[from + PLACEHOLDER] === 1)) this.#keep(this.#last, rows.usage(row))
  }

  #addRow(index: number, offset: number): void {
    const from = index * WIDTH
    this.#numbers[from + ROWS] = (this.#numbers[from + ROWS] as number) + 1
    this.#numbers[from + LAST_OFFSET] = offset
  }

  /** The responses that got a row. `log` is what the whole log tells of who made them. */
  changed(log: LogEvidence, file: string): ResponseRows {
    const from = this.#rowsBefore > 0 && this.#numbers[ROWS] === this.#rowsBefore ? 1 : 0
    const place = sessionByPlace(file)
    for (let i = from; i < this.#messages.length; i++) {
      const session = this.#sessions[i] as string | null
      const at = i * WIDTH
      this.#numbers[at + MARKED] = Number(this.#numbers[at + FORKED] === 1 || isOfAnother(session, log))
      this.#numbers[at + NAMED] = Number(session !== null && session === place)
    }
    return {
      messages: this.#messages.slice(from),
      requests: this.#requests.slice(from).map((request) => request || null),
      models: this.#models.slice(from),
      geos: this.#geos.slice(from),
      numbers: this.#numbers.slice(from * WIDTH, this.#messages.length * WIDTH),
    }
  }

  #begin(row: UsageRow, evidence: RowEvidence, at: number, turn: number): void {
    this.#name(row.messageId, row.requestId, evidence.sessionId, row.model, row.geo)
    if (this.#messages.length * WIDTH > this.#numbers.length) {
      const larger = new Float64Array(2 * this.#numbers.length)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    const { place } = row
    const numbers = this.#numbers
    let i = this.#last * WIDTH
    numbers[i++] = place.line
    numbers[i++] = place.offset
    numbers[i++] = place.length
    numbers[i++] = 1
    numbers[i++] = at
    numbers[i++] = place.offset
    numbers[i++] = evidence.writtenAt
    i++ // whether it is marked is known when the log has been read
    numbers[i++] = Number(row.isFork)
    numbers[i++] = Number(evidence.isMadeHere)
    numbers[i++] = 0
    i = this.#count(i, row)
    numbers[i++] = turn
    numbers[i] = Number(row.isSidechain)
    this.#numbers[this.#last * WIDTH + PLACEHOLDER] = Number(row.isPlaceholder)
  }

  #name(message: string, request: string, session: string | null, model: string, geo: string | null): void {
    this.#last = this.#messages.length
    this.#indexOf.set(message, this.#last)
    this.#messages.push(message)
    this.#requests.push(request)
    this.#sessions.push(session)
    this.#models.push(model)
    this.#geos.push(geo)
  }

  /** The row with the most output counts, of equal ones a final one. */
  #keep(index: number, row: UsageRow): void {
    const from = index * WIDTH
    const output = this.#numbers[from + OUTPUT] as number
    const isFinal = row.outputTokens === output && this.#numbers[from + PLACEHOLDER] === 1 && !row.isPlaceholder
    if (row.outputTokens <= output && !isFinal) return
    this.#count(from + FAST, row)
    this.#numbers[from + PLACEHOLDER] = Number(row.isPlaceholder)
    this.#models[index] = row.model
    this.#geos[index] = row.geo
  }

  /** Writes the numbers that are of the row which counts, and gives the place behind them. */
  #count(from: number, row: UsageRow): number {
    const numbers = this.#numbers
    let i = from
    numbers[i++] = Number(row.speed === 'fast')
    numbers[i++] = row.inputTokens
    numbers[i++] = row.outputTokens
    numbers[i++] = row.cacheReadTokens
    numbers[i++] = row.cacheWrite5mTokens
    numbers[i++] = row.cacheWrite1hTokens
    numbers[i++] = row.webSearches
    return i
  }
}
