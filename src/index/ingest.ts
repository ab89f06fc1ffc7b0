import { basename } from 'node:path'
import type { Source, SourceEntry } from '../disk/source.ts'
import type { Sighting } from '../disk/survey.ts'
import { onAllCores, threadScript, WORTH_BYTES } from '../disk/threads.ts'
import type { Database } from './driver.ts'
import type { RowsJob } from './fact-row.ts'
import { readRows } from './facts.ts'
import { knownLog } from './known-log.ts'
import type { LogRows } from './log-rows.ts'
import { readStraightRows } from './straight-rows.ts'
import { type LogSurvey, surveyLogs } from './survey.ts'
import { Transactions } from './transactions.ts'
import { patiently } from './trouble.ts'
import { type LogOwnerOf, LogWriter, logOwner } from './write.ts'

/** What bringing the facts up to date did. */
export interface Ingested {
  readonly filesSeen: number
  readonly filesRead: number
  readonly bytesRead: number
}

export interface IngestOptions {
  /** Owners of logs that are in other places than clients put them. */
  readonly ownerOf?: LogOwnerOf
  /** Look at these logs alone, which are known to have changed. The source must list no others. */
  readonly only?: ReadonlySet<string>
  readonly progress?: (doneBytes: number, totalBytes: number) => void
}

/** A transaction takes about this many bytes of log. */
const COMMIT_BYTES = 256 * 1024 * 1024

/**
 * Brings the facts in an index up to date with the logs of a source, which lists nothing but logs. Several processes may do so at
 * once: what one has written, the other writes again, and the same.
 */
export function ingestFacts(database: Database, source: Source, options: IngestOptions = {}): Ingested {
  const run = new Ingest(database, source, options)
  return run.guarded(() => {
    run.noteChanges()
    run.readHere(run.work)
  })
}

/** The same on all cores, where there is much to do: threads read, this one writes. */
export async function ingestOnAllCores(
  database: Database,
  source: Source,
  options: IngestOptions = {},
): Promise<Ingested> {
  const run = new Ingest(database, source, options)
  const script = threadScript('rows-worker')
  if (!script || run.totalBytes < WORTH_BYTES) return ingestFacts(database, source, options)
  const [whole, here] = parted(run.work, (sighting) => !sighting.entry.gone && !isShortGrowth(sighting))
  const jobs = whole.map((sighting) => run.job(sighting))
  try {
    run.noteChanges()
    const take = ({ entry }: RowsJob, rows: LogRows | undefined) => run.take(entry, rows)
    // Two threads that read would each compile what reads: this one only writes.
    await onAllCores({ script, jobs, bytesOf: ({ entry }) => entry.sizeBytes, take, taking: 'heavy' })
  } catch (error) {
    run.rollBack()
    throw error
  }
  // What only the archive holds is read here, and so is what goes on from rows that are known.
  return run.guarded(() => run.readHere(here))
}

/** Growth up to this size is read where the rows before it are at hand. */
const SHORT_BYTES = 8 * 1024 * 1024

function isShortGrowth({ look, entry, cursor }: Sighting): boolean {
  return look.kind === 'grown' && entry.sizeBytes - cursor.offset < SHORT_BYTES
}

function parted<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}

/** One that was renamed is read again: its rows were compared with its name. */
function needsReading({ look, entry }: Sighting): boolean {
  if (look.kind === 'moved') return look.grown || basename(look.from) !== basename(entry.path)
  return look.kind === 'new' || look.kind === 'grown' || look.kind === 'new-generation'
}

class Ingest {
  /** The logs that have to be read, oldest first, so that the numbers of logs follow time. */
  readonly work: readonly Sighting[]
  readonly totalBytes: number
  readonly #database: Database
  readonly #source: Source
  readonly #ownerOf: LogOwnerOf
  readonly #writer: LogWriter
  readonly #progress: IngestOptions['progress']
  readonly #survey: LogSurvey
  readonly #transactions: Transactions
  #filesRead = 0
  #bytesRead = 0

  constructor(database: Database, source: Source, { progress, only, ownerOf = logOwner }: IngestOptions) {
    this.#database = database
    this.#source = source
    this.#ownerOf = ownerOf
    this.#writer = new LogWriter(database, ownerOf)
    this.#transactions = new Transactions(database, this.#writer, COMMIT_BYTES)
    this.#progress = progress
    this.#survey = patiently(() => surveyLogs(database, source, only))
    this.work = [...this.#survey.looks.values()]
      .filter(needsReading)
      .sort((a, b) => a.entry.modifiedAt - b.entry.modifiedAt)
    this.totalBytes = this.work.reduce((sum, { entry }) => sum + entry.sizeBytes, 0)
  }

  /** Does the rest of the work and commits it; what fails leaves nothing half-written. */
  guarded(rest: () => void): Ingested {
    this.#transactions.finish(rest)
    return { filesSeen: this.#survey.looks.size, filesRead: this.#filesRead, bytesRead: this.#bytesRead }
  }

  readHere(work: readonly Sighting[]): void {
    for (const sighting of work) this.take(sighting.entry, this.#read(sighting))
  }

  /** A log that has grown is read from where it was left, if nothing before that turns out otherwise. */
  #read(sighting: Sighting): LogRows | undefined {
    const job = this.job(sighting)
    const known = sighting.look.kind === 'grown' ? knownLog(this.#database, sighting.entry.path) : undefined
    return (known && readStraightRows(this.#source, job, known)) ?? readRows(this.#source, job)
  }

  job({ entry, cursor }: Sighting): RowsJob {
    return { entry, cursor, agent: this.#ownerOf(entry).agent }
  }

  /** Notes which logs are gone or have moved, and when they were written last: before they are read at their new places. */
  noteChanges(): void {
    for (const { path } of this.#survey.gone) this.#change((writer) => writer.lose(path))
    for (const sighting of this.#survey.looks.values()) this.#note(sighting)
  }

  #note(sighting: Sighting): void {
    if (this.#survey.isAsKnown(sighting)) return
    const { entry, look, cursor } = sighting
    if (look.kind === 'moved') this.#change((writer) => writer.move(look.from, entry))
    if (look.kind === 'same' || look.kind === 'moved') this.#change((writer) => writer.touch(cursor, entry))
  }

  take(entry: SourceEntry, rows: LogRows | undefined): undefined {
    this.#filesRead += 1
    this.#bytesRead += entry.sizeBytes
    this.#progress?.(this.#bytesRead, this.totalBytes)
    if (!rows) return
    this.#change((writer) => writer.put(entry, rows))
    this.#transactions.add(entry.sizeBytes)
  }

  #change(action: (writer: LogWriter) => void): void {
    this.#transactions.begin()
    action(this.#writer)
  }

  rollBack(): void {
    this.#transactions.rollBack()
  }
}
