import { lstatSync, statSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { keyMatches } from '../core/encode.ts'
import { Failure } from '../core/failure.ts'
import { type DiskSource, diskSource } from './disk-source.ts'
import { type ProjectFiles, type SessionFiles, takeInventory, withEntry } from './inventory.ts'
import type { FilePlace } from './layout.ts'
import { type KnownFacts, readFacts } from './log-facts.ts'
import type { Source, SourceEntry } from './source.ts'
import { withUnreadable } from './unreadable.ts'
import type { Warning } from './warning.ts'

export interface LibraryOptions {
  /** The config folders to read. */
  readonly roots: readonly string[]
  /** Hears of files that could not be read; the rest goes on without them. */
  readonly onWarning?: (warning: Warning) => void
  /** How files are listed and read: from the disk, or from the disk with an archive behind it. */
  readonly open?: typeof diskSource
  /** For logs that lie outside of any root: which files count, and what they are. */
  readonly layout?: Layout
  /** The files that were there before, as they were seen last: those that cannot be read now are listed all the same. */
  readonly remembered?: () => readonly SourceEntry[]
  /** Why there are no roots: told to whoever asks for them. */
  readonly missing?: Failure | undefined
}

export interface Layout {
  readonly include: (relativePath: string) => boolean
  readonly placeOf: (relativePath: string) => FilePlace
}

/** The files below some roots by their paths. */
export type Listing = ReadonlyMap<string, SourceEntry>

/** Everything below some roots, read when it is asked for. Nothing is written anywhere. */
export class Library {
  readonly source: Source
  /** The files beside the logs that are chosen by their paths below a root: from the archive too where logs are. */
  readonly beside: (include: (relativePath: string) => boolean) => DiskSource
  readonly #options: LibraryOptions
  readonly #disk: DiskSource
  readonly #layout: Layout | undefined
  readonly #roots: readonly string[]
  readonly #missing: Failure | undefined
  #listed: readonly SourceEntry[] | undefined
  #entries: Listing | undefined
  #projects: readonly ProjectFiles[] | undefined
  #logs: readonly SourceEntry[] | undefined
  /** What was read last: an operation asks for the same log several times, one after the other. */
  #last: { readonly entry: SourceEntry; readonly known: KnownFacts | undefined } | undefined

  constructor(options: LibraryOptions) {
    this.#options = options
    this.#roots = options.roots.map((root) => resolve(root))
    for (const root of this.#roots) mustBeFolder(root)
    this.#missing = options.missing
    this.#layout = options.layout
    const open = options.open ?? diskSource
    const onProblem = options.onWarning && { onProblem: options.onWarning }
    this.#disk = open(this.#roots, { ...onProblem, ...(options.layout && { include: options.layout.include }) })
    this.beside = (include) => open(this.roots, { ...onProblem, include })
    this.source = this.#disk
  }

  /** Whether there is no root at all, so that nothing lies beside the logs; files that are named can still be read. */
  get isRootless(): boolean {
    return this.#missing !== undefined
  }

  get roots(): readonly string[] {
    if (this.#missing) throw this.#missing
    return this.#roots
  }

  /** Why there is no root to look in; `undefined` where there is one. */
  get missing(): Failure | undefined {
    return this.#missing
  }

  /** Whether a file is one of those that are listed here, or would be if it existed. */
  holds(path: string): boolean {
    return this.#roots.some((root) => path.startsWith(root + sep))
  }

  /** Whether the logs lie outside of any root: nobody sweeps them there. */
  get isOutside(): boolean {
    return this.#layout !== undefined
  }

  /** All files there are. Listed once, so that it is the same list until `refresh` lists again. */
  listed(): readonly SourceEntry[] {
    if (this.#missing) throw this.#missing
    this.#listed ??= this.#list()
    return this.#listed
  }

  #list(): readonly SourceEntry[] {
    const listed = [...this.source.list()]
    const unreadable = this.source.unreadable?.() ?? []
    if (unreadable.length === 0) return listed
    const { entries, warnings } = withUnreadable(listed, unreadable, this.#options.remembered?.() ?? [])
    for (const warning of warnings) this.#options.onWarning?.(warning)
    return entries
  }

  /** The same by their paths. */
  entries(): Listing {
    this.#entries ??= new Map(this.listed().map((entry) => [entry.path, entry]))
    return this.#entries
  }

  /** The projects and sessions among them. */
  projects(): readonly ProjectFiles[] {
    this.#projects ??= takeInventory({ list: () => this.listed() }, this.#layout?.placeOf)
    return this.#projects
  }

  refresh(): void {
    this.#listed = undefined
    this.#entries = undefined
    this.#projects = undefined
    this.#logs = undefined
  }

  /** Looks again at some files alone. Says no where one is not listed, or no longer the same file: then all must be listed. */
  look(paths: Iterable<string>): boolean {
    const known = this.entries()
    const looks = Array.from(paths, (path) => entryNow(known.get(path)))
    if (looks.includes(undefined)) return false
    const changed = looks.filter(
      (entry): entry is SourceEntry => entry !== undefined && known.get(entry.path) !== entry,
    )
    if (changed.length === 0) return true
    const sorted = changed.reduce<readonly ProjectFiles[] | undefined>(
      (projects, entry) => projects && withEntry(projects, entry, this.#layout?.placeOf),
      this.#projects,
    )
    const listing = new Map(known)
    for (const entry of changed) listing.set(entry.path, entry)
    this.adopt(listing)
    this.#projects = sorted
    return true
  }

  /** Takes a listing that was made elsewhere. What is open is opened again when it is read. */
  adopt(listing: Listing): void {
    this.#disk.close()
    this.#listed = [...listing.values()]
    this.#entries = listing
    this.#projects = undefined
    this.#logs = undefined
  }

  /** All sessions that have a log. */
  sessions(): readonly SessionFiles[] {
    return this.projects().flatMap((project) => project.sessions.filter((session) => session.log))
  }

  /** All logs, agents' included. */
  logs(): readonly SourceEntry[] {
    this.#logs ??= this.projects().flatMap(logsOf)
    return this.#logs
  }

  /** All facts of a log, read now; `undefined` when it is gone. */
  facts(entry: SourceEntry): KnownFacts | undefined {
    if (!this.#last || !isSame(this.#last.entry, entry)) {
      this.#last = { entry, known: readFacts(this.source, entry) }
    }
    return this.#last.known
  }

  close(): void {
    this.#disk.close()
  }
}

/** A file on disk as it is now: the same entry where nothing changed, none where it is gone or another. */
function entryNow(entry: SourceEntry | undefined): SourceEntry | undefined {
  const stats = entry && !entry.gone ? lstatSync(entry.path, { throwIfNoEntry: false }) : undefined
  if (!entry || !stats?.isFile() || entry.inode !== `${stats.dev}:${stats.ino}`) return undefined
  if (entry.sizeBytes === stats.size && entry.modifiedAt === stats.mtimeMs) return entry
  // Whether the archive has it as it is now, only a listing says: it has not had the time.
  const { root, path, inode } = entry
  return { root, path, sizeBytes: stats.size, modifiedAt: stats.mtimeMs, inode }
}

/** Whether a log is still the one that was read, at the same place. */
function isSame(read: SourceEntry, entry: SourceEntry): boolean {
  const isThere = read.path === entry.path && read.inode === entry.inode
  return isThere && read.sizeBytes === entry.sizeBytes && read.modifiedAt === entry.modifiedAt
}

/** The real path of a project: the working folder its records name, the one its folder name was made from if there is one. */
export function projectPath(key: string, cwds: Iterable<string | null>): string | null {
  let first: string | null = null
  for (const cwd of cwds) {
    if (cwd === null) continue
    if (keyMatches(key, cwd)) return cwd
    first ??= cwd
  }
  return first
}

/** All logs of a project, agents' included. */
export function logsOf({ sessions, flatAgents }: ProjectFiles): readonly SourceEntry[] {
  const logs: SourceEntry[] = []
  const take = (some: readonly { readonly log: SourceEntry | undefined }[]) => {
    for (const { log } of some) if (log) logs.push(log)
  }
  take(sessions)
  take(flatAgents)
  for (const { agents } of sessions) take(agents)
  return logs
}

function mustBeFolder(root: string): void {
  const hint = 'Name another with --root, or set CLAUDE_CONFIG_DIR if yours is elsewhere.'
  try {
    const stats = statSync(root, { throwIfNoEntry: false })
    if (stats?.isDirectory()) return
    throw new Failure('NO_ROOT', stats ? `${root} is not a folder.` : `There is no folder ${root}.`, { hint })
  } catch (error) {
    // One that cannot be looked at may be there: listing it says why it cannot be read.
    if (error instanceof Failure) throw error
  }
}
