import { FactsFold, type LogFacts } from '../core/facts/facts.ts'
import type { RowFacts } from '../core/facts/row-facts.ts'
import type { Diagnostic } from '../core/log/diagnostic.ts'
import { isUtf16, type LogTotals } from '../core/log/log.ts'
import type { LogRecord } from '../core/log/record.ts'
import { skimLogFacts } from '../core/skim/read-facts.ts'
import { Skimmer } from '../core/skim/skimmer.ts'
import { crc32 } from './checksums.ts'
import { type Ends, HEAD_BYTES, TAIL_BYTES, UNSUMMED } from './cursor.ts'
import { fill } from './fill.ts'
import { type LogPosition, readLogFile, sha256Hash } from './log-file.ts'
import type { Source, SourceEntry } from './source.ts'

/** The facts of a log, and whether all of it was read for them. */
export interface KnownFacts {
  readonly facts: LogFacts
  /** `undefined` when only head and tail were read. */
  readonly totals: LogTotals | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads a whole log for its facts; `undefined` when it is gone. */
export function readFacts(source: Source, entry: SourceEntry): KnownFacts | undefined {
  const fold = new FactsFold()
  const read = foldLog(source, entry, fold, { offset: 0, line: 0, sum: UNSUMMED })
  return read && { facts: fold.facts(), totals: read.totals, diagnostics: read.diagnostics }
}

/** What reading a log into a fold gave besides. */
export interface FoldedLog {
  readonly totals: LogTotals
  readonly diagnostics: readonly Diagnostic[]
  /** The CRC-32 of all bytes up to where reading ended; `UNSUMMED` for a log that rests. */
  readonly sum: number
  /** How what was read begins and ends. */
  readonly ends: Ends
}

/** Where a log was left, with the sum of all bytes before. */
export interface LogStart extends LogPosition {
  readonly sum: number
}

/** Takes the rows of a log: plain ones as facts, those that it needs more of and all others as records. */
export interface RowsFold {
  add(record: LogRecord): void
  addRow(facts: RowFacts): void
  needsRecord(facts: RowFacts): boolean
  /** Whether it takes nothing more: then the rest need not be read, and what reading gave is for nobody. */
  readonly isOver?: boolean
}

/** Reads a log, or what follows a place in it, into a fold; `undefined` when it is gone. */
export function foldLog(
  source: Source,
  entry: SourceEntry,
  fold: RowsFold,
  from: LogStart = { offset: 0, line: 0, sum: 0 },
): FoldedLog | undefined {
  const diagnostics: Diagnostic[] = []
  const sink = {
    record: fold.add.bind(fold),
    row: fold.addRow.bind(fold),
    isRecordWanted: fold.needsRecord.bind(fold),
    diagnostic: (one: Diagnostic) => diagnostics.push(one),
  }
  const summed = summing(source, entry, from)
  const skimmer = spare ?? new Skimmer(CHUNK_BYTES)
  spare = undefined
  try {
    // How a log begins tells how it is to be read; the skim finds these bytes where it would read them to.
    let first: number | undefined = summed.read(skimmer.bytes, from.offset)
    const isText = from.offset > 0 || !isUtf16(skimmer.bytes.subarray(0, Math.min(first, 4)))
    const read = (into: Uint8Array, position: number) => {
      if (fold.isOver) return 0
      const count = first ?? summed.read(into, position)
      first = undefined
      return count
    }
    const totals = isText
      ? skimLogFacts(skimmer, read, entry.path, sink, { from, hash: sha256Hash })
      : readLogFile({ ...source, read: (_, offset, into) => summed.read(into, offset) }, entry, sink, from)
    if (!totals || summed.isGone()) return undefined
    return { totals, diagnostics, sum: summed.sum(), ends: summed.ends() }
  } finally {
    spare = skimmer
  }
}

/** Whether a log was last written days ago: few ever change again, and what only a change asks for is not made of them. */
export function isResting({ modifiedAt }: SourceEntry): boolean {
  return Date.now() - modifiedAt > RESTING_MS
}

const RESTING_MS = 3 * 24 * 3_600_000

/** Large enough that a read costs little beside the skimming, small enough to stay in the cache. */
const CHUNK_BYTES = 1024 * 1024

// One for all logs of a thread. Reading is synchronous, but a sink may read another log in between.
let spare: Skimmer | undefined

/** Reads that fill what they are given, unless the log ends, and add up what they read once. */
function summing(source: Source, entry: SourceEntry, from: LogStart) {
  let { sum, offset: end } = from
  if (end === 0 && isResting(entry)) sum = UNSUMMED
  let gone = false
  const head = new Uint8Array(HEAD_BYTES)
  let tail: Uint8Array = new Uint8Array(0)
  const read = (into: Uint8Array, position: number): number => {
    // Nobody is asked for more than there was: that would be one call more for every log.
    const count = fill((at, rest) => source.read(entry, at, rest), position, into, entry.sizeBytes)
    gone ||= count === undefined && position === from.offset
    const filled = count ?? 0
    // A line too long to hold is read twice.
    if (position + filled > end) take(into.subarray(end - position, filled))
    return filled
  }
  const take = (bytes: Uint8Array) => {
    if (sum !== UNSUMMED) sum = crc32(bytes, sum)
    const place = end - from.offset
    if (place < HEAD_BYTES) head.set(bytes.subarray(0, HEAD_BYTES - place), place)
    tail = bytes.length < TAIL_BYTES ? joined(tail, bytes).slice(-TAIL_BYTES) : bytes.slice(-TAIL_BYTES)
    end += bytes.length
  }
  return {
    read,
    sum: () => sum,
    isGone: () => gone,
    ends: () => ({ head: head.subarray(0, end - from.offset), tail }),
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}
