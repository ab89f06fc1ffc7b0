import { FactsFold } from '../core/facts.ts'
import { type LogRecord, readLine } from '../core/record.ts'
import { timeOf } from '../core/time.ts'
import { askedText } from '../core/title.ts'
import { type KnownFacts, readFacts } from './log-facts.ts'
import { readBuffer } from './read-buffer.ts'
import type { Source, SourceEntry } from './source.ts'

/** Logs up to this size are read whole: that costs no more than their two ends. */
const SMALL_BYTES = 12 * 1024
const FIRST_BYTES = 8 * 1024
const TAIL_BYTES = 16 * 1024
const MOST_BYTES = 1024 * 1024

const spare = readBuffer(MOST_BYTES)

/**
 * What head and tail of a log tell: the first thing asked, the times, branch and version, and titles, which clients write
 * again near the end; but not the rows. Reads no further than it must, since a list does this for every session there is.
 * Where the ends do not tell, the log is read whole.
 */
export function glanceFacts(source: Source, entry: SourceEntry): KnownFacts | undefined {
  if (entry.sizeBytes <= SMALL_BYTES) return readFacts(source, entry)
  const fold = new FactsFold()
  const headEnd = glanceHead(source, entry, fold)
  const isTold = headEnd !== undefined && glanceTail(source, entry, fold, headEnd)
  return isTold ? { facts: fold.facts(), totals: undefined, diagnostics: [] } : readFacts(source, entry)
}

/** Reads from the start until something was asked. Gives the offset after the last line read. */
function glanceHead(source: Source, entry: SourceEntry, fold: FactsFold): number | undefined {
  let filled = 0
  let at = 0
  for (let size = FIRST_BYTES; ; size *= 4) {
    if (size > MOST_BYTES) return undefined
    filled += fill(source, entry, filled, spare.subarray(filled, size))
    const bytes = spare.subarray(0, filled)
    for (let newline = bytes.indexOf(0x0a, at); newline !== -1; newline = bytes.indexOf(0x0a, at)) {
      const rows = recordsOf(entry, 0, at, newline).map((record) => fold.add(record))
      at = newline + 1
      if (rows.some((row) => row?.type === 'user' && askedText(row) !== null)) return at
    }
    if (filled < size) return undefined
  }
}

/** Reads lines backwards from the end: all until one tells a time, of those before it only titles. */
function glanceTail(source: Source, entry: SourceEntry, fold: FactsFold, headEnd: number): boolean {
  // It was written anew since it was listed: where its end is, only reading tells.
  if (entry.sizeBytes < headEnd) return false
  for (let size = TAIL_BYTES; size <= MOST_BYTES; size *= 4) {
    const from = Math.max(headEnd, entry.sizeBytes - size)
    const filled = fill(source, entry, from, spare.subarray(0, entry.sizeBytes - from))
    const { records, isTimed } = lastRecords(entry, from, filled, from === headEnd)
    if (!isTimed && from > headEnd) continue
    for (const record of records.reverse()) fold.add(record)
    return true
  }
  return false
}

/** The last records that tell something, newest first. */
function lastRecords(entry: SourceEntry, from: number, filled: number, isLineStart: boolean) {
  const bytes = spare.subarray(0, filled)
  const records: LogRecord[] = []
  let isPending = bytes[filled - 1] !== 0x0a
  let isTimed = false
  for (let end = isPending ? filled : filled - 1; end > 0; ) {
    const newline = bytes.lastIndexOf(0x0a, end - 1)
    if (newline === -1 && !isLineStart) break
    const start = newline + 1
    if (!isTimed || mayBeTitle(bytes, start, end)) {
      const found = isPending ? wholeRecord(entry, from, start, end) : recordsOf(entry, from, start, end)
      records.push(...found.toReversed())
      isTimed ||= found.some(hasTime)
    }
    isPending = false
    end = newline
  }
  return { records, isTimed }
}

/** Titles are short rows of their own; rows of the conversation begin with their parent, and need not be looked into. */
function mayBeTitle(bytes: Buffer, start: number, end: number): boolean {
  const isConversation = bytes[start + 2] === 0x70
  return !isConversation && end - start < LONGEST_TITLE && bytes.subarray(start, end).includes(TITLE)
}

const LONGEST_TITLE = 4 * 1024
const TITLE = Buffer.from('-title"')

/** Line numbers are not known here, and nothing that a glance gives names one. */
function recordsOf(entry: SourceEntry, base: number, from: number, to: number): readonly LogRecord[] {
  const place = { file: entry.path, line: 0, offset: base + from, length: to - from }
  return readLine(spare.subarray(from, to), place).value
}

/** A last line without newline counts only when it is one whole record. */
function wholeRecord(entry: SourceEntry, base: number, from: number, to: number): readonly LogRecord[] {
  const records = recordsOf(entry, base, from, to)
  return records.some(({ salvaged }) => salvaged) ? [] : records
}

function fill(source: Source, entry: SourceEntry, offset: number, into: Buffer): number {
  let filled = 0
  while (filled < into.length) {
    const count = source.read(entry, offset + filled, into.subarray(filled))
    if (!count) break
    filled += count
  }
  return filled
}

function hasTime({ raw }: LogRecord): boolean {
  return typeof raw.timestamp === 'string' && timeOf(raw.timestamp) !== undefined
}
