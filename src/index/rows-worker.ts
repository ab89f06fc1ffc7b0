import { parentPort } from 'node:worker_threads'
import { diskSource } from '../disk/disk-source.ts'
import type { RowsJob } from './fact-row.ts'
import { readRows } from './facts.ts'

/** A thread that reads one log after the other for its rows. */
const source = diskSource([])

parentPort?.on('message', (job: RowsJob) => {
  const rows = readRows(source, job)
  const moved = rows ? [rows.rows.buffer, rows.responses.numbers.buffer] : []
  parentPort?.postMessage(rows, moved)
})
