import { holdingOf, type LogEvidence, NO_EVIDENCE, type RowEvidence } from '../facts/evidence.ts'
import { compareHoldings } from '../facts/owner.ts'
import { type CountedResponse, sumUsage, type UsageRow, type UsageTotal, type UsedRow } from './usage.ts'

/**
 * Counts each response once, known by its message id, over all rows it is given, for the log that owns it (`owner.ts`). The
 * order of giving does not matter. Two different request ids under one message id are two responses.
 */
export class UsageFold<R extends UsageRow = UsageRow> {
  readonly #held = new Map<string, HeldRows<R>[]>()

  /** Adds a row; `log` is what the whole of its log tells of who made its responses. */
  add(row: R, log: LogEvidence = NO_EVIDENCE): void {
    const held = this.#held.get(row.messageId)
    const same = held?.find(({ first }) => first.requestId === row.requestId && first.place.file === row.place.file)
    if (same) addTo(same, row)
    else if (held) held.push({ log, first: row, kept: row, rows: 1 })
    else this.#held.set(row.messageId, [{ log, first: row, kept: row, rows: 1 }])
  }

  /** The responses by time. */
  responses(): CountedResponse<R>[] {
    const all: CountedResponse<R>[] = []
    for (const held of this.#held.values()) for (const rows of byRequest(held)) all.push(joined(rows))
    return all.sort((a, b) => compareFirst(a.first, b.first))
  }

  /** What they used together. */
  total(): UsageTotal {
    return sumUsage(this.responses().map(({ kept }) => kept))
  }
}

/** The rows that one log has of one request. */
interface HeldRows<R> {
  readonly log: LogEvidence
  first: R
  /** The one whose numbers count. */
  kept: R
  rows: number
}

function addTo<R extends UsageRow>(held: HeldRows<R>, row: R): void {
  const order = compareKept(row, held.kept)
  if (order < 0 || (order === 0 && isBefore(row, held.kept))) held.kept = row
  if (isBefore(row, held.first)) held.first = row
  held.rows += 1
}

/**
 * The rows of each request. Copies drop the request id: rows without one belong to the request that was written first, and of
 * several to the one whose id is the smallest.
 */
function byRequest<R extends UsageRow>(held: readonly HeldRows<R>[]): readonly (readonly HeldRows<R>[])[] {
  if (held.length === 1) return [held]
  const requestOf = ({ first }: HeldRows<R>) => first.requestId
  const writtenAt = ({ first, log }: HeldRows<R>) => holdingOf(first, evidenceOf(first), log).writtenAt
  const named = held.filter((one) => requestOf(one) !== '')
  const [earliest] = named.toSorted((a, b) => writtenAt(a) - writtenAt(b) || compareTexts(requestOf(a), requestOf(b)))
  if (!earliest) return [held]
  const first = requestOf(earliest)
  const others = [...new Set(named.map(requestOf))].filter((request) => request !== first)
  const ofFirst = held.filter((one) => requestOf(one) === first || requestOf(one) === '')
  return [ofFirst, ...others.map((request) => named.filter((one) => requestOf(one) === request))]
}

/** One response of all logs that hold it: the first row is its owner's, the numbers are those with the most output. */
function joined<R extends UsageRow>(held: readonly HeldRows<R>[]): CountedResponse<R> {
  const ranked = held.length === 1 ? held : held.toSorted(compareHeld)
  const { first } = ranked[0] as HeldRows<R>
  const { kept } = ranked.reduce((best, one) => (compareKept(one.kept, best.kept) < 0 ? one : best))
  const named = held.find((one) => one.first.requestId !== '')
  return {
    messageId: first.messageId,
    requestId: named?.first.requestId ?? null,
    kept,
    first,
    rows: held.reduce((sum, { rows }) => sum + rows, 0),
    files: new Set(held.map((one) => one.first.place.file)).size,
  }
}

/** The rows of one file may stand under two requests, one of them without an id. */
function compareHeld<R extends UsageRow>(a: HeldRows<R>, b: HeldRows<R>): number {
  const order = compareHoldings(
    holdingOf(a.first, evidenceOf(a.first), a.log),
    holdingOf(b.first, evidenceOf(b.first), b.log),
  )
  return order || (isBefore(a.first, b.first) ? -1 : 1)
}

function evidenceOf(row: UsageRow | UsedRow): RowEvidence | undefined {
  return 'evidence' in row ? row.evidence : undefined
}

/** The row that counts comes first: the most output, then one that says it is final. */
function compareKept(a: UsageRow, b: UsageRow): number {
  return b.outputTokens - a.outputTokens || Number(a.isPlaceholder) - Number(b.isPlaceholder)
}

/** Whether one row of a file stands before another. */
function isBefore(a: UsageRow, b: UsageRow): boolean {
  return a.place.offset < b.place.offset
}

function compareFirst(a: UsageRow, b: UsageRow): number {
  const time = compareTexts(a.timestamp || LATEST, b.timestamp || LATEST)
  return time || compareTexts(a.place.file, b.place.file) || a.place.offset - b.place.offset
}

/** A row without a time comes after all that have one. */
const LATEST = '\uffff'

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
