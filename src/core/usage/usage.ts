import type { RowEvidence } from '../facts/evidence.ts'
import { numberAt, objectAt, stringAt, textAt } from '../json.ts'
import type { Place } from '../log/place.ts'
import type { LogRecord } from '../log/record.ts'

/** Tokens by kind, as they are billed. */
export interface Tokens {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWrite5mTokens: number
  readonly cacheWrite1hTokens: number
  readonly webSearches: number
}

/** An assistant row that carries usage. Several rows of one response repeat the same usage. */
export interface UsageRow extends Tokens {
  readonly messageId: string
  readonly requestId: string
  readonly model: string
  readonly timestamp: string
  readonly place: Place
  /** The row is a copy that says where it came from. */
  readonly isFork: boolean
  readonly isSidechain: boolean
  /** `us` and the like; prices depend on it. */
  readonly geo: string | null
  readonly speed: string | null
  /** The stream was cut or flushed before the true count was known. */
  readonly isPlaceholder: boolean
}

/** A usage row of a log that is read as a whole. */
export interface UsedRow extends UsageRow {
  /** The index of the row of the tree that it stands on. */
  readonly node: number
  readonly evidence: RowEvidence
}

/** One billed API call, counted once over all files. */
export interface CountedResponse<R extends UsageRow = UsageRow> {
  readonly messageId: string
  readonly requestId: string | null
  /** The row whose numbers count: the one with the most output tokens. */
  readonly kept: R
  /** The row it is attributed to: the first in the log that owns it. */
  readonly first: R
  /** How many rows it was seen on. */
  readonly rows: number
  readonly files: number
}

/** The usage of an assistant row; `undefined` for rows that bill nothing. */
export function usageRowOf(record: LogRecord): UsageRow | undefined {
  if (record.type !== 'assistant') return undefined
  const message = objectAt(record.raw, 'message')
  const usage = objectAt(message, 'usage')
  const messageId = textAt(message, 'id')
  const model = textAt(message, 'model')
  if (!usage || !messageId || !model || model === '<synthetic>') return undefined
  const { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens, webSearches } =
    tokensOf(usage)
  // Named one by one: spreading them costs ten times as much, for every answer of every log.
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWrite5mTokens,
    cacheWrite1hTokens,
    webSearches,
    messageId,
    model,
    requestId: stringAt(record.raw, 'requestId') ?? '',
    timestamp: stringAt(record.raw, 'timestamp') ?? '',
    place: record.place,
    isFork: objectAt(record.raw, 'forkedFrom') !== undefined,
    isSidechain: record.raw.isSidechain === true,
    geo: textAt(usage, 'inference_geo') ?? null,
    speed: textAt(usage, 'speed') ?? null,
    isPlaceholder: isPlaceholder(outputTokens, textAt(message, 'stop_reason') ?? null),
  }
}

/** Whether a stream was cut or flushed before the true count was known. */
export function isPlaceholder(outputTokens: number, stopReason: string | null): boolean {
  return outputTokens <= PLACEHOLDER_TOKENS && stopReason === null
}

/** Clients up to 2.1.90 flushed rows with the 1 to 8 tokens that a stream begins with. */
const PLACEHOLDER_TOKENS = 8

function tokensOf(usage: unknown): Tokens {
  const creation = objectAt(usage, 'cache_creation')
  const written = count(usage, 'cache_creation_input_tokens')
  const hour = count(creation, 'ephemeral_1h_input_tokens')
  // The two kinds are given only by newer clients; the sum decides where they disagree with it.
  const total = Math.max(written, written === 0 ? hour + count(creation, 'ephemeral_5m_input_tokens') : 0)
  return {
    inputTokens: count(usage, 'input_tokens'),
    outputTokens: count(usage, 'output_tokens'),
    cacheReadTokens: count(usage, 'cache_read_input_tokens'),
    cacheWrite5mTokens: total - Math.min(hour, total),
    cacheWrite1hTokens: Math.min(hour, total),
    webSearches: count(objectAt(usage, 'server_tool_use'), 'web_search_requests'),
  }
}

/** No response has a trillion tokens; with a larger one the sums would no longer be exact. */
const MOST_TOKENS = 1e12

function count(value: unknown, key: string): number {
  const number = numberAt(value, key) ?? 0
  return number > 0 && number <= MOST_TOKENS && Number.isInteger(number) ? number : 0
}

/** The sum of the responses' tokens. */
export interface UsageTotal extends Tokens {
  readonly responses: number
}

/** Adds up the tokens of responses, each of which is given once. */
export function sumUsage(responses: Iterable<Tokens>): UsageTotal {
  const total = { responses: 0, ...NO_TOKENS }
  for (const tokens of responses) {
    total.responses += 1
    for (const key of TOKEN_KEYS) total[key] += tokens[key]
  }
  return total
}

/** Nothing used. */
export const NO_TOKENS: Tokens = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  webSearches: 0,
}
/** The kinds of tokens, in the order in which they are kept. */
export const TOKEN_KEYS = Object.keys(NO_TOKENS) as readonly (keyof Tokens)[]
