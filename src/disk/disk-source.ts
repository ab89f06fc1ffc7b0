import { closeSync, type Dirent, readdirSync, readSync, realpathSync, type Stats, statSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { isInside, LEADS_OUTSIDE, notAFile, openRegular, type Problem, problemOf } from './regular-file.ts'
import type { Source, SourceEntry } from './source.ts'
import type { Unreadable } from './unreadable.ts'
import type { Warning } from './warning.ts'

/** What a `diskSource` looks at, and whom it tells what it could not read. */
export interface DiskOptions {
  /** Asked of every file and, with a `/` at the end, every folder, relative to its root. By default all of `projects/`. */
  readonly include?: (relativePath: string) => boolean
  readonly onProblem?: (warning: Warning) => void
}

/** A source that holds a file open between reads. */
export interface DiskSource extends Source {
  close(): void
}

/**
 * The files below some roots. A file that vanishes while it is read is read to its end; one that cannot be read is
 * told to `onProblem` and otherwise treated as gone. A root, or an entry at its top, may be a link to anywhere; links
 * deeper down are followed inside the root only, and nothing is listed twice.
 */
export function diskSource(roots: readonly string[], options: DiskOptions = {}): DiskSource {
  const include = options.include ?? isInProjects
  // Reads are sequential per file, so one descriptor is enough. It pins its inode, which can therefore not be reused
  // while it is open: the same path and inode are the same file.
  let last: { readonly path: string; readonly inode: string | undefined; readonly fd: number } | undefined
  const folders = new Map<string, string[]>()
  let unreadable: Unreadable[] = []

  function tell(file: string, problem: Problem): void {
    if (problem.kind !== 'gone') options.onProblem?.({ file, message: problem.message })
  }

  function close(): void {
    if (last) closeSync(last.fd)
    last = undefined
  }

  function open(entry: SourceEntry): number | undefined {
    if (last?.path === entry.path && last.inode === entry.inode) return last.fd
    close()
    const inside = folders.get(entry.root) ?? topFolders(entry.root, include)
    folders.set(entry.root, inside)
    const fd = openRegular(entry.path, inside)
    if (typeof fd !== 'number') {
      // What cannot be read because its folder cannot was told with that.
      if (entry.unreadable === undefined) tell(entry.path, fd)
      return undefined
    }
    last = { path: entry.path, inode: entry.inode, fd }
    return fd
  }

  return {
    list() {
      close()
      unreadable = []
      const told = (file: string, problem: Problem) => {
        tell(file, problem)
        if (problem.reason !== undefined) unreadable.push({ path: file, reason: problem.reason })
      }
      const met = new MetAlready({ isWatchful: roots.length > 1 })
      const found: SourceEntry[] = []
      for (const named of roots) {
        const root = resolve(named)
        const inside: string[] = []
        folders.set(root, inside)
        walk({ root, inside, include, met, found, tell: told })
      }
      return found
    },
    unreadable: () => unreadable,
    read(entry, offset, into) {
      const fd = open(entry)
      if (fd === undefined) return undefined
      try {
        return readSync(fd, into, 0, into.length, offset)
      } catch (error) {
        tell(entry.path, problemOf(error))
        close()
        return undefined
      }
    },
    close,
  }
}

/** What is looked at where nobody says otherwise. */
export function isInProjects(relativePath: string): boolean {
  return relativePath.startsWith('projects/')
}

/** The real folders that a walk would meet links into, for who reads what others have listed. */
function topFolders(root: string, include: (relativePath: string) => boolean): string[] {
  const quiet = { tell: () => {} }
  const items = attempt(quiet, root, readFolder) ?? []
  const links = items.filter((item) => item.isSymbolicLink() && include(`${item.name}/`))
  const paths = [root, ...links.map(({ name }) => `${root}${sep}${name}`)]
  return paths.flatMap((path) => attempt(quiet, path, (it) => realpathSync(it)) ?? [])
}

interface Walk {
  readonly root: string
  /** The real folders a link may lead into; the walk adds them as it meets them. */
  readonly inside: string[]
  readonly include: (relativePath: string) => boolean
  readonly met: MetAlready
  readonly found: SourceEntry[]
  readonly tell: (file: string, problem: Problem) => void
}

/** The real paths that a listing has met, of all roots, so that neither links nor overlapping roots double a file. */
class MetAlready {
  /** Below one root, and until the first link is followed, nothing can be met twice: it is only noted. */
  readonly #noted = { folders: [] as string[], files: [] as string[] }
  #known: { readonly folders: Set<string>; readonly files: Set<string> } | undefined

  constructor({ isWatchful }: { readonly isWatchful: boolean }) {
    if (isWatchful) this.followLinks()
  }

  isFirstFolder(real: string): boolean {
    if (this.#known) return isAdded(this.#known.folders, real)
    this.#noted.folders.push(real)
    return true
  }

  isFirstFile(real: string): boolean {
    if (this.#known) return isAdded(this.#known.files, real)
    this.#noted.files.push(real)
    return true
  }

  followLinks(): void {
    this.#known ??= { folders: new Set(this.#noted.folders), files: new Set(this.#noted.files) }
  }
}

function isAdded(known: Set<string>, real: string): boolean {
  const before = known.size
  return known.add(real).size > before
}

/** Something met on a walk: below the root, by its path, and where it really is. */
interface Met {
  readonly relative: string
  readonly path: string
  readonly real: string
}

function walk(context: Walk): void {
  const path = context.root
  const real = attempt(context, path, (it) => realpathSync(it))
  if (real === undefined) return
  context.inside.push(real)
  const links: Met[] = []
  below(context, { relative: '', path, real }, links)
  if (links.length > 0) context.met.followLinks()
  // Last, so that what is really there is listed by its real path. More links may be met behind a link, but every real
  // folder is entered only once, so this ends.
  for (const link of links) behind(context, link, links)
}

/** Finds the files of a folder and of all below it; links are put aside. */
function below(context: Walk, start: Met, links: Met[]): void {
  const { include, tell } = context
  const waiting = [start]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (!context.met.isFirstFolder(folder.real)) continue
    // Joined by hand: `join` would cost as much as the system's own work.
    const above = folder.relative === '' ? '' : `${folder.relative}/`
    const aside = `${folder.path}${sep}`
    const really = folder.real === folder.path ? undefined : `${folder.real}${sep}`
    for (const item of attempt(context, folder.path, readFolder) ?? []) {
      const relative = above + item.name
      const path = aside + item.name
      const real = really === undefined ? path : really + item.name
      if (item.isFile()) {
        if (include(relative)) take(context, path, real)
      } else if (item.isSymbolicLink()) links.push({ relative, path, real })
      else if (item.isDirectory()) {
        if (include(`${relative}/`)) waiting.push({ relative, path, real })
      } else if (include(relative)) tell(path, notAFile(item))
    }
  }
}

function behind(context: Walk, { relative, path }: Met, links: Met[]): void {
  const { include, inside, tell } = context
  if (!include(relative) && !include(`${relative}/`)) return
  const real = attempt(context, path, (it) => realpathSync(it))
  if (real === undefined) return
  if (!relative.includes('/')) inside.push(real)
  if (!isInside(real, inside)) {
    tell(path, LEADS_OUTSIDE)
    return
  }
  const isFolder = attempt(context, path, statNow)?.isDirectory() ?? false
  if (!isFolder && include(relative)) take(context, path, real)
  if (isFolder && include(`${relative}/`)) below(context, { relative, path, real }, links)
}

function take(context: Walk, path: string, real: string): void {
  const stats = attempt(context, path, statNow)
  if (!stats?.isFile() || !context.met.isFirstFile(real)) return
  const { root, found } = context
  const inode = `${stats.dev}:${stats.ino}`
  found.push({ root, path, sizeBytes: stats.size, modifiedAt: stats.mtimeMs, inode })
}

/** Gives `undefined` for what vanished meanwhile or cannot be read; the latter is told. */
function attempt<T>(context: Pick<Walk, 'tell'>, path: string, call: (path: string) => T): T | undefined {
  try {
    return call(path)
  } catch (error) {
    context.tell(path, problemOf(error))
    return undefined
  }
}

function readFolder(path: string): Dirent[] {
  return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
}

function statNow(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}
