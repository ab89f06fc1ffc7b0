import { ActiveTimeFold } from '../../core/facts/active-time.ts'
import { rowFacts } from '../../core/facts/row-facts.ts'
import { streamRecords } from '../../disk/log-file.ts'
import type { Source, SourceEntry } from '../../disk/source.ts'

/** A stretch of time, in milliseconds; its end does not belong to it. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Whether a moment lies in a stretch of time; one that is not known does not. */
export function isWithin({ from, to }: Span, ms: number | null): boolean {
  return ms !== null && ms >= from && ms < to
}

/** How long was worked on a log within a stretch of time, pauses left out. */
export function activeWithin(source: Source, entry: SourceEntry, { from, to }: Span): number {
  const fold = new ActiveTimeFold()
  let before = 0
  for (const record of streamRecords(source, entry)) {
    const facts = rowFacts(record)
    if (facts.kind === undefined) continue
    if (facts.at >= to) break
    fold.add(facts)
    if (facts.at < from) before = fold.spentMs
  }
  return fold.spentMs - before
}
