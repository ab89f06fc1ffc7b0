import { diskSource } from '../disk/disk-source.ts'
import { answerJobs } from '../disk/threads.ts'
import { type IndexJob, readTexts } from './text.ts'

/** A thread that makes stretches of logs ready for the index. */
const source = diskSource([])

answerJobs(
  (job: IndexJob) => readTexts(source, job, job),
  (batch) => (batch ? [batch.numbers.buffer, batch.texts.buffer, batch.ends.buffer] : []),
)
