import type { RunningHash } from '../core/log/lines.ts'
import { LogReader, type LogSink, type LogTotals } from '../core/log/log.ts'
import type { Place } from '../core/log/place.ts'
import { type LogRecord, readLine } from '../core/log/record.ts'
import { openSha256 } from './checksums.ts'
import { CHUNK_BYTES, chunksFrom, fill, type ReadAt } from './fill.ts'
import { readBuffer } from './read-buffer.ts'
import type { Source, SourceEntry } from './source.ts'

// One buffer for all logs of a thread. Reading is synchronous, but a sink may read another log in between.
let spare: Buffer | undefined

/** Reads a whole log through one reused buffer. Gives `undefined` when the file is gone. */
export function readLogFile(
  source: Source,
  entry: SourceEntry,
  sink: LogSink,
  from?: LogPosition,
): LogTotals | undefined {
  const reader = new LogReader(entry.path, sink, { ...from, hash: sha256Hash })
  const buffer = spare ?? readBuffer(CHUNK_BYTES)
  spare = undefined
  try {
    const chunks = chunksFrom(readerOf(source, entry), from?.offset, buffer)
    const first = chunks.next()
    if (first.done) return first.value ? reader.finish() : undefined
    reader.push(first.value)
    for (const chunk of chunks) reader.push(chunk)
    return reader.finish()
  } finally {
    spare = buffer
  }
}

/** Streams the records of a log in file order, from its start or from a place between two lines, a chunk of the file at a time. */
export function* streamRecords(
  source: Source,
  entry: SourceEntry,
  from: LogPosition = { offset: 0, line: 0 },
): Generator<LogRecord> {
  let found: LogRecord[] = []
  const record = (one: LogRecord) => found.push(one)
  const reader = new LogReader(entry.path, { record }, { ...from, hash: sha256Hash })
  for (const chunk of chunksFrom(readerOf(source, entry), from.offset)) {
    reader.push(chunk)
    yield* found
    found = []
  }
  reader.finish()
  yield* found
}

/** Reads one file of a source. */
export function readerOf(source: Source, entry: SourceEntry): ReadAt {
  return (offset, into) => source.read(entry, offset, into)
}

/** A place between two lines: so many bytes and lines precede it. */
export interface LogPosition {
  readonly offset: number
  readonly line: number
}

/** Reads a record again by its place; `undefined` where the file is gone or holds something else there now. */
export function readRecordAt(source: Source, entry: SourceEntry, place: Place): LogRecord | undefined {
  const bytes = readBytesAt(source, entry, place)
  return bytes && recordIn(bytes, place)
}

/** The record that fills some bytes. */
export function recordIn(bytes: Uint8Array, place: Place): LogRecord | undefined {
  const [record, ...others] = readLine(bytes, place).value
  return others.length === 0 && record?.place.length === place.length ? record : undefined
}

/** The bytes at a place. */
export function readBytesAt(source: Source, entry: SourceEntry, place: Place): Uint8Array | undefined {
  const bytes = Buffer.allocUnsafe(place.length)
  const filled = fill(readerOf(source, entry), place.offset, bytes)
  return filled === place.length ? bytes : undefined
}

/** The hash of lines too long to hold. */
export function sha256Hash(): RunningHash {
  const hash = openSha256()
  return { update: (bytes) => hash.update(bytes), digest: () => hash.digest('hex') }
}
