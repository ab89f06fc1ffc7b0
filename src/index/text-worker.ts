import { parentPort } from 'node:worker_threads'
import { diskSource } from '../disk/disk-source.ts'
import { readTexts, type TextJob } from './text.ts'

/** A thread that makes stretches of logs ready for the index. */
const source = diskSource([])

parentPort?.on('message', (job: TextJob) => {
  const batch = readTexts(source, job, { parts: true })
  const moved = batch ? [batch.numbers.buffer, batch.texts.buffer, batch.ends.buffer] : []
  parentPort?.postMessage(batch, moved)
})
