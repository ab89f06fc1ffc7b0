import type { Diagnostic } from '../core/log/diagnostic.ts'
import { MAX_LINE_BYTES } from '../core/log/lines.ts'
import { LogReader } from '../core/log/log.ts'
import type { LogRecord } from '../core/log/record.ts'
import { advance, type Cursor } from '../disk/cursor.ts'
import { sha256Hash } from '../disk/log-file.ts'
import { readBuffer } from '../disk/read-buffer.ts'
import { readUpTo } from '../disk/read-start.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { damagedRow, type RowFile, type RowMaker, rowOf } from './record-row.ts'
import type { TeamRow } from './row.ts'
import { placed } from './row-place.ts'

/** Some whole lines of a log: their rows in the order of the file, and the cursor behind them. */
export interface Piece {
  readonly rows: readonly TeamRow[]
  readonly cursor: Cursor
}

export interface ReadingOptions {
  readonly chunkBytes?: number
  readonly maxLineBytes?: number
  /** Records that do not leave although their file does. */
  readonly isLeftOut?: (record: LogRecord) => boolean
}

/**
 * Reads on from a cursor, a chunk at a time, whole lines only: a line without its newline is not there yet. The cursor of a
 * piece stands for the very bytes that its rows were made of, whatever becomes of the file meanwhile.
 */
export function* readPieces(
  maker: RowMaker,
  file: RowFile,
  source: Source,
  entry: SourceEntry,
  from: Cursor,
  options: ReadingOptions = {},
): Generator<Piece> {
  const { chunkBytes = 512 * 1024, maxLineBytes = MAX_LINE_BYTES } = options
  let cursor = from
  for (let size = chunkBytes; ; ) {
    const bytes = readUpTo(source, entry, cursor.offset, size)
    if (bytes.length === 0) return
    const end = bytes.lastIndexOf(0x0a) + 1
    if (end === 0) {
      if (bytes.length < size) return
      if (size > maxLineBytes) {
        const piece = readLong(maker, file, source, entry, cursor, maxLineBytes)
        if (!piece) return
        yield piece
        cursor = piece.cursor
        size = chunkBytes
      } else size = Math.min(size * 4, maxLineBytes + 2)
      continue
    }
    const lines = bytes.subarray(0, end)
    const { rows, line } = rowsOf(maker, file, entry, cursor, [lines], { ...options, maxLineBytes })
    cursor = advance(cursor, source, entry, { offset: cursor.offset + end, line, bytes: lines })
    yield { rows, cursor }
    size = chunkBytes
  }
}

/** A line too long to hold: it passes by, and is known by its place and hash. */
function readLong(
  maker: RowMaker,
  file: RowFile,
  source: Source,
  entry: SourceEntry,
  cursor: Cursor,
  maxLineBytes: number,
): Piece | undefined {
  let offset = cursor.offset
  let isWhole = false
  function* chunks(): Generator<Uint8Array> {
    const buffer = readBuffer(1024 * 1024)
    while (!isWhole) {
      const count = source.read(entry, offset, buffer) ?? 0
      if (count === 0) return
      const newline = buffer.subarray(0, count).indexOf(0x0a)
      const taken = newline === -1 ? count : newline + 1
      isWhole = newline !== -1
      offset += taken
      yield buffer.subarray(0, taken)
    }
  }
  const { rows, line } = rowsOf(maker, file, entry, cursor, chunks(), { maxLineBytes })
  return isWhole ? { rows, cursor: advance(cursor, source, entry, { offset, line }) } : undefined
}

function rowsOf(
  maker: RowMaker,
  file: RowFile,
  entry: SourceEntry,
  cursor: Cursor,
  chunks: Iterable<Uint8Array>,
  { maxLineBytes, isLeftOut }: ReadingOptions,
): { readonly rows: readonly TeamRow[]; readonly line: number } {
  const rows: TeamRow[] = []
  let chunk: Uint8Array = new Uint8Array(0)
  const bytesAt = ({ place }: Diagnostic) => {
    const at = place.offset - cursor.offset
    return at >= 0 ? chunk.subarray(at, at + place.length) : new Uint8Array(0)
  }
  const reader = new LogReader(
    entry.path,
    {
      record(record) {
        if (!record.provisional && !isLeftOut?.(record)) rows.push(rowOf(maker, file, record))
      },
      diagnostic(diagnostic) {
        if (!diagnostic.salvaged) rows.push(damagedRow(maker, file, diagnostic, bytesAt(diagnostic)))
      },
    },
    { offset: cursor.offset, line: cursor.line, hash: sha256Hash, ...(maxLineBytes !== undefined && { maxLineBytes }) },
  )
  for (chunk of chunks) reader.push(chunk)
  const { endLine } = reader.finish()
  return { rows: placed(rows.sort((a, b) => a.offset - b.offset)), line: endLine }
}
