import { Failure } from '../core/failure.ts'
import { readBuffer } from '../disk/read-buffer.ts'
import type { Source, SourceEntry } from '../disk/source.ts'

/** What is read of a file at a time. */
export const CHUNK_BYTES = 1024 * 1024

/** The bytes of a file, each piece its own. Fails where it vanishes: to leave it out is better than to give its start as all of it. */
export function* chunksOf(source: Source, entry: SourceEntry): Generator<Buffer> {
  const buffer = readBuffer(CHUNK_BYTES)
  for (let offset = 0; ; ) {
    const count = source.read(entry, offset, buffer)
    if (count === undefined) throw new Failure('NOT_FOUND', `${entry.path} can no longer be read.`)
    if (count === 0) return
    // A copy: who takes it may not have written it when the next is read.
    yield Buffer.from(buffer.subarray(0, count))
    offset += count
  }
}
