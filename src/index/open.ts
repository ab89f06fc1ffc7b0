import { chmodSync, closeSync, openSync, readdirSync, renameSync, rmSync, type Stats, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makePrivateFolder } from '../state/private-file.ts'
import type { Database } from './driver.ts'
import { SCHEMA, TABLES } from './schema.ts'
import { openDatabase } from './sqlite.ts'
import { asFailure, type Trouble, troubleOf } from './trouble.ts'
import { isUseDue, noteUse, unusedIndexes } from './unused.ts'

/** An open database of ours, and what is worth saying about how it was opened. */
export interface OpenIndex {
  readonly database: Database
  /** `undefined` where it lives in memory only. */
  readonly path: string | undefined
  readonly notice: string | undefined
}

/** The name of the index over a set of roots: who owns a response depends on which logs are compared. */
export function indexName(roots: readonly string[]): string {
  return `index-${SCHEMA}-${nameOf(rootSet(roots).join('\0'))}.db`
}

/** A short name of a text, by FNV-1a: no stronger hash is needed, and Node's take milliseconds to load. */
function nameOf(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return hash.toString(16).padStart(16, '0')
}

function rootSet(roots: readonly string[]): readonly string[] {
  return [...new Set(roots.map((root) => resolve(root)))].sort()
}

/** Opens the index over some roots; without a folder it lives in memory. Once a day, indexes that nobody uses are removed. */
export function openIndex(folder: string | undefined, roots: readonly string[]): OpenIndex {
  const name = indexName(roots)
  if (folder === undefined) return openTables(folder, name)
  removeOldIndexes(folder)
  const isDue = isUseDue(statsOf(join(folder, name)))
  const index = openTables(folder, name)
  if (isDue) tidy(folder, index, roots)
  return index
}

/** What cannot be noted today is noted tomorrow. */
function tidy(folder: string, { database, path }: OpenIndex, roots: readonly string[]): void {
  if (path === undefined) return
  try {
    noteUse(database, path, rootSet(roots))
    for (const unused of unusedIndexes(folder, indexesIn(folder).used)) removeIndex(folder, unused)
  } catch (error) {
    if (!isUnwritable(error)) throw error
  }
}

/** Opens the index over some roots to read it alone: another thread writes it, and has made it. */
export function openToRead(folder: string, roots: readonly string[]): OpenIndex {
  const path = join(folder, indexName(roots))
  try {
    const database = openDatabase(path, { readOnly: true })
    database.exec('pragma busy_timeout = 10000')
    database.exec(MAPPED)
    return { database, path, notice: undefined }
  } catch (error) {
    throw asFailure(error, path)
  }
}

/** Which file an index is, by device and inode: another process may have put a new one in its place. */
export function fileId(path: string): string | undefined {
  const stats = statsOf(path)
  return stats && `${stats.dev}:${stats.ino}`
}

/** Removes an index, for a rebuild; one that cannot be removed is told when it is opened. */
export function removeIndex(folder: string, name: string): void {
  try {
    for (const tail of ['', '-wal', '-shm']) rmSync(join(folder, name + tail), { force: true })
  } catch (error) {
    if (!isUnwritable(error)) throw error
  }
}

/** Removes what indexes of other forms have left: nothing uses it, and all it can do is remember. Gives how many there were. */
export function removeOldIndexes(folder: string): number {
  const old = filesIn(folder).filter((name) => /^index-\d+[-.]/.test(name) && !name.startsWith(`index-${SCHEMA}-`))
  for (const name of old) removeIndex(folder, name)
  return old.filter((name) => !/-(?:wal|shm)$/.test(name)).length
}

/** The indexes of this form in a folder: one for each set of roots. Those that were moved aside are told apart by their names. */
export function indexesIn(folder: string): { readonly used: readonly string[]; readonly damaged: readonly string[] } {
  const names = filesIn(folder).filter((name) => name.startsWith(`index-${SCHEMA}-`))
  return {
    used: names.filter((name) => name.endsWith('.db')),
    damaged: names.filter((name) => name.includes('.damaged-')),
  }
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** An index in memory, for a folder that cannot be written or has no room left. */
export function indexInMemory(folder: string): OpenIndex {
  return inMemory(`The index cannot be kept in ${folder}; it lives in memory for this run.`)
}

/**
 * Opens a database in a folder and makes the tables that are missing. A damaged file is moved aside and begun anew: everything in
 * it comes back from the logs. Where the folder cannot be written, it lives in memory.
 */
export function openTables(folder: string | undefined, name: string): OpenIndex {
  if (folder === undefined) return inMemory(undefined)
  const path = join(folder, name)
  try {
    // Whatever the umask says: the index knows what people wrote. What SQLite puts beside it gets the same mode.
    makePrivateFolder(folder)
    closeSync(openSync(path, 'a', 0o600))
    chmodSync(path, 0o600)
    return { database: openAt(path), path, notice: undefined }
  } catch (error) {
    if (isUnwritable(error)) return indexInMemory(folder)
    if (troubleOf(error) !== 'damaged') throw asFailure(error, path)
    const aside = `${path}.damaged-${new Date().toISOString().replace(/[:.]/g, '-')}`
    renameSync(path, aside)
    for (const tail of ['-wal', '-shm']) rmSync(path + tail, { force: true })
    const notice = `The index was damaged. It was moved to ${aside} and is built anew.`
    return { ...openTables(folder, name), notice }
  }
}

/** How large a database is on disk. */
export function indexBytes(path: string | undefined): number {
  if (path === undefined) return 0
  return ['', '-wal'].reduce((sum, tail) => sum + (statsOf(path + tail)?.size ?? 0), 0)
}

/** How large all indexes in a folder are; 0 where there is none. */
export function indexSize(folder: string): number {
  return indexesIn(folder).used.reduce((sum, name) => sum + indexBytes(join(folder, name)), 0)
}

/** What cannot be looked at counts as not there: opening it tells why. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function inMemory(notice: string | undefined): OpenIndex {
  const database = openDatabase(':memory:')
  database.exec(TABLES)
  return { database, path: undefined, notice }
}

/** In bytes: lists and sums look at all of a few tables, and a page that is mapped need not be asked for. */
const MAPPED = 'pragma mmap_size = 67108864'

/** Opening takes a lock for a moment, and several annals may open at once: what went wrong is tried again. */
function openAt(path: string): Database {
  for (let attempt = 0; ; attempt++) {
    const database = openDatabase(path)
    try {
      database.exec('pragma busy_timeout = 10000')
      database.exec('pragma journal_mode = wal')
      database.exec('pragma synchronous = normal')
      // In kibibytes: building words walks over many pages.
      database.exec('pragma cache_size = -32768')
      database.exec(MAPPED)
      // Asked first: to write waits for whoever else does.
      if (database.prepare('pragma user_version').get()?.user_version !== SCHEMA) makeTables(database)
      return database
    } catch (error) {
      database.close()
      if (attempt >= 20 || LASTING.has(troubleOf(error))) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25 + 25 * attempt)
    }
  }
}

function makeTables(database: Database): void {
  database.exec('begin immediate')
  database.exec(TABLES)
  database.exec(`pragma user_version = ${SCHEMA}`)
  database.exec('commit')
}

/** Troubles that do not pass by waiting. */
const LASTING: ReadonlySet<Trouble> = new Set(['damaged', 'full', 'read-only'])

/** Whether an index cannot be kept where it should: for lack of permission, room or a place. */
export function isUnwritable(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return UNWRITABLE.has(code) || troubleOf(error) === 'read-only' || troubleOf(error) === 'full'
}

const UNWRITABLE = new Set(['EACCES', 'EROFS', 'EPERM', 'ENOSPC', 'EDQUOT', 'EEXIST', 'ENOENT', 'ENOTDIR', 'EISDIR'])
