import { closeSync, mkdirSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { Failure } from '../../core/failure.ts'
import { isObject, numberAt, objectAt, parseJson, textAt } from '../../core/json.ts'
import type { DiskOptions, DiskSource } from '../../disk/disk-source.ts'
import type { SourceEntry } from '../../disk/source.ts'
import { makePrivateFolder, readWhole, TEMPORARY, writeAllAt, writePrivateFile } from '../../state/private-file.ts'
import { Places, placeOfTeamFile } from './place.ts'
import { SingleRecords } from './single-records.ts'
import type { StoredDocument, StoredLog, StoreReader } from './store-reader.ts'

/** All that is fetched takes no more than this; what was read longest ago goes first. */
const MOST_BYTES = 512 * 1024 * 1024
const STATE = 'fetched.json'
const NEW_LINE = Buffer.from('\n')

/** A log that lies here, as the store had it then. */
interface Fetched {
  readonly version: string
  readonly bytes: number
  usedAt: number
}

/** A log of a store, with the path that it has here. */
export interface PlacedLog extends StoredLog {
  readonly root: string
  readonly path: string
}

/**
 * The files of a team store that the reader may see. Reading is synchronous and finds only what was fetched before: whole logs
 * in a private folder, single records and documents in memory. A log leaves the folder when the store no longer has it, no
 * longer shows it, or has it in another version.
 */
export class StoreFiles {
  readonly folder: string
  readonly #reader: StoreReader
  readonly #mostBytes: number
  #listed: Listed = { logs: new Map(), documents: new Map() }
  #fetched: Map<string, Fetched> | undefined
  readonly #single: SingleRecords
  /** Contents by path; `undefined` for a document that the store no longer has. */
  readonly #documents = new Map<string, Buffer | undefined>()
  /** Fetches run one after the other. */
  #running: Promise<unknown> = Promise.resolve()
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
    const { logs } = this.#listed
    const roots = [...new Set([...logs.values()].map(({ root }) => root))].sort()
    if (roots.length === 0) roots.push(join(this.folder, 'nothing', 'main'))
    for (const root of roots) mkdirSync(root, { recursive: true, mode: 0o700 })
    return roots
  }

  logs(): readonly PlacedLog[] {
    return [...this.#listed.logs.values()]
  }

  /** Lists what the store has now, and forgets the records and documents that were fetched. */
  async refresh(): Promise<void> {
    const [storedLogs, storedDocuments] = await Promise.all([this.#reader.logs(), this.#reader.documents()])
    const places = new Places([])
    const logs = new Map<string, PlacedLog>()
    for (const log of storedLogs) {
      const at = this.#at(places.take(`${log.machine} ${log.file}`, log.place))
      logs.set(at.path, { ...log, ...at })
    }
    const documents = new Map<string, PlacedDocument>()
    for (const document of storedDocuments) {
      const { machine, file } = document
      // Names are hashed only where no content leaves, so this is what describes an agent; its call says the same of it.
      const place = file.startsWith('h:') ? undefined : placeOfTeamFile({ ...NOTHING, machine, file })
      if (place === undefined) continue
      const at = this.#at(place)
      documents.set(at.path, { ...document, ...at })
    }
    this.#listed = { logs, documents }
    this.#single.clear()
    this.#documents.clear()
    this.#forget(logs)
  }

  /** Files below the roots, as a library opens them. */
  open(
    _: readonly string[],
    { include = (path: string) => path.startsWith('projects/') }: DiskOptions = {},
  ): DiskSource {
    return {
      list: () => {
        const { logs, documents } = this.#listed
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

  /** Fetches whole logs, and documents among them. */
  async fetch(entries: readonly SourceEntry[]): Promise<void> {
    const { logs, documents } = this.#listed
    const wanted = entries.flatMap(({ path }) => logs.get(path) ?? [])
    const bytes = wanted.reduce((sum, log) => sum + log.bytes, 0)
    if (wanted.length > 1 && bytes > this.#mostBytes) {
      throw new Failure('CANNOT_RUN', `This would fetch ${Math.ceil(bytes / 1e6)} MB of logs from the team store.`, {
        hint: 'Search for words, which the store itself finds; or say less with --project, --session or --agent.',
      })
    }
    const running = this.#running.then(async () => {
      await Promise.all(entries.flatMap(({ path }) => documents.get(path) ?? []).map((one) => this.#fetchDocument(one)))
      const fetched = this.#state()
      for (const { path } of wanted) {
        const known = fetched.get(path)
        if (known) known.usedAt = Date.now()
      }
      for (const log of wanted) if (!fetched.has(log.path)) await this.#fetchLog(log)
    })
    this.#running = running.catch(() => {})
    await running
  }

  /** Fetches single records of logs, by their offsets. */
  async fetchRecords(places: readonly { readonly path: string; readonly offset: number }[]): Promise<void> {
    const { logs } = this.#listed
    await this.#single.fetch(
      places.flatMap(({ path, offset }) => {
        const log = this.#state().has(path) ? undefined : logs.get(path)
        return log ? [{ log, offset }] : []
      }),
    )
  }

  /** Fetches the files that are chosen by their paths below a root. */
  async fetchBeside(include: (relativePath: string) => boolean): Promise<void> {
    await this.fetch([...this.open([], { include }).list()])
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
    const log = this.#listed.logs.get(path)
    if (!log) return this.#readDocument(path, offset, into)
    if (offset >= log.bytes) return 0
    if (this.#state().has(path)) return readFile(path, offset, into)
    if (!this.#single.has(path, offset)) throw new Error(`${path} was not fetched from the team store.`)
    const record = this.#single.at(path, offset)?.subarray(0, into.length)
    if (record) into.set(record)
    return record?.length
  }

  #readDocument(path: string, offset: number, into: Uint8Array): number | undefined {
    if (!this.#listed.documents.has(path)) return undefined
    if (!this.#documents.has(path)) throw new Error(`${path} was not fetched from the team store.`)
    return this.#documents.get(path)?.copy(into, 0, offset)
  }

  async #fetchDocument({ machine, file, path }: PlacedDocument): Promise<void> {
    if (this.#documents.has(path)) return
    const content = await this.#reader.document(machine, file)
    this.#documents.set(path, content && Buffer.from(content))
  }

  async #fetchLog(log: PlacedLog): Promise<void> {
    this.#makeRoom(log.bytes)
    const offsets = await this.#single.offsetsOf(log.id)
    mkdirSync(dirname(log.path), { recursive: true, mode: 0o700 })
    const written = `${log.path}${TEMPORARY}`
    const fd = openSync(written, 'w', 0o600)
    let bytes = 0
    try {
      const end = (offsets.at(-1) ?? -1) + 1
      for (let from = 0; from < end; ) {
        const records = await this.#reader.records(log.id, from, end)
        for (const { content } of records) {
          const line = Buffer.concat([content, NEW_LINE])
          writeAllAt(fd, line, bytes)
          bytes += line.length
        }
        // Purged meanwhile.
        from = (records.at(-1)?.offset ?? end) + 1
      }
    } finally {
      closeSync(fd)
    }
    renameSync(written, log.path)
    this.#state().set(log.path, { version: versionOf(log), bytes, usedAt: Date.now() })
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

/** `undefined` if the file is gone. */
function readFile(path: string, offset: number, into: Uint8Array): number | undefined {
  try {
    const fd = openSync(path, 'r')
    try {
      return readSync(fd, into, 0, into.length, offset)
    } finally {
      closeSync(fd)
    }
  } catch {
    return undefined
  }
}

function versionOf({ id, generation, reached, bytes }: PlacedLog): string {
  return [id, generation, reached, bytes].join()
}
