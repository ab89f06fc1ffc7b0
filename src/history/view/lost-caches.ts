import { type Static, Type } from '../../core/schema.ts'
import { NullableNumber, NullableString } from '../shapes.ts'
import type { PriceBook } from '../usage/price-book.ts'

/** A response that had to read anew what was in the cache before. */
export const LostCacheShape = Type.Object({
  row: Type.Integer(),
  turn: Type.Integer(),
  uuid: Type.String(),
  timestamp: NullableString,
  lostTokens: Type.Integer('Tokens that the cache held at the response before, and no longer'),
  costUsd: NullableNumber,
  why: Type.Choice(['hour', 'minutes', 'model', 'unknown'], 'More than an hour or five minutes went by, another model'),
})

interface Point {
  readonly row: number
  readonly turn: number
  readonly uuid: string
  readonly timestamp: string | null
  readonly model: string | null
  readonly inputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
}

/** Less than so many tokens are no loss worth telling: a request may be cut in another place. */
const LEAST_TOKENS = 4096
const MINUTES_MS = 5 * 60_000
const HOUR_MS = 60 * 60_000

/** Finds where the cache was lost: half or more of it gone from one response to the next, with no compaction between. */
export function lostCaches(
  points: readonly Point[],
  compactedRows: readonly number[],
  prices: PriceBook,
): Static<typeof LostCacheShape>[] {
  return points.flatMap((point, at) => {
    const before = points[at - 1]
    if (!before || compactedRows.some((row) => row > before.row && row <= point.row)) return []
    const held = before.cacheReadTokens + before.cacheWriteTokens
    const lostTokens = held - point.cacheReadTokens
    if (lostTokens < LEAST_TOKENS || point.cacheReadTokens > held / 2) return []
    const { row, turn, uuid, timestamp } = point
    return [
      { row, turn, uuid, timestamp, lostTokens, costUsd: costOf(point, lostTokens, prices), why: why(before, point) },
    ]
  })
}

/** What reading them anew cost beyond reading them from the cache. */
function costOf(point: Point, lostTokens: number, prices: PriceBook): number | null {
  const price = prices.priceOf(point.model ?? '', point.timestamp ?? '')
  if (!price) return null
  const paid = point.cacheWriteTokens >= point.inputTokens ? price.cacheWrite5m : price.input
  return (Math.min(lostTokens, point.cacheWriteTokens + point.inputTokens) * Math.max(0, paid - price.cacheRead)) / 1e6
}

function why(before: Point, point: Point): Static<typeof LostCacheShape>['why'] {
  const gap = Date.parse(point.timestamp ?? '') - Date.parse(before.timestamp ?? '')
  if (before.model !== point.model) return 'model'
  return gap > HOUR_MS ? 'hour' : gap > MINUTES_MS ? 'minutes' : 'unknown'
}
