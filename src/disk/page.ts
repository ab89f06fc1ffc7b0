import type { LogRecord } from '../core/record.ts'
import { readLine } from '../core/record.ts'
import type { Source, SourceEntry } from './source.ts'

/** Some records from one end of a log, in file order. */
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

const STEP_BYTES = 64 * 1024

/** The first records of a log, or those from `from` on, reading no more than they need. */
export function readHead(source: Source, entry: SourceEntry, limit: PageLimit, from = 0): RecordPage {
  const records: LogRecord[] = []
  let bytes = Buffer.alloc(0)
  let at = from
  let line = 0
  for (;;) {
    const more = readAt(source, entry, from + bytes.length, STEP_BYTES)
    bytes = Buffer.concat([bytes, more])
    const isEnd = more.length < STEP_BYTES
    while (records.length < limit.records && at - from < limit.bytes) {
      const newline = bytes.indexOf(0x0a, at - from)
      if (newline === -1 && !isEnd) break
      const end = newline === -1 ? bytes.length : newline
      if (end === at - from && newline === -1) break
      line += 1
      const place = { file: entry.path, line: from === 0 ? line : 0, offset: at, length: end - (at - from) }
      records.push(...readLine(bytes.subarray(at - from, end), place).value)
      at = from + end + 1
      if (newline === -1) break
    }
    const isFull = records.length >= limit.records || at - from >= limit.bytes || bytes.length >= limit.bytes
    if (isEnd || isFull) {
      const to = Math.min(at, from + bytes.length)
      return { records, from, to, atStart: from === 0, atEnd: isEnd && to >= from + bytes.length }
    }
  }
}

/** How much a page may hold: reading stops at whichever comes first. */
export interface PageLimit {
  readonly records: number
  readonly bytes: number
}

/** The last records of a log, or those before `to`, read backwards from there. */
export function readTail(source: Source, entry: SourceEntry, limit: PageLimit, to = entry.sizeBytes): RecordPage {
  let bytes = Buffer.alloc(0)
  let from = to
  for (;;) {
    const step = Math.min(Math.max(STEP_BYTES, bytes.length), from)
    bytes = Buffer.concat([readAt(source, entry, from - step, step), bytes])
    from -= step
    const starts = lineStarts(bytes, from === 0)
    const isFull = bytes.length >= limit.bytes || starts.length > limit.records
    if (from > 0 && !isFull) continue
    const kept = starts.slice(-limit.records)
    const records = kept.flatMap((start, i) => {
      const end = (kept[i + 1] ?? bytes.length + 1) - 1
      const isLast = i === kept.length - 1
      const stop = isLast && bytes[bytes.length - 1] === 0x0a ? bytes.length - 1 : end
      const place = { file: entry.path, line: 0, offset: from + start, length: stop - start }
      return readLine(bytes.subarray(start, stop), place).value
    })
    const first = from + (kept[0] ?? bytes.length)
    return { records, from: first, to, atStart: first === 0, atEnd: to === entry.sizeBytes }
  }
}

/** Where lines begin in these bytes; the first bytes count only where a line is known to begin there. */
function lineStarts(bytes: Buffer, isStart: boolean): readonly number[] {
  const starts = isStart && bytes.length > 0 ? [0] : []
  for (let at = bytes.indexOf(0x0a); at !== -1 && at + 1 < bytes.length; at = bytes.indexOf(0x0a, at + 1)) {
    starts.push(at + 1)
  }
  return starts
}

function readAt(source: Source, entry: SourceEntry, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const count = source.read(entry, offset + filled, bytes.subarray(filled))
    if (!count) break
    filled += count
  }
  return bytes.subarray(0, filled)
}
