import { chmodSync, closeSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, openDatabase } from './driver.ts'
import { SCHEMA, TABLES } from './schema.ts'
import { asFailure, troubleOf } from './trouble.ts'

/** An open index, and what is worth saying about how it was opened. */
export interface IndexFile {
  readonly database: Database
  /** `undefined` where the index lives in memory only. */
  readonly path: string | undefined
  readonly notice: string | undefined
}

/**
 * Opens the index in a folder and makes what is missing. A damaged file is moved aside and begun anew: everything in it
 * comes back from the logs. Where the folder cannot be written, the index lives in memory.
 */
export function openIndex(folder: string | undefined): IndexFile {
  if (folder === undefined) return inMemory(undefined)
  const path = join(folder, `index-${SCHEMA}.db`)
  try {
    // Whatever the umask says: the index knows what people wrote. What SQLite puts beside it gets the same mode.
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    closeSync(openSync(path, 'a', 0o600))
    chmodSync(folder, 0o700)
    chmodSync(path, 0o600)
    return { database: openAt(path), path, notice: undefined }
  } catch (error) {
    if (isUnwritable(error)) {
      return inMemory(`The index cannot be kept in ${folder}; it lives in memory for this run.`)
    }
    if (troubleOf(error) !== 'damaged') throw asFailure(error, path)
    const aside = `${path}.damaged-${new Date().toISOString().replace(/[:.]/g, '-')}`
    renameSync(path, aside)
    for (const tail of ['-wal', '-shm']) rmSync(path + tail, { force: true })
    const notice = `The index was damaged. It was moved to ${aside} and is built anew.`
    return { ...openIndex(folder), notice }
  }
}

/** Removes the index of this schema, for a rebuild. */
export function removeIndex(folder: string): void {
  for (const tail of ['', '-wal', '-shm']) rmSync(join(folder, `index-${SCHEMA}.db${tail}`), { force: true })
}

/** How large the index in a folder is; 0 where there is none. */
export function indexSize(folder: string): number {
  return indexBytes(join(folder, `index-${SCHEMA}.db`))
}

/** How large the index is on disk. */
export function indexBytes(path: string | undefined): number {
  if (path === undefined) return 0
  return ['', '-wal'].reduce((sum, tail) => sum + (statSync(path + tail, { throwIfNoEntry: false })?.size ?? 0), 0)
}

function inMemory(notice: string | undefined): IndexFile {
  const database = openDatabase(':memory:')
  database.exec(TABLES)
  return { database, path: undefined, notice }
}

/** Opening takes a lock for a moment, and several annals may open at once: what went wrong is tried again. */
function openAt(path: string): Database {
  for (let attempt = 0; ; attempt++) {
    const database = openDatabase(path)
    try {
      database.exec('pragma busy_timeout = 10000')
      database.exec('pragma journal_mode = wal')
      database.exec('pragma synchronous = normal')
      database.exec('pragma secure_delete = on')
      database.exec('begin immediate')
      database.exec(TABLES)
      database.exec('commit')
      return database
    } catch (error) {
      database.close()
      if (attempt >= 20 || troubleOf(error) === 'damaged' || troubleOf(error) === 'full') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25 + 25 * attempt)
    }
  }
}

function isUnwritable(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return UNWRITABLE.has(code) || troubleOf(error) === 'read-only'
}

const UNWRITABLE = new Set(['EACCES', 'EROFS', 'EPERM', 'ENOSPC', 'EEXIST', 'ENOTDIR', 'EISDIR'])
