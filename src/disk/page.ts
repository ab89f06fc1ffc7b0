import { LogReader } from '../core/log/log.ts'
import type { LogRecord } from '../core/log/record.ts'
import { readUpTo } from './read-start.ts'
import type { Source, SourceEntry } from './source.ts'

/** Some records from one end of a log, in file order. A half-written last line is none yet. */
export interface RecordPage {
  /** Line numbers are known only from the head; from the tail they are 0, for nothing before was read. */
  readonly records: readonly LogRecord[]
  /** Where the page begins and ends. */
  readonly from: number
  readonly to: number
  /** Whether the page reaches that end of the log. */
  readonly atStart: boolean
  readonly atEnd: boolean
}

/** How much a page may hold: reading stops at whichever comes first, but never before one whole line. */
export interface PageLimit {
  readonly records: number
  readonly bytes: number
}

const STEP_BYTES = 64 * 1024

function firstStep({ bytes }: PageLimit): number {
  return Math.max(1, Math.min(STEP_BYTES, bytes))
}

/** The first records of a log, or those from `from` on, which must be where a line begins. */
export function readHead(source: Source, entry: SourceEntry, limit: PageLimit, from = 0): RecordPage {
  let bytes = Buffer.alloc(0)
  for (let size = firstStep(limit); ; size *= 2) {
    bytes = Buffer.concat([bytes, readUpTo(source, entry, from + bytes.length, size - bytes.length)])
    const isEnd = bytes.length < size
    const starts = lineStarts(bytes, true)
    const isFull = starts.length > limit.records || (bytes.length >= limit.bytes && starts.length > 1)
    if (!isEnd && !isFull) continue
    // The last line counts only where its newline, or the end of the log, has been read.
    const ends = [...starts.slice(1), ...(isEnd ? [bytes.length] : [])].slice(0, limit.records)
    const end = ends.findLast((one) => one <= limit.bytes) ?? ends[0] ?? 0
    return pageOf(entry, bytes.subarray(0, end), from, { isNumbered: from === 0, atEnd: isEnd && end === bytes.length })
  }
}

/** The last records of a log, or those before `to`, which must be where a line begins; read backwards from there. */
export function readTail(source: Source, entry: SourceEntry, limit: PageLimit, to = entry.sizeBytes): RecordPage {
  let bytes = Buffer.alloc(0)
  let end = to
  for (let size = firstStep(limit); ; size *= 2) {
    const from = Math.max(0, end - size)
    const missing = end - bytes.length - from
    const before = readUpTo(source, entry, from, missing)
    if (before.length < missing) {
      // It is shorter than it was listed: begin anew at its end, or further back if that is not there either.
      bytes = Buffer.alloc(0)
      end = from + before.length
      size = firstStep(limit) / 2
      if (end > 0) continue
      return pageOf(entry, bytes, 0, { isNumbered: false, atEnd: true })
    }
    bytes = Buffer.concat([before, bytes])
    const starts = lineStarts(bytes, from === 0)
    const isFull = starts.length > limit.records || (bytes.length >= limit.bytes && starts.length > 0)
    if (from > 0 && !isFull) continue
    const kept = limit.records === 0 ? [] : starts.slice(-limit.records)
    const start = kept.find((one) => bytes.length - one <= limit.bytes) ?? kept.at(-1) ?? bytes.length
    return pageOf(entry, bytes.subarray(start), from + start, {
      isNumbered: false,
      atEnd: end < to || end >= entry.sizeBytes,
    })
  }
}

function pageOf(
  entry: SourceEntry,
  bytes: Buffer,
  from: number,
  { isNumbered, atEnd }: { readonly isNumbered: boolean; readonly atEnd: boolean },
): RecordPage {
  const records: LogRecord[] = []
  const record = (one: LogRecord) => {
    records.push(isNumbered ? one : { ...one, place: { ...one.place, line: 0 } })
  }
  const reader = new LogReader(entry.path, { record }, { offset: from })
  reader.push(bytes)
  reader.finish()
  return { records, from, to: from + bytes.length, atStart: from === 0, atEnd }
}

/** Where lines begin in these bytes; the first bytes count only where a line is known to begin there. */
function lineStarts(bytes: Buffer, isStart: boolean): readonly number[] {
  const starts = isStart && bytes.length > 0 ? [0] : []
  for (let at = bytes.indexOf(0x0a); at !== -1 && at + 1 < bytes.length; at = bytes.indexOf(0x0a, at + 1)) {
    starts.push(at + 1)
  }
  return starts
}
