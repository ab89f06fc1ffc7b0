import { parentPort } from 'node:worker_threads'
import { checkFile } from './check-file.ts'
import { diskSource } from './disk-source.ts'
import type { SourceEntry } from './source.ts'

/** A thread that checks one log after the other. */
const source = diskSource([])

parentPort?.on('message', (entry: SourceEntry) => {
  parentPort?.postMessage(checkFile(source, entry))
})
