import type { LogRecord } from '../core/record.ts'
import { advance, type Cursor, look, startCursor } from './cursor.ts'
import { packFacts } from './kept-facts.ts'
import { type KnownFacts, readFacts } from './log-facts.ts'
import { readLogFile } from './log-file.ts'
import type { Source, SourceEntry } from './source.ts'

/** Keeps the facts of logs between runs. Without it, every log that is asked for is read. */
export interface FactsCache {
  facts(path: string): { readonly cursor: Cursor; readonly known: KnownFacts } | undefined
  put(made: PackedLog): void
  /** Notes that a log's time is old enough to be trusted. */
  settle(cursor: Cursor): void
  /** The cursor of the log that the kept facts were made from. */
  cursor(path: string): Cursor | undefined
  /** What a log came to when it was in the state of that stamp. */
  folded(path: string, name: string, stamp: string): Uint8Array | undefined
  keepFolded(path: string, name: string, stamp: string, value: Uint8Array): void
  close(): void
}

/** What is kept of a log: plain bytes, so that a thread can make it. */
export interface PackedLog {
  readonly path: string
  readonly cursor: Cursor
  /** `null` where they are not worth keeping. */
  readonly facts: Uint8Array | null
}

/** The facts of a log with more rows are not kept: writing them down would take more memory than making them. */
export const MOST_ROWS = 300_000

/** Nor are those of a small log: reading it again takes no longer than unpacking them. */
const SMALL_BYTES = 128 * 1024

/** What is to be kept of a log that was just read; `undefined` where it changed meanwhile. */
export function packLog(source: Source, entry: SourceEntry, known: KnownFacts): PackedLog | undefined {
  const { totals } = known
  if (!totals || totals.bytes !== entry.sizeBytes) return undefined
  // The cursor stands at the very end, also behind a line without newline: what follows it makes the facts anew.
  const end = { offset: entry.sizeBytes, line: totals.endLine }
  const cursor = advance(startCursor(entry), source, entry, end)
  const isWorthIt = entry.sizeBytes >= SMALL_BYTES && known.facts.nodes.length <= MOST_ROWS
  const facts = isWorthIt ? packFacts(known) : null
  return { path: entry.path, cursor, facts }
}

/** The facts of a log: those that were kept, else read now. `also` hears of every record. */
export function currentFacts(
  source: Source,
  entry: SourceEntry,
  cache: FactsCache | undefined,
  also?: (record: LogRecord) => void,
): {
  readonly known: KnownFacts | undefined
  readonly packed?: PackedLog | undefined
} {
  const kept = also ? undefined : cache?.facts(entry.path)
  if (kept && look(kept.cursor, source, entry).kind === 'same') return { known: kept.known }
  const known = readFacts(source, entry)
  if (also) readLogFile(source, entry, { record: also })
  return { known, packed: known && cache && packLog(source, entry, known) }
}
