import { parentPort } from 'node:worker_threads'
import type { Cursor } from '../disk/cursor.ts'
import { diskSource } from '../disk/disk-source.ts'
import type { SourceEntry } from '../disk/source.ts'
import { readBatch } from './batch.ts'

/** A thread that makes stretches of logs ready for the index. */
const source = diskSource([])

parentPort?.on('message', ({ entry, cursor }: { readonly entry: SourceEntry; readonly cursor: Cursor }) => {
  const batch = readBatch(source, entry, cursor)
  parentPort?.postMessage(batch, [batch.texts.buffer as ArrayBuffer, batch.ends.buffer as ArrayBuffer])
})
