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
type MissingNumber = 'time' | 'turn'

/** One response as one log holds it: plain data. `startResponse` makes it, from the parser's rows and the skim's alike. */
export interface ResponseRow
  extends Record<Exclude<ResponseNumber, MissingNumber>, number>,
    Record<MissingNumber, number | null> {
  readonly message: string
  request: string | null
  /** The session that its first row names. */
  readonly session: string | null
  model: string
  geo: string | null
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

/** The position of a column within a response. */
export function numberIndex(name: ResponseNumber): number {
  return RESPONSE_NUMBERS.indexOf(name)
}

/** A response that has only its first row yet. `time` is in milliseconds, NaN for none. */
export function startResponse(
  first: UsageRow,
  { sessionId, writtenAt, isMadeHere }: RowEvidence,
  time: number,
  turn: number | null,
): ResponseRow {
  const { line, offset, length } = first.place
  const response: ResponseRow = {
    message: first.messageId,
    request: first.requestId || null,
    session: sessionId,
    model: '',
    geo: null,
    line,
    offset,
    length,
    rows: 1,
    time: Number.isNaN(time) ? null : time,
    last_offset: offset,
    written: writtenAt,
    marked: 0,
    forked: Number(first.isFork),
    made: Number(isMadeHere),
    named: 0,
    fast: 0,
    input: 0,
    output: 0,
    cache_read: 0,
    write_5m: 0,
    write_1h: 0,
    web_searches: 0,
    turn,
    sidechain: Number(first.isSidechain),
    abandoned: 0,
    placeholder: 0,
  }
  setCounted(response, first)
  return response
}

/** Sets what a response is billed by: all of it stands in the row that counts. */
export function setCounted(response: ResponseRow, row: UsageRow): void {
  response.model = row.model
  response.geo = row.geo
  response.fast = Number(row.speed === 'fast')
  response.input = row.inputTokens
  response.output = row.outputTokens
  response.cache_read = row.cacheReadTokens
  response.write_5m = row.cacheWrite5mTokens
  response.write_1h = row.cacheWrite1hTokens
  response.web_searches = row.webSearches
  response.placeholder = Number(row.isPlaceholder)
}

/** Writes responses into columns, when all of their log was read: only then it is known which of them are marked as copies. */
export function responseRows(responses: readonly ResponseRow[], log: LogEvidence, file: string): ResponseRows {
  const place = sessionByPlace(file)
  const numbers = new Float64Array(responses.length * RESPONSE_NUMBERS.length)
  let at = 0
  for (const response of responses) {
    const { session } = response
    response.marked = Number(response.forked === 1 || isOfAnother(session, log))
    response.named = Number(session !== null && session === place)
    for (const name of RESPONSE_NUMBERS) numbers[at++] = response[name] ?? Number.NaN
  }
  return {
    messages: responses.map(({ message }) => message),
    requests: responses.map(({ request }) => request),
    models: responses.map(({ model }) => model),
    geos: responses.map(({ geo }) => geo),
    numbers,
  }
}
