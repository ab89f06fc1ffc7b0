import { readBuffer } from './read-buffer.ts'

/** Reads from a position into some bytes: gives how many, 0 at the end, `undefined` where there is no such file any more. */
export type ReadAt = (offset: number, into: Uint8Array) => number | undefined

/**
 * Fills bytes from a position on and gives how many there were: fewer only at the end, which is `end` or, if that is left out, where
 * there is nothing more. `undefined` when the file is gone.
 */
export function fill(
  read: ReadAt,
  offset: number,
  into: Uint8Array,
  end = Number.POSITIVE_INFINITY,
): number | undefined {
  let filled = 0
  while (filled < into.length) {
    const count = read(offset + filled, into.subarray(filled))
    if (count === undefined) return undefined
    filled += count
    if (count === 0 || offset + filled >= end) break
  }
  return filled
}

/** What is read of a file at a time: a read costs little beside what is done with it, and the bytes stay in the cache. */
export const CHUNK_BYTES = 1024 * 1024

/** The bytes of a file from a position on, one chunk after the other in the same buffer. Gives whether it was there to its end. */
export function* chunksFrom(read: ReadAt, from = 0, buffer = readBuffer(CHUNK_BYTES)): Generator<Buffer, boolean> {
  for (let offset = from; ; ) {
    const count = read(offset, buffer)
    if (!count) return count === 0
    yield buffer.subarray(0, count)
    offset += count
  }
}
