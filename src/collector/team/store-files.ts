import { closeSync, mkdirSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { Failure } from '../../core/failure.ts'
import { isObject, numberAt, objectAt, parseJson, textAt } from '../../core/json.ts'
import type { DiskOptions, DiskSource } from '../../disk/disk-source.ts'
import type { SourceEntry } from '../../disk/source.ts'
import { makePrivateFolder, readWhole, TEMPORARY, writeAllAt, writePrivateFile } from '../../state/private-file.ts'
import { Places, placeOfTeamFile } from './place.ts'
import { recordAt, SingleRecords } from './single-records.ts'
import type { StoredDocument, StoreReader } from './store-reader.ts'
import type { PlacedLog } from './store-tables.ts'

/** All that is fetched takes no more than this; what was read longest ago goes first. */
const MOST_BYTES = 512 * 1024 * 1024
/** A log of so few bytes is fetched whole, whatever is asked of it. */
const SMALL_BYTES = 64 * 1024
const STATE = 'fetched.json'
const NEW_LINE = Buffer.from('\n')

/** A log that lies here, as the store had it then. */
interface Fetched {
  readonly version: string
  readonly bytes: number
  usedAt: number
}

/**
 * The files of a team store as one may see them. Single records are read where they lie; a log that is read as a whole is fetched into
 * a private folder first, and leaves it when the store no longer has it, shows it, or has it as it was.
 */
export class StoreFiles {
  readonly folder: string
  readonly #reader: StoreReader
  readonly #mostBytes: number
  #listed: Listed | undefined
  #fetched: Map<string, Fetched> | undefined
  #last: { readonly path: string; readonly end: number } | undefined
  #part: { readonly path: string; readonly from: number; readonly bytes: Buffer } | undefined
  readonly #single: SingleRecords
  /** By what they are called in the store. */
  readonly #roots = new Map<string, string>()

  constructor(reader: StoreReader, folder: string, mostBytes = MOST_BYTES) {
    this.#reader = reader
    this.#single = new SingleRecords(reader)
    this.folder = resolve(folder)
    this.#mostBytes = mostBytes
    makePrivateFolder(this.folder)
  }

  /** The roots of all machines; one that is empty where there are none. */
  roots(): readonly string[] {
    const { logs } = this.#list()
    const roots = [...new Set([...logs.values()].map(({ root }) => root))].sort()
    if (roots.length === 0) roots.push(join(this.folder, 'nothing', 'main'))
    for (const root of roots) mkdirSync(root, { recursive: true, mode: 0o700 })
    return roots
  }

  logs(): readonly PlacedLog[] {
    return [...this.#list().logs.values()]
  }

  /** Asks again what there is. */
  refresh(): void {
    this.#listed = undefined
    this.#part = undefined
    this.#single.clear()
  }

  /** Files below the roots, as a library opens them. */
  open(
    _: readonly string[],
    { include = (path: string) => path.startsWith('projects/') }: DiskOptions = {},
  ): DiskSource {
    return {
      list: () => {
        const { logs, documents } = this.#list()
        const entries: SourceEntry[] = []
        for (const { root, path, bytes, lastAt } of logs.values())
          entries.push({ root, path, sizeBytes: bytes, modifiedAt: lastAt ?? 0 })
        for (const { root, path, bytes, modifiedAt } of documents.values())
          entries.push({ root, path, sizeBytes: bytes, modifiedAt: modifiedAt ?? 0 })
        return entries
          .filter(({ root, path }) => include(path.slice(root.length + 1).replaceAll(sep, '/')))
          .sort((a, b) => (a.path < b.path ? -1 : 1))
      },
      read: (entry, offset, into) => this.#read(entry.path, offset, into),
      close: () => {},
    }
  }

  /** Has whole logs lie in the folder, where others look through them. */
  bringHere(entries: readonly SourceEntry[]): void {
    const logs = entries.flatMap(({ path }) => this.#list().logs.get(path) ?? [])
    const bytes = logs.reduce((sum, log) => sum + log.bytes, 0)
    if (bytes > this.#mostBytes) {
      throw new Failure('CANNOT_RUN', `This would fetch ${Math.ceil(bytes / 1e6)} MB of logs from the team store.`, {
        hint: 'Search for words, which the store itself finds; or say less with --project, --session or --agent.',
      })
    }
    for (const log of logs) this.#fetch(log)
  }

  /** Asks for records at once that will be read one by one. */
  readAhead(places: readonly { readonly path: string; readonly offset: number }[]): void {
    const { logs } = this.#list()
    this.#single.readAhead(
      places.flatMap(({ path, offset }) => {
        const log = this.#state().has(path) ? undefined : logs.get(path)
        return log ? [{ log, offset }] : []
      }),
    )
  }

  #list(): Listed {
    if (this.#listed) return this.#listed
    const places = new Places([])
    const logs = new Map<string, PlacedLog>()
    for (const log of this.#reader.logs()) {
      const at = this.#at(places.take(`${log.machine} ${log.file}`, log.place))
      logs.set(at.path, { ...log, ...at })
    }
    const documents = new Map<string, PlacedDocument>()
    for (const document of this.#reader.documents()) {
      const { machine, file } = document
      // Names are hashed only where no content leaves, so this is what describes an agent; its call says the same of it.
      const place = file.startsWith('h:') ? undefined : placeOfTeamFile({ ...NOTHING, machine, file })
      if (place === undefined) continue
      const at = this.#at(place)
      documents.set(at.path, { ...document, ...at })
    }
    this.#listed = { logs, documents }
    this.#forget(logs)
    return this.#listed
  }

  #at(place: string): { readonly root: string; readonly path: string } {
    const named = place.slice(0, place.indexOf('/', place.indexOf('/') + 1))
    const root = this.#roots.get(named) ?? join(this.folder, ...place.split('/').slice(0, 2))
    this.#roots.set(named, root)
    return { root, path: join(this.folder, place) }
  }

  /** Removes what the store has no longer, or not as it was. */
  #forget(logs: ReadonlyMap<string, PlacedLog>): void {
    const fetched = this.#state()
    const before = fetched.size
    for (const [path, { version }] of fetched) {
      const log = logs.get(path)
      if (log && versionOf(log) === version && statSync(path, { throwIfNoEntry: false })) continue
      rmSync(path, { force: true })
      fetched.delete(path)
    }
    if (fetched.size < before) this.#save()
    const roots = new Set([...logs.values()].map(({ root }) => root))
    const machines = new Set([...roots].map((root) => relative(this.folder, root).split(sep)[0]))
    for (const { name } of readdirSync(this.folder, { withFileTypes: true }).filter((one) => one.isDirectory()))
      if (!machines.has(name)) rmSync(join(this.folder, name), { recursive: true, force: true })
  }

  #read(path: string, offset: number, into: Uint8Array): number | undefined {
    const { logs, documents } = this.#list()
    const log = logs.get(path)
    if (!log)
      return documents.has(path) ? this.#readDocument(documents.get(path) as PlacedDocument, offset, into) : undefined
    if (offset >= log.bytes) return 0
    const ahead = this.#single.at(path, offset)
    if (ahead && into.length <= ahead.length) {
      into.set(ahead.subarray(0, into.length))
      return into.length
    }
    const isWhole = log.bytes <= SMALL_BYTES || (offset === 0 && into.length > SMALL_BYTES)
    const goesOn = this.#last?.path === path && this.#last.end === offset
    const isHere = this.#state().has(path)
    const count = isHere || isWhole || goesOn ? this.#readWhole(log, offset, into) : this.#readPart(log, offset, into)
    this.#last = { path, end: offset + (count ?? 0) }
    return count
  }

  #readWhole(log: PlacedLog, offset: number, into: Uint8Array): number | undefined {
    this.#fetch(log)
    try {
      const fd = openSync(log.path, 'r')
      try {
        return readSync(fd, into, 0, into.length, offset)
      } finally {
        closeSync(fd)
      }
    } catch {
      return undefined
    }
  }

  /** Reads the records that stand at a place, and no others. */
  #readPart(log: PlacedLog, offset: number, into: Uint8Array): number | undefined {
    const known = this.#part
    if (known?.path === log.path && offset >= known.from && offset < known.from + known.bytes.length)
      return known.bytes.copy(into, 0, offset - known.from)
    const offsets = this.#single.offsetsOf(log.id)
    const first = recordAt(offsets, offset)
    let end = first + 1
    while (2 * end < offsets.length && (offsets[2 * end] as number) < offset + into.length) end++
    const records = this.#reader.records(
      log.id,
      offsets[2 * first + 1] as number,
      2 * end < offsets.length ? (offsets[2 * end + 1] as number) : Number.MAX_SAFE_INTEGER,
    )
    // Purged meanwhile, or never sent: then the places no longer hold.
    if (records.length === 0) return undefined
    const bytes = Buffer.concat(records.flatMap(({ content }) => [content, NEW_LINE]))
    const from = offsets[2 * first] as number
    this.#part = { path: log.path, from, bytes }
    return bytes.copy(into, 0, offset - from)
  }

  #readDocument({ machine, file, path }: PlacedDocument, offset: number, into: Uint8Array): number | undefined {
    if (this.#part?.path !== path) {
      const content = this.#reader.document(machine, file)
      if (!content) return undefined
      this.#part = { path, from: 0, bytes: Buffer.from(content) }
    }
    return this.#part.bytes.copy(into, 0, offset)
  }

  #fetch(log: PlacedLog): void {
    const fetched = this.#state()
    const known = fetched.get(log.path)
    if (known) {
      known.usedAt = Date.now()
      return
    }
    this.#makeRoom(log.bytes)
    const offsets = this.#single.offsetsOf(log.id)
    mkdirSync(dirname(log.path), { recursive: true, mode: 0o700 })
    const written = `${log.path}${TEMPORARY}`
    const fd = openSync(written, 'w', 0o600)
    let bytes = 0
    try {
      const last = (offsets.at(-1) ?? -1) + 1
      for (let from = 0; ; ) {
        const records = this.#reader.records(log.id, from, last)
        for (const { content } of records) {
          const line = Buffer.concat([content, NEW_LINE])
          writeAllAt(fd, line, bytes)
          bytes += line.length
        }
        const end = records.at(-1)
        if (!end) break
        from = end.offset + 1
      }
    } finally {
      closeSync(fd)
    }
    renameSync(written, log.path)
    fetched.set(log.path, { version: versionOf(log), bytes, usedAt: Date.now() })
    this.#save()
  }

  #makeRoom(bytes: number): void {
    const fetched = this.#state()
    let sum = [...fetched.values()].reduce((total, one) => total + one.bytes, bytes)
    for (const [path, one] of [...fetched].sort(([, a], [, b]) => a.usedAt - b.usedAt)) {
      if (sum <= this.#mostBytes) return
      rmSync(path, { force: true })
      fetched.delete(path)
      sum -= one.bytes
    }
  }

  #state(): Map<string, Fetched> {
    if (this.#fetched) return this.#fetched
    const kept = parseJson(readWhole(join(this.folder, STATE))?.toString('utf8') ?? '')
    const fetched = new Map<string, Fetched>()
    for (const [path, value] of Object.entries(objectAt(kept, 'files') ?? {})) {
      const version = textAt(value, 'version')
      if (!isObject(value) || version === undefined || !resolve(path).startsWith(this.folder + sep)) continue
      fetched.set(path, { version, bytes: numberAt(value, 'bytes') ?? 0, usedAt: numberAt(value, 'usedAt') ?? 0 })
    }
    this.#fetched = fetched
    return fetched
  }

  #save(): void {
    writePrivateFile(
      join(this.folder, STATE),
      Buffer.from(JSON.stringify({ files: Object.fromEntries(this.#state()) })),
    )
  }
}

interface PlacedDocument extends StoredDocument {
  readonly root: string
  readonly path: string
}

interface Listed {
  readonly logs: ReadonlyMap<string, PlacedLog>
  readonly documents: ReadonlyMap<string, PlacedDocument>
}

const NOTHING = { project: null, session: null, agent: null, isHistory: false }

function versionOf({ id, generation, reached, bytes }: PlacedLog): string {
  return [id, generation, reached, bytes].join()
}
