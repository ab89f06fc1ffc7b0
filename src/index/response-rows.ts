import type { LogEvidence, RowEvidence } from '../core/facts/evidence.ts'
import { holdingOf } from '../core/facts/evidence.ts'
import { RESPONSE_NUMBERS, type ResponseRows } from '../core/facts/response-rows.ts'
import type { UsageRow } from '../core/usage/usage.ts'

/** A response as one log holds it. */
export interface HeldResponse {
  readonly first: UsageRow
  /** The row whose numbers count, of those in this log. */
  readonly kept: UsageRow
  readonly request: string | null
  readonly rows: number
  /** Where its last row begins. */
  readonly lastOffset: number
  readonly evidence: RowEvidence
  /** In milliseconds; none where its first row has no time. */
  readonly at: number | null
  readonly turn: number | null
  readonly isAbandoned: boolean
}

/** Puts the responses of a log into columns. `log` is what the whole log tells of who made them. */
export function responseRows(held: readonly HeldResponse[], log: LogEvidence): ResponseRows {
  const numbers = new Float64Array(held.length * RESPONSE_NUMBERS.length)
  const rows = { messages: [] as string[], requests: [] as (string | null)[], models: [] as string[] }
  const geos: (string | null)[] = []
  let at = 0
  for (const one of held) {
    const { first, kept } = one
    const { isMarked, writtenAt, isMadeHere, isNamed } = holdingOf(first, one.evidence, log)
    numbers[at++] = first.place.line
    numbers[at++] = first.place.offset
    numbers[at++] = first.place.length
    numbers[at++] = one.rows
    numbers[at++] = one.at ?? Number.NaN
    numbers[at++] = one.lastOffset
    numbers[at++] = writtenAt
    numbers[at++] = Number(isMarked)
    numbers[at++] = Number(first.isFork)
    numbers[at++] = Number(isMadeHere)
    numbers[at++] = Number(isNamed)
    numbers[at++] = Number(kept.speed === 'fast')
    numbers[at++] = kept.inputTokens
    numbers[at++] = kept.outputTokens
    numbers[at++] = kept.cacheReadTokens
    numbers[at++] = kept.cacheWrite5mTokens
    numbers[at++] = kept.cacheWrite1hTokens
    numbers[at++] = kept.webSearches
    numbers[at++] = one.turn ?? Number.NaN
    numbers[at++] = Number(first.isSidechain)
    numbers[at++] = Number(one.isAbandoned)
    numbers[at++] = Number(kept.isPlaceholder)
    rows.messages.push(first.messageId)
    rows.requests.push(one.request)
    rows.models.push(kept.model)
    geos.push(kept.geo)
  }
  return { ...rows, geos, numbers }
}
