import { parentPort } from 'node:worker_threads'
import { diskSource } from '../disk/disk-source.ts'
import { type RowsJob, readRows } from './facts.ts'

/** A thread that reads one log after the other for its rows. */
const source = diskSource([])

parentPort?.on('message', (job: RowsJob) => parentPort?.postMessage(readRows(source, job)))
