import { FactsFold } from '../core/facts.ts'
import { textAt } from '../core/json.ts'
import { nodeOf } from '../core/node.ts'
import { type LogRecord, readLine } from '../core/record.ts'
import { askedText } from '../core/title.ts'
import { type KnownFacts, readFacts } from './log-facts.ts'
import type { Source, SourceEntry } from './source.ts'

/** Logs up to this size are read whole: that costs no more than their two ends. */
const SMALL_BYTES = 12 * 1024
const FIRST_BYTES = 8 * 1024
const MOST_BYTES = 1024 * 1024

const spare = Buffer.allocUnsafe(MOST_BYTES)

/**
 * What head and tail of a log tell: the first thing asked, the times, branch and version, and titles, which clients write
 * again near the end. Reads no further than it must, since a list does this for every session there is.
 */
export function glanceFacts(source: Source, entry: SourceEntry): KnownFacts | undefined {
  if (entry.sizeBytes <= SMALL_BYTES) return readFacts(source, entry)
  const fold = new FactsFold()
  const headEnd = glanceHead(source, entry, fold)
  if (headEnd === undefined) return undefined
  glanceTail(source, entry, fold, headEnd)
  return { facts: fold.facts(), totals: undefined, diagnostics: [] }
}

/** Reads from the start until something was asked. Gives the offset after the last line read. */
function glanceHead(source: Source, entry: SourceEntry, fold: FactsFold): number | undefined {
  let size = FIRST_BYTES
  let filled = source.read(entry, 0, spare.subarray(0, size))
  if (filled === undefined) return undefined
  let at = 0
  for (;;) {
    const newline = spare.subarray(0, filled).indexOf(0x0a, at)
    if (newline !== -1) {
      const records = linesRecords(entry, 0, at, newline)
      for (const record of records) fold.add(record)
      at = newline + 1
      if (records.some(isAsked)) return at
    } else if (filled === size && size < MOST_BYTES) {
      const before = size
      size = Math.min(size * 4, MOST_BYTES)
      filled += source.read(entry, before, spare.subarray(before, size)) ?? 0
    } else return at
  }
}

/** How much of the tail is looked at in any case: titles are written again there, after the last words. */
const TAIL_BYTES = 2 * 1024

/** Reads lines backwards from the end until one tells a time. */
function glanceTail(source: Source, entry: SourceEntry, fold: FactsFold, headEnd: number): void {
  for (let size = FIRST_BYTES; ; size *= 8) {
    const from = Math.max(headEnd, entry.sizeBytes - Math.min(size, MOST_BYTES))
    const filled = source.read(entry, from, spare.subarray(0, entry.sizeBytes - from)) ?? 0
    const { records, isEnough } = tailRecords(entry, from, filled, from === headEnd)
    if (!isEnough && from > headEnd && size < MOST_BYTES) continue
    for (const record of records.reverse()) fold.add(record)
    return
  }
}

/** The last records, newest first. */
function tailRecords(entry: SourceEntry, from: number, filled: number, isLineStart: boolean) {
  const bytes = spare.subarray(0, filled)
  const records: LogRecord[] = []
  let isTimed = false
  let end = bytes[filled - 1] === 0x0a ? filled - 1 : filled
  while (end > 0) {
    const newline = bytes.lastIndexOf(0x0a, end - 1)
    if (newline === -1 && !isLineStart) break
    const found = linesRecords(entry, from, newline + 1, end)
    records.push(...found.toReversed())
    isTimed ||= found.some(({ raw }) => typeof raw.timestamp === 'string')
    end = newline
    if (isTimed && filled - end >= TAIL_BYTES) return { records, isEnough: true }
  }
  return { records, isEnough: isTimed }
}

/** Line numbers are not known here, and nothing that a glance gives names one. */
function linesRecords(entry: SourceEntry, base: number, from: number, to: number): readonly LogRecord[] {
  const place = { file: entry.path, line: 0, offset: base + from, length: to - from }
  return readLine(spare.subarray(from, to), place).value
}

function isAsked(record: LogRecord): boolean {
  const node = record.type === 'user' ? nodeOf(record) : undefined
  return node !== undefined && askedText(node) !== null && textAt(record.raw, 'cwd') !== undefined
}
