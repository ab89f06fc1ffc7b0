import { relative, sep } from 'node:path'
import { parseJson } from '../core/json.ts'
import { type Cursor, lookAll, readCursor, type Sighting } from '../disk/cursor.ts'
import { placeOf } from '../disk/layout.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { onAllCores, threadScript, WORTH_BYTES } from '../disk/threads.ts'
import type { Database } from '../index/driver.ts'
import { patiently } from '../index/trouble.ts'
import { type Batch, readBatch } from './batch.ts'
import { DocWriter } from './doc-writer.ts'

/** What bringing an index up to date did, and what is left. */
export interface Ingested {
  readonly filesSeen: number
  readonly filesRead: number
  readonly bytesRead: number
  readonly records: number
  readonly tookMs: number
  /** Bytes of logs that the index does not know yet. */
  readonly behindBytes: number
}

export interface IngestOptions {
  /** Look at these files alone, which are known to have changed. The source must list no others. */
  readonly only?: ReadonlySet<string>
  /** Stop after about so long; what is done is kept. */
  readonly withinMs?: number
  readonly progress?: (doneBytes: number, totalBytes: number) => void
}

/** A transaction takes about this many bytes of log: each one costs the full-text index a piece that it must merge later. */
const COMMIT_BYTES = 16 * 1024 * 1024

/**
 * Brings an index up to date with the logs of some roots; what it knows of other roots is left alone. Several processes may do
 * so at once: each line is taken once.
 */
export function ingest(
  database: Database,
  roots: readonly string[],
  source: Source,
  options: IngestOptions = {},
): Ingested {
  return patiently(() => new Ingest(database, roots, source, options)).run()
}

/** The same on all cores, where there is much to do: threads read, this one writes. */
export async function ingestOnAllCores(
  database: Database,
  roots: readonly string[],
  source: Source,
  options: IngestOptions = {},
): Promise<Ingested> {
  const one = patiently(() => new Ingest(database, roots, source, options))
  const script = threadScript('batch-worker')
  return script && one.totalBytes >= WORTH_BYTES ? await one.runOn(script) : one.run()
}

/** Which files of a root are logs. */
export function isLog(relativePath: string): boolean {
  if (relativePath.endsWith('/')) return relativePath.startsWith('projects/')
  const { kind } = placeOf(relativePath)
  return kind === 'session' || kind === 'agent'
}

class Ingest {
  readonly totalBytes: number
  readonly #database: Database
  readonly #roots: ReadonlySet<string>
  readonly #source: Source
  readonly #options: IngestOptions
  readonly #docs: DocWriter
  readonly #start = performance.now()
  readonly #filesSeen: number
  readonly #work: readonly Sighting[]
  /** Bytes of log in the open transaction; `undefined` where none is open. */
  #pendingBytes: number | undefined
  #records = 0
  #bytesRead = 0
  #filesRead = 0

  constructor(database: Database, roots: readonly string[], source: Source, options: IngestOptions) {
    this.#database = database
    this.#roots = new Set(roots)
    this.#source = source
    this.#options = options
    this.#docs = new DocWriter(database)
    const survey = lookAll(this.#cursors(), this.#source)
    for (const cursor of survey.gone) this.#markGone(cursor)
    const sightings = [...survey.looks.values()]
    this.#filesSeen = sightings.length
    // Oldest first, so that row numbers follow time and the newest are found first.
    this.#work = sightings
      .filter(({ look }) => look.kind !== 'same')
      .sort((a, b) => a.entry.modifiedAt - b.entry.modifiedAt)
    this.totalBytes = this.#work.reduce((sum, sighting) => sum + unread(sighting), 0)
  }

  run(): Ingested {
    return this.#run(this.#work)
  }

  #run(work: readonly Sighting[]): Ingested {
    try {
      for (const sighting of work) {
        if (this.#isLate()) break
        this.#take(sighting, readBatch(this.#source, sighting.entry, sighting.cursor))
      }
      return this.#done()
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  async runOn(script: string): Promise<Ingested> {
    // Threads read the disk; what only the archive holds is read here.
    const jobs = this.#work.filter(({ entry }) => !entry.gone).map(({ entry, cursor }) => ({ entry, cursor }))
    const byPath = new Map(this.#work.map((sighting) => [sighting.entry.path, sighting]))
    try {
      await onAllCores<(typeof jobs)[number], Batch>(script, jobs, ({ entry }, batch) => {
        this.#take(byPath.get(entry.path) as Sighting, batch)
        return !this.#isLate()
      })
    } catch (error) {
      this.#rollBack()
      throw error
    }
    return this.#run(this.#work.filter(({ entry }) => entry.gone))
  }

  #done(): Ingested {
    this.#commit()
    const behindBytes = Math.max(0, this.totalBytes - this.#bytesRead)
    const tookMs = Math.round(performance.now() - this.#start)
    const { filesRead, bytesRead, records } = {
      filesRead: this.#filesRead,
      bytesRead: this.#bytesRead,
      records: this.#records,
    }
    return { filesSeen: this.#filesSeen, filesRead, bytesRead, records, tookMs, behindBytes }
  }

  #isLate(): boolean {
    const { withinMs } = this.#options
    return withinMs !== undefined && performance.now() - this.#start > withinMs
  }

  #cursors(): readonly Cursor[] {
    const rows = patiently(() => this.#database.prepare('select root, path, cursor from file where gone = 0').all())
    const { only } = this.#options
    const ours = rows.filter(({ root, path }) => this.#roots.has(String(root)) && (only?.has(String(path)) ?? true))
    return ours.flatMap(({ cursor }) => readCursor(parseJson(String(cursor))) ?? [])
  }

  /** A vanished log is not a deletion: its rows stay until a rebuild. */
  #markGone(cursor: Cursor): void {
    patiently(() => this.#database.prepare('update file set gone = 1 where path = ?').run(cursor.path))
  }

  /** Takes a log from its first stretch on; the rest of a long one is read here. */
  #take(sighting: Sighting, first: Batch): void {
    const { entry } = sighting
    let { cursor } = sighting
    for (let batch = first; ; batch = readBatch(this.#source, entry, cursor)) {
      if (!this.#write(sighting, cursor, batch)) return
      this.#bytesRead += batch.cursor.offset - cursor.offset
      cursor = batch.cursor
      this.#options.progress?.(this.#bytesRead, this.totalBytes)
      if (batch.isEnd) break
      if (this.#isLate()) return
    }
    this.#filesRead += 1
    // What is left is a line that has no newline yet: read, as far as it can be.
    this.#bytesRead += entry.sizeBytes - cursor.offset
  }

  /** Writes a stretch of a log. Says no where another process was faster. */
  #write(sighting: Sighting, cursor: Cursor, batch: Batch): boolean {
    this.#begin()
    const isFirst = cursor === sighting.cursor
    const file = this.#fileRow(sighting, cursor, isFirst)
    if (file === undefined) return false
    if (isFirst && sighting.look.kind === 'new-generation') this.#docs.remove(file)
    this.#docs.add(file, batch)
    this.#database
      .prepare(
        "update file set cursor = ?, gone = 0, cwd = coalesce(cwd, ?), session = iif(session = '', ?, session) where id = ?",
      )
      .run(JSON.stringify(batch.cursor), batch.cwd, batch.session ?? '', file)
    this.#records += batch.records
    this.#pendingBytes = (this.#pendingBytes ?? 0) + batch.cursor.offset - cursor.offset
    if (this.#pendingBytes >= COMMIT_BYTES) this.#commit()
    return true
  }

  #begin(): void {
    if (this.#pendingBytes !== undefined) return
    patiently(() => this.#database.exec('begin immediate'))
    this.#pendingBytes = 0
  }

  #commit(): void {
    if (this.#pendingBytes !== undefined) this.#database.exec('commit')
    this.#pendingBytes = undefined
  }

  /** After a full disk SQLite has rolled back by itself, and says so if it is asked again. */
  #rollBack(): void {
    this.#docs.rollBack()
    if (this.#pendingBytes === undefined) return
    this.#pendingBytes = undefined
    try {
      this.#database.exec('rollback')
    } catch {
      return
    }
  }

  /** The row of a file, made if it is new. The cursor in it must be the one we know, or someone else has moved it. */
  #fileRow({ entry, look }: Sighting, cursor: Cursor, isFirst: boolean): number | undefined {
    const path = look.kind === 'moved' && isFirst ? look.from : entry.path
    const row = this.#database.prepare('select id, cursor from file where path = ?').get(path)
    if (!row) return look.kind === 'new' && isFirst ? this.#newFile(entry, cursor) : undefined
    const stored = readCursor(parseJson(String(row.cursor)))
    const isOurs = isFirst
      ? look.kind === 'new' || stored === undefined || stored.offset === this.#knownOffset(look.kind, cursor, stored)
      : stored?.offset === cursor.offset && stored.generation === cursor.generation
    if (!isOurs) return undefined
    const id = Number(row.id)
    if (look.kind === 'new' && isFirst) this.#docs.remove(id)
    if (look.kind === 'moved') this.#rename(id, entry)
    return id
  }

  /** A new generation begins at 0, wherever the old one was left. */
  #knownOffset(kind: string, cursor: Cursor, stored: Cursor): number {
    return kind === 'new-generation' && stored.generation < cursor.generation ? stored.offset : cursor.offset
  }

  #newFile(entry: SourceEntry, cursor: Cursor): number {
    const { project, session, agent } = whoseLog(entry)
    const result = this.#database
      .prepare('insert into file (root, path, project, session, agent, cursor) values (?, ?, ?, ?, ?, ?)')
      .run(entry.root, entry.path, project, session, agent, JSON.stringify(cursor))
    return Number(result.lastInsertRowid)
  }

  #rename(id: number, entry: SourceEntry): void {
    const { project, session, agent } = whoseLog(entry)
    this.#database
      .prepare('update file set root = ?, path = ?, project = ?, session = ?, agent = ? where id = ?')
      .run(entry.root, entry.path, project, session, agent, id)
  }
}

function unread({ entry, cursor }: Sighting): number {
  return Math.max(0, entry.sizeBytes - cursor.offset)
}

function whoseLog(entry: SourceEntry): {
  readonly project: string
  readonly session: string
  readonly agent: string | null
} {
  const place = placeOf(relative(entry.root, entry.path).split(sep).join('/'))
  if (place.kind === 'session') return { project: place.project, session: place.session, agent: null }
  if (place.kind === 'agent') return { project: place.project, session: place.session ?? '', agent: place.agent }
  return { project: '', session: '', agent: null }
}
