import type { LogEvidence, RowEvidence } from '../core/evidence.ts'
import { holdingOf } from '../core/evidence.ts'
import type { UsageRow } from '../core/usage.ts'
import type { ResponseRows } from './log-rows.ts'

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
  const numbers: number[] = []
  for (const one of held) {
    const { first, kept } = one
    const { isMarked, writtenAt, isMadeHere, isNamed } = holdingOf(first, one.evidence, log)
    numbers.push(
      first.place.line,
      first.place.offset,
      first.place.length,
      one.rows,
      one.at ?? Number.NaN,
      one.lastOffset,
      writtenAt,
      Number(isMarked),
      Number(first.isFork),
      Number(isMadeHere),
      Number(isNamed),
      Number(kept.speed === 'fast'),
      kept.inputTokens,
      kept.outputTokens,
      kept.cacheReadTokens,
      kept.cacheWrite5mTokens,
      kept.cacheWrite1hTokens,
      kept.webSearches,
      one.turn ?? Number.NaN,
      Number(first.isSidechain),
      Number(one.isAbandoned),
      Number(kept.isPlaceholder),
    )
  }
  return {
    messages: held.map(({ first }) => first.messageId),
    requests: held.map(({ request }) => request),
    models: held.map(({ kept }) => kept.model),
    geos: held.map(({ kept }) => kept.geo),
    numbers: new Float64Array(numbers),
  }
}
