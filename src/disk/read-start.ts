import { fill, type ReadAt } from './fill.ts'
import { readBuffer } from './read-buffer.ts'
import type { Source, SourceEntry } from './source.ts'

/** The bytes of a stretch, as far as the file has them. */
export function readUpTo(source: Source, entry: SourceEntry, offset: number, length: number): Buffer {
  const bytes = readBuffer(length)
  return bytes.subarray(0, fill((at, into) => source.read(entry, at, into), offset, bytes) ?? 0)
}

/** The first bytes of a file as it is now, whatever a listing said of its size: at most so many. `undefined` when it is gone. */
export function startOf(source: Source, entry: SourceEntry, most: number): Buffer | undefined {
  return readStart((offset, into) => source.read(entry, offset, into), entry.sizeBytes, most)
}

/** The same for anything that can be read; how large it was once is only where to begin. */
export function readStart(read: ReadAt, expectedBytes: number, most: number): Buffer | undefined {
  // One byte more than expected, so that the end is seen without making room for more.
  let bytes = Buffer.allocUnsafe(Math.min(most, expectedBytes + 1))
  for (let filled = 0; ; ) {
    const count = read(filled, bytes.subarray(filled))
    if (count === undefined) return undefined
    filled += count
    if (count === 0 || filled >= most) return bytes.subarray(0, filled)
    if (filled === bytes.length) bytes = Buffer.concat([bytes], Math.min(most, 2 * filled))
  }
}
