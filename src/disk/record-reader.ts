import type { Place } from '../core/log/place.ts'
import type { LogRecord } from '../core/log/record.ts'
import { fill } from './fill.ts'
import { readBytesAt, readerOf, recordIn } from './log-file.ts'
import type { Source, SourceEntry } from './source.ts'

/** As much of a log as is read at a time; a row that is longer is read by itself. */
const WINDOW_BYTES = 64 * 1024

/** Reads records of one log by their places. Rows that stand together are read together, into the same bytes. */
export function recordReader(source: Source, entry: SourceEntry): (place: Place) => LogRecord | undefined {
  let window: Buffer | undefined
  let [from, to] = [0, 0]
  return (place) => {
    const { offset, length } = place
    if (length > WINDOW_BYTES) {
      const bytes = readBytesAt(source, entry, place)
      return bytes && recordIn(bytes, place)
    }
    window ??= Buffer.allocUnsafeSlow(WINDOW_BYTES)
    if (offset < from || offset + length > to) {
      from = offset
      to = offset + (fill(readerOf(source, entry), offset, window) ?? 0)
    }
    return offset + length > to ? undefined : recordIn(window.subarray(offset - from, offset - from + length), place)
  }
}
