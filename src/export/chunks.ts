import { chunksFrom } from '../disk/fill.ts'
import { readerOf } from '../disk/log-file.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { unreadLog } from '../disk/unreadable.ts'

/** The bytes of a file, each piece its own. Fails where it vanishes: to leave it out is better than to give its start as all of it. */
export function* chunksOf(source: Source, entry: SourceEntry): Generator<Buffer> {
  const chunks = chunksFrom(readerOf(source, entry))
  let step = chunks.next()
  // A copy: who takes it may not have written it when the next is read.
  for (; !step.done; step = chunks.next()) yield Buffer.from(step.value)
  if (!step.value) throw unreadLog(entry)
}
