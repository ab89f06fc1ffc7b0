import { diskSource } from '../disk/disk-source.ts'
import { answerJobs } from '../disk/threads.ts'
import type { RowsJob } from './fact-row.ts'
import { readRows } from './facts.ts'

/** A thread that reads one log after the other for its rows. */
const source = diskSource([])

answerJobs(
  (job: RowsJob) => readRows(source, job),
  (rows) => (rows ? [rows.rows.buffer, rows.responses.numbers.buffer] : []),
)
