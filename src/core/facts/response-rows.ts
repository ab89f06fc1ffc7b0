import type { UsageRow } from '../usage/usage.ts'
import { isOfAnother, type LogEvidence, type RowEvidence, sessionByPlace } from './evidence.ts'

/** The number columns of a response, in the order of `ResponseRows.numbers`. The tables of the index and of stores have columns of these names. */
export const RESPONSE_NUMBERS = [
  'line',
  'offset',
  'length',
  'rows',
  'time',
  'last_offset',
  'written',
  'marked',
  'forked',
  'made',
  'named',
  'fast',
  'input',
  'output',
  'cache_read',
  'write_5m',
  'write_1h',
  'web_searches',
  'turn',
  'sidechain',
  'abandoned',
  'placeholder',
] as const

type ResponseNumber = (typeof RESPONSE_NUMBERS)[number]

const WIDTH = RESPONSE_NUMBERS.length

/** The position of each column within a response. */
const AT = Object.fromEntries(RESPONSE_NUMBERS.map((name, at) => [name, at])) as Readonly<
  Record<ResponseNumber, number>
>

/** The position of a column within a response. */
export function numberIndex(name: ResponseNumber): number {
  return AT[name]
}

/** The responses of a log by columns: a thread passes the numbers on as one buffer. */
export interface ResponseRows {
  readonly messages: readonly string[]
  readonly requests: readonly (string | null)[]
  readonly models: readonly string[]
  readonly geos: readonly (string | null)[]
  /** `RESPONSE_NUMBERS` of each response, one after the other; NaN for a missing one. */
  readonly numbers: Float64Array<ArrayBuffer>
}

/** One response out of the table: plain data, so that another can start with it. */
export interface ResponseRow {
  readonly message: string
  readonly request: string | null
  /** The session that its first row names. */
  readonly session: string | null
  readonly model: string
  readonly geo: string | null
  readonly numbers: Readonly<Record<ResponseNumber, number | null>>
}

/**
 * The responses of one log, made of the parser's rows and of the skim's alike. They are held by columns: a log may have half a million
 * of them, and objects would take twice the memory.
 */
export class ResponseTable {
  readonly #messages: string[] = []
  readonly #requests: (string | null)[] = []
  readonly #sessions: (string | null)[] = []
  readonly #models: string[] = []
  readonly #geos: (string | null)[] = []
  #numbers = new Float64Array(16 * WIDTH)

  get size(): number {
    return this.#messages.length
  }

  /** Adds a response by its first row, and gives its index. `time` is in milliseconds; NaN stands for no time and no turn. */
  start(first: UsageRow, { sessionId, writtenAt, isMadeHere }: RowEvidence, time: number, turn: number): number {
    const { place } = first
    const index = this.#add(first.messageId, first.requestId || null, sessionId)
    this.set(index, 'line', place.line)
    this.set(index, 'offset', place.offset)
    this.set(index, 'length', place.length)
    this.set(index, 'rows', 1)
    this.set(index, 'time', time)
    this.set(index, 'last_offset', place.offset)
    this.set(index, 'written', writtenAt)
    this.set(index, 'forked', Number(first.isFork))
    this.set(index, 'made', Number(isMadeHere))
    this.set(index, 'turn', turn)
    this.set(index, 'sidechain', Number(first.isSidechain))
    this.count(index, first)
    return index
  }

  /** Sets what a response is billed by: all of it stands in the row that counts. */
  count(index: number, row: UsageRow): void {
    this.#models[index] = row.model
    this.#geos[index] = row.geo
    this.set(index, 'fast', Number(row.speed === 'fast'))
    this.set(index, 'input', row.inputTokens)
    this.set(index, 'output', row.outputTokens)
    this.set(index, 'cache_read', row.cacheReadTokens)
    this.set(index, 'write_5m', row.cacheWrite5mTokens)
    this.set(index, 'write_1h', row.cacheWrite1hTokens)
    this.set(index, 'web_searches', row.webSearches)
    this.set(index, 'placeholder', Number(row.isPlaceholder))
  }

  get(index: number, name: ResponseNumber): number {
    return this.#numbers[index * WIDTH + AT[name]] as number
  }

  set(index: number, name: ResponseNumber, value: number): void {
    this.#numbers[index * WIDTH + AT[name]] = value
  }

  requestOf(index: number): string | null {
    return this.#requests[index] as string | null
  }

  /** The request may stand in another row than the first. */
  setRequest(index: number, request: string | null): void {
    this.#requests[index] = request
  }

  /** A copy of one response. */
  row(index: number): ResponseRow {
    const numberOf = (name: ResponseNumber) => (Number.isNaN(this.get(index, name)) ? null : this.get(index, name))
    return {
      message: this.#messages[index] as string,
      request: this.requestOf(index),
      session: this.#sessions[index] as string | null,
      model: this.#models[index] as string,
      geo: this.#geos[index] as string | null,
      numbers: Object.fromEntries(RESPONSE_NUMBERS.map((name) => [name, numberOf(name)])) as ResponseRow['numbers'],
    }
  }

  /** Adds a response that was copied before, and gives its index. */
  put({ message, request, session, model, geo, numbers }: ResponseRow): number {
    const index = this.#add(message, request, session)
    this.#models[index] = model
    this.#geos[index] = geo
    for (const name of RESPONSE_NUMBERS) this.set(index, name, numbers[name] ?? Number.NaN)
    return index
  }

  /** The responses from an index on, when all of their log was read: only then it is known which of them are marked as copies. */
  rows(log: LogEvidence, file: string, from = 0): ResponseRows {
    const place = sessionByPlace(file)
    for (let index = from; index < this.size; index++) {
      const session = this.#sessions[index] as string | null
      this.set(index, 'marked', Number(this.get(index, 'forked') === 1 || isOfAnother(session, log)))
      this.set(index, 'named', Number(session !== null && session === place))
    }
    return {
      messages: this.#messages.slice(from),
      requests: this.#requests.slice(from),
      models: this.#models.slice(from),
      geos: this.#geos.slice(from),
      numbers: this.#numbers.slice(from * WIDTH, this.size * WIDTH),
    }
  }

  #add(message: string, request: string | null, session: string | null): number {
    this.#messages.push(message)
    this.#requests.push(request)
    this.#sessions.push(session)
    if (this.size * WIDTH > this.#numbers.length) {
      const larger = new Float64Array(2 * this.#numbers.length)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    return this.size - 1
  }
}
