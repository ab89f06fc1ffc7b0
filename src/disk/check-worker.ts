import { checkFile } from './check-files.ts'
import { diskSource } from './disk-source.ts'
import type { SourceEntry } from './source.ts'
import { answerJobs } from './threads.ts'

/** A thread that checks one log after the other. */
const source = diskSource([])

answerJobs((entry: SourceEntry) => checkFile(source, entry))
