import { diskSource } from '../disk/disk-source.ts'
import { answerJobs } from '../disk/threads.ts'
import { readTexts, type TextJob } from './text.ts'

/** A thread that makes stretches of logs ready for the index. */
const source = diskSource([])

answerJobs(
  (job: TextJob) => readTexts(source, job, { makes: 'index' }),
  (batch) => (batch ? [batch.numbers.buffer, batch.texts.buffer, batch.ends.buffer] : []),
)
