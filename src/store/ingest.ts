import { relative, sep } from 'node:path'
import { parseJson, textAt } from '../core/json.ts'
import { LogReader } from '../core/log.ts'
import { advance, type Cursor, lookAll, readCursor, type Sighting } from '../disk/cursor.ts'
import { placeOf } from '../disk/layout.ts'
import { sha256Hash } from '../disk/log-file.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { DocWriter } from './doc-writer.ts'
import type { Database } from './driver.ts'
import { patiently } from './trouble.ts'

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
  /** Stop after about so long; what is done is kept. */
  readonly withinMs?: number
  readonly progress?: (doneBytes: number, totalBytes: number) => void
}

/** Rows and the cursor that stands for them go into one transaction of about this many bytes of log. */
const BATCH_BYTES = 16 * 1024 * 1024
const CHUNK_BYTES = 1024 * 1024

/** Brings an index up to date with the logs of some roots; what it knows of other roots is left alone. Several processes may do so at once: each line is taken once. */
export function ingest(
  database: Database,
  roots: readonly string[],
  source: Source,
  options: IngestOptions = {},
): Ingested {
  return patiently(() => new Ingest(database, roots, source, options)).run()
}

/** Which files of a root are logs. */
export function isLog(relativePath: string): boolean {
  if (relativePath.endsWith('/')) return relativePath.startsWith('projects/')
  const { kind } = placeOf(relativePath)
  return kind === 'session' || kind === 'agent'
}

class Ingest {
  readonly #database: Database
  readonly #roots: ReadonlySet<string>
  readonly #source: Source
  readonly #options: IngestOptions
  readonly #docs: DocWriter
  readonly #start = performance.now()
  readonly #buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  #records = 0
  #bytesRead = 0
  #filesRead = 0

  constructor(database: Database, roots: readonly string[], source: Source, options: IngestOptions) {
    this.#database = database
    this.#roots = new Set(roots)
    this.#source = source
    this.#options = options
    this.#docs = new DocWriter(database)
  }

  run(): Ingested {
    const survey = lookAll(this.#cursors(), this.#source)
    for (const cursor of survey.gone) this.#markGone(cursor)
    const sightings = [...survey.looks.values()]
    const work = sightings.filter(({ look }) => look.kind !== 'same')
    // Oldest first, so that row numbers follow time and the newest are found first.
    work.sort((a, b) => a.entry.modifiedAt - b.entry.modifiedAt)
    const total = work.reduce((sum, sighting) => sum + unread(sighting), 0)
    for (const sighting of work) {
      if (this.#isLate()) break
      this.#take(sighting, total)
    }
    const behindBytes = Math.max(0, total - this.#bytesRead)
    const tookMs = Math.round(performance.now() - this.#start)
    const { filesRead, bytesRead, records } = {
      filesRead: this.#filesRead,
      bytesRead: this.#bytesRead,
      records: this.#records,
    }
    return { filesSeen: sightings.length, filesRead, bytesRead, records, tookMs, behindBytes }
  }

  #isLate(): boolean {
    const { withinMs } = this.#options
    return withinMs !== undefined && performance.now() - this.#start > withinMs
  }

  #cursors(): readonly Cursor[] {
    const rows = patiently(() => this.#database.prepare('select root, cursor from file where gone = 0').all())
    const ours = rows.filter(({ root }) => this.#roots.has(String(root)))
    return ours.flatMap(({ cursor }) => readCursor(parseJson(String(cursor))) ?? [])
  }

  /** A vanished log is not a deletion: its rows stay until a rebuild. */
  #markGone(cursor: Cursor): void {
    patiently(() => this.#database.prepare('update file set gone = 1 where path = ?').run(cursor.path))
  }

  #take(sighting: Sighting, total: number): void {
    const { entry } = sighting
    let { cursor } = sighting
    let isFirst = true
    for (;;) {
      const next = this.#transaction(() => this.#takeBatch(sighting, cursor, isFirst))
      if (next === undefined) return
      const took = next.cursor.offset - cursor.offset
      this.#bytesRead += took
      cursor = next.cursor
      isFirst = false
      this.#options.progress?.(this.#bytesRead, total)
      if (next.isEnd) break
      if (this.#isLate()) return
    }
    this.#filesRead += 1
    // What is left is a line that has no newline yet: read, as far as it can be.
    this.#bytesRead += entry.sizeBytes - cursor.offset
  }

  #transaction<T>(action: () => T): T {
    patiently(() => this.#database.exec('begin immediate'))
    try {
      const result = action()
      this.#database.exec('commit')
      return result
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  /** After a full disk SQLite has rolled back by itself, and says so if it is asked again. */
  #rollBack(): void {
    this.#docs.rollBack()
    try {
      this.#database.exec('rollback')
    } catch {
      return
    }
  }

  /** Takes a stretch of a log. Gives `undefined` where another process was faster. */
  #takeBatch(sighting: Sighting, cursor: Cursor, isFirst: boolean) {
    const { entry, look } = sighting
    const file = this.#fileRow(sighting, cursor, isFirst)
    if (file === undefined) return undefined
    if (isFirst && look.kind === 'new-generation') this.#docs.remove(file)
    let cwd: string | undefined
    let session: string | undefined
    const reader = new LogReader(
      entry.path,
      {
        record: (record) => {
          if (record.provisional) return
          cwd ??= textAt(record.raw, 'cwd')
          session ??= textAt(record.raw, 'sessionId')
          this.#records += 1
          this.#docs.add(file, record)
        },
      },
      { offset: cursor.offset, line: cursor.line, hash: sha256Hash },
    )
    let offset = cursor.offset
    let isEnd = false
    while (offset - cursor.offset < BATCH_BYTES || reader.totals.endOffset === cursor.offset) {
      const count = this.#source.read(entry, offset, this.#buffer)
      if (!count) {
        isEnd = true
        break
      }
      reader.push(this.#buffer.subarray(0, count))
      offset += count
    }
    const { endOffset, endLine } = reader.totals
    const next = advance(cursor, this.#source, entry, { offset: endOffset, line: endLine })
    this.#database
      .prepare(
        "update file set cursor = ?, gone = 0, cwd = coalesce(cwd, ?), session = iif(session = '', ?, session) where id = ?",
      )
      .run(JSON.stringify(next), cwd ?? null, session ?? '', file)
    return { cursor: next, isEnd }
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
