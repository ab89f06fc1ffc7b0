import { parentPort } from 'node:worker_threads'
import { checkFile } from './check-file.ts'
import { diskSource } from './disk-source.ts'
import type { SourceEntry } from './source.ts'

/** A thread that checks one log after the other. */
const source = diskSource([])

parentPort?.on('message', ({ index, entry }: { index: number; entry: SourceEntry }) => {
  parentPort?.postMessage({ index, result: checkFile(source, entry) })
})
