import { numberAt, objectAt, stringAt, textAt } from './json.ts'
import type { Place } from './place.ts'
import type { LogRecord } from './record.ts'

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

/** One billed API call, counted once over all files. */
export interface Response {
  readonly messageId: string
  readonly requestId: string | null
  /** The row whose numbers count: the one with the most output tokens. */
  readonly kept: UsageRow
  /** The row it is attributed to: the earliest, and of equal ones the original rather than a copy. */
  readonly first: UsageRow
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
    isPlaceholder: outputTokens <= PLACEHOLDER_TOKENS && textAt(message, 'stop_reason') === undefined,
  }
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

/** What is known of one request; most messages have one, the others stand behind it. */
interface Seen {
  readonly requestId: string
  kept: UsageRow
  first: UsageRow
  rows: number
  /** Shared by all that stands in one file alone; a set of its own from the second file on. */
  files: Set<string>
  next: Seen | undefined
}

/**
 * Counts each response once, known by its message id, over all rows it is fed. The order of feeding does not matter. Two
 * different request ids under one message id are two responses.
 */
export class UsageFold {
  readonly #seen = new Map<string, Seen>()
  /** The set of one file is the same for all that stands in it alone. */
  #alone = new Set<string>()

  /** Adds a row, perhaps one that stands for several, and says whether its response is now attributed to it. */
  add(row: UsageRow, weight = 1): boolean {
    const { messageId, requestId, place } = row
    const head = this.#seen.get(messageId)
    if (!this.#alone.has(place.file)) this.#alone = new Set([place.file])
    for (let seen = head; seen; seen = seen.next) {
      if (seen.requestId !== requestId) continue
      merge(seen, { kept: row, first: row, rows: weight, files: this.#alone })
      return seen.first === row
    }
    this.#seen.set(messageId, { requestId, kept: row, first: row, rows: weight, files: this.#alone, next: head })
    return true
  }

  responses(): Response[] {
    const responses: Response[] = []
    for (const [messageId, head] of this.#seen) {
      for (const { requestId, kept, first, rows, files } of settle(head)) {
        responses.push({ messageId, requestId: requestId || null, kept, first, rows, files: files.size })
      }
    }
    return responses.sort((a, b) => compareRows(a.first, b.first))
  }
}

/** Rows without a request id belong to the earliest request of their message: copied history drops the id. */
function settle(head: Seen): readonly Seen[] {
  if (!head.next) return [head]
  const all: Seen[] = []
  for (let seen: Seen | undefined = head; seen; seen = seen.next) all.push(seen)
  const unnamed = all.find(({ requestId }) => requestId === '')
  const named = all.filter(({ requestId }) => requestId !== '').sort((a, b) => compareRows(a.first, b.first))
  const [earliest, ...others] = named
  if (!unnamed || !earliest) return all
  const joined = { ...earliest }
  merge(joined, unnamed)
  return [joined, ...others]
}

function merge(into: Seen, other: Pick<Seen, 'kept' | 'first' | 'rows' | 'files'>): void {
  if (compareKept(other.kept, into.kept) < 0) into.kept = other.kept
  if (compareRows(other.first, into.first) < 0) into.first = other.first
  into.rows += other.rows
  for (const file of other.files) {
    if (into.files.has(file)) continue
    if (into.files.size === 1) into.files = new Set(into.files)
    into.files.add(file)
  }
}

/** Whether a row counts rather than another of its response. */
export function isBetter(row: UsageRow, than: UsageRow): boolean {
  return compareKept(row, than) < 0
}

/** Whether a response is attributed to a row rather than to another. */
export function isBefore(row: UsageRow, than: UsageRow): boolean {
  return compareRows(row, than) < 0
}

/** The row that counts comes first: the most output, then one that says it is final, then the earliest. */
function compareKept(a: UsageRow, b: UsageRow): number {
  return b.outputTokens - a.outputTokens || Number(a.isPlaceholder) - Number(b.isPlaceholder) || compareRows(a, b)
}

function compareRows(a: UsageRow, b: UsageRow): number {
  return (
    compare(a.timestamp || LATEST, b.timestamp || LATEST) ||
    Number(a.isFork) - Number(b.isFork) ||
    compare(a.place.file, b.place.file) ||
    a.place.offset - b.place.offset
  )
}

/** A row without a time comes after all that have one. */
const LATEST = '\uffff'

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The sum of the responses' tokens. */
export interface UsageTotal extends Tokens {
  readonly responses: number
}

export function sumUsage(responses: Iterable<Response>): UsageTotal {
  const total = { responses: 0, ...NO_TOKENS }
  for (const { kept } of responses) {
    total.responses += 1
    for (const key of TOKEN_KEYS) total[key] += kept[key]
  }
  return total
}

const NO_TOKENS: Tokens = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  webSearches: 0,
}
/** The kinds of tokens, in the order in which they are kept. */
export const TOKEN_KEYS = Object.keys(NO_TOKENS) as readonly (keyof Tokens)[]
