import type { Source, SourceEntry } from '../disk/source.ts'
import { onAllCores, threadScript, WORTH_BYTES } from '../disk/threads.ts'
import { type Database, prepared } from './driver.ts'
import { type UnindexedLog, unindexedBytes, unindexedLogs } from './queries/unindexed-logs.ts'
import { type IndexJob, readTexts } from './text.ts'
import type { TextBatch } from './text-batch.ts'
import { Transactions } from './transactions.ts'
import { TextWriter } from './write-text.ts'

/** What was indexed, and what is left. */
export interface TextIngested {
  readonly filesRead: number
  readonly bytesRead: number
  readonly records: number
  /** Bytes of logs whose text is not indexed yet. */
  readonly behindBytes: number
}

export interface TextIngestOptions {
  /** Stop after about so long; what is done is kept. */
  readonly withinMs?: number | undefined
  readonly progress?: ((doneBytes: number, totalBytes: number) => void) | undefined
  /** Only `calls` and places, without words; `index` if left out. */
  readonly makes?: 'index' | 'calls'
}

/** A transaction takes about this many bytes of log: each one costs the full-text index a piece that it must merge later. */
const COMMIT_BYTES = 64 * 1024 * 1024

/**
 * Brings the words in an index up to date with its facts, which come first. Several processes may do so at once: each line is taken
 * once.
 */
export function ingestTexts(database: Database, source: Source, options: TextIngestOptions = {}): TextIngested {
  const run = new TextIngest(database, source, options)
  return run.guarded(() => run.readHere(run.work))
}

/** The same on all cores, where there is much to do: threads read, this one writes. */
export async function ingestTextsOnAllCores(
  database: Database,
  source: Source,
  options: TextIngestOptions = {},
): Promise<TextIngested> {
  const run = new TextIngest(database, source, options)
  const script = threadScript('text-worker')
  if (!script || run.totalBytes < WORTH_BYTES) return run.guarded(() => run.readHere(run.work))
  // Threads read the disk; what only the archive holds is read here.
  const isOnDisk = ({ job }: Work) => !job.entry.gone
  const onDisk = run.work.filter(isOnDisk)
  const works = new Map(onDisk.map((work) => [work.job.entry.path, work]))
  const jobs = onDisk.map(({ job }) => job)
  try {
    const take = ({ entry }: IndexJob, batch: TextBatch | undefined) => run.take(works.get(entry.path) as Work, batch)
    await onAllCores({ script, jobs, bytesOf: ({ from, to }) => to - from.offset, take, taking: 'heavy' })
  } catch (error) {
    run.rollBack()
    throw error
  }
  return run.guarded(() => run.readHere(run.work.filter((work) => !isOnDisk(work))))
}

interface Work {
  readonly known: UnindexedLog
  readonly job: IndexJob
}

class TextIngest {
  readonly work: readonly Work[]
  readonly totalBytes: number
  readonly #database: Database
  readonly #source: Source
  readonly #options: TextIngestOptions
  readonly #writer: TextWriter
  readonly #start = performance.now()
  readonly #transactions: Transactions
  #filesRead = 0
  #bytesRead = 0
  #records = 0

  constructor(database: Database, source: Source, options: TextIngestOptions) {
    this.#database = database
    this.#source = source
    this.#options = options
    this.#writer = new TextWriter(database)
    this.#transactions = new Transactions(database, this.#writer, COMMIT_BYTES)
    const logs = unindexedLogs(database)
    const entries = new Map<string, SourceEntry>()
    if (logs.length > 0) for (const entry of source.list()) entries.set(entry.path, entry)
    this.work = logs.flatMap((known) => {
      const entry = entries.get(known.path)
      const from = { offset: known.indexed, line: known.line }
      return entry ? [{ known, job: { entry, from, to: known.read, makes: options.makes ?? 'index' } }] : []
    })
    this.totalBytes = unindexedBytes(this.work.map(({ known }) => known))
  }

  /** Does the rest of the work and commits it; what fails leaves nothing half-written. */
  guarded(rest: () => void): TextIngested {
    this.#transactions.finish(rest)
    const behindBytes = Math.max(0, this.totalBytes - this.#bytesRead)
    return { filesRead: this.#filesRead, bytesRead: this.#bytesRead, records: this.#records, behindBytes }
  }

  readHere(work: readonly Work[]): void {
    for (const one of work) {
      if (this.#isLate()) return
      this.take(one, this.#read(one.job))
    }
  }

  /** Takes a log from its first stretch on; the rest of a long one is read here. Says no when time is over. */
  take({ known, job }: Work, first: TextBatch | undefined): boolean {
    let { from } = job
    for (let batch = first; batch; batch = this.#read({ ...job, from })) {
      if (!this.#write(known, from.offset, batch)) break
      // What is left is a line that has no newline yet.
      this.#bytesRead += (batch.isEnd ? job.to : batch.end.offset) - from.offset
      this.#records += batch.records
      from = batch.end
      this.#options.progress?.(this.#bytesRead, this.totalBytes)
      if (batch.isEnd) {
        this.#filesRead += 1
        break
      }
      if (this.#isLate()) return false
    }
    return !this.#isLate()
  }

  #read(job: IndexJob): TextBatch | undefined {
    return readTexts(this.#source, job, job)
  }

  /** Writes a stretch of a log. Says no where another process was faster, or the log is another by now. */
  #write({ log, generation, read }: UnindexedLog, from: number, batch: TextBatch): boolean {
    this.#transactions.begin()
    const now = prepared(this.#database, 'select generation, worded, worded_to, read from log where id = ?').get(log)
    if (now?.generation !== generation || now.worded !== from || (now.read as number) < read) return false
    // The words of a last line without newline are there, though `worded` has not moved.
    if ((now.worded_to as number) >= read) return false
    this.#writer.add(log, batch)
    prepared(this.#database, 'update log set worded = ?, worded_line = ?, worded_to = ? where id = ?').run(
      batch.end.offset,
      batch.end.line,
      batch.isEnd ? read : 0,
      log,
    )
    this.#transactions.add(batch.end.offset - from)
    return true
  }

  #isLate(): boolean {
    const { withinMs } = this.#options
    return withinMs !== undefined && performance.now() - this.#start > withinMs
  }

  rollBack(): void {
    this.#transactions.rollBack()
  }
}
