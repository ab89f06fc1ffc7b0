import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fsync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { Failure } from '../core/failure.ts'
import { errorCode, withRegular } from '../disk/regular-file.ts'

/**
 * Makes a folder that only its owner can enter, whatever the umask says. One that was open to others is closed; one that its
 * owner has made read-only stays so.
 */
export function makePrivateFolder(path: string): void {
  const known = statSync(path, { throwIfNoEntry: false })
  if (!known?.isDirectory()) makeFolders(path)
  else if ((known.mode & 0o077) !== 0) chmodSync(path, known.mode & 0o700)
}

/** By hand: Node's `recursive` never returns where a folder exists in which none can be made, such as /proc. */
function makeFolders(path: string, isSecondTry = false): void {
  try {
    mkdirSync(path, { mode: 0o700 })
    chmodSync(path, 0o700)
  } catch (error) {
    const code = errorCode(error)
    // Another process may have made it meanwhile.
    if (code === 'EEXIST' && statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
    if (code !== 'ENOENT' || isSecondTry) throw error
    makeFolders(dirname(path))
    makeFolders(path, true)
  }
}

/** Puts a file in its place in one step: a crash or a power cut leaves the old one or the new one. */
export function writePrivateFile(path: string, bytes: Uint8Array): void {
  const temporary = temporaryOf(path)
  writeNewFile(temporary, (fd) => writeAllAt(fd, bytes, 0))
  renameSync(temporary, path)
}

/** Makes a file that must not be there yet, for its owner alone, and has it on the disk; nothing is left of one that fails. */
export function writeNewFile<T>(path: string, write: (fd: number) => T): T {
  const fd = openSync(path, NEW_FILE, 0o600)
  try {
    fchmodSync(fd, 0o600)
    const made = write(fd)
    fsyncSync(fd)
    return made
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(fd)
  }
}

/** As `writePrivateFile`, for one of many files: the disk is waited for in the background, for several at a time. */
export async function writePrivateFileSoon(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = temporaryOf(path)
  const fd = openSync(temporary, NEW_FILE, 0o600)
  try {
    fchmodSync(fd, 0o600)
    writeAllAt(fd, bytes, 0)
    await fsyncSoon(fd)
  } catch (error) {
    giveUp(fd, temporary)
    throw error
  }
  closeSync(fd)
  renameSync(temporary, path)
}

/** Waits for the disk without holding up the thread. */
export const fsyncSoon = promisify(fsync)

function temporaryOf(path: string): string {
  const temporary = `${path}${TEMPORARY}`
  // Left over by one that was killed; only one process writes here at a time.
  rmSync(temporary, { force: true })
  return temporary
}

function giveUp(fd: number, temporary: string): void {
  closeSync(fd)
  rmSync(temporary, { force: true })
}

/** Makes a file that appears with all that is in it at once. Says no where there is one already: of several that try, one succeeds. */
export function makeNewFile(path: string, bytes: Uint8Array): boolean {
  const draft = asideOf(path)
  rmSync(draft, { force: true })
  const fd = openSync(draft, NEW_FILE, 0o600)
  try {
    fchmodSync(fd, 0o600)
    writeAllAt(fd, bytes, 0)
    linkSync(draft, path)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  } finally {
    giveUp(fd, draft)
  }
}

/**
 * Gives a draft its place; says no where something stands there. Unlike a rename, a link never takes the place of what has appeared
 * there meanwhile.
 */
export function putInPlace(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
  } catch {
    if (lstatSync(path, { throwIfNoEntry: false })) return false
    // A disk without second names; whatever else is wrong, this says.
    renameSync(draft, path)
  }
  rmSync(draft, { force: true })
  return true
}

/** A name beside a file that no other process uses, nor another thread of this one. */
export function asideOf(path: string): string {
  const { threadId } = process.getBuiltinModule('node:worker_threads')
  return `${path}.${process.pid}-${threadId}`
}

/** What the name of a file ends with until it is whole. */
export const TEMPORARY = '.tmp'

/** A file that must not be there yet, links included. */
export const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** Removes a folder, unless something is in it. */
export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Not empty, or gone: both are fine.
  }
}

/** Writes all bytes at a position. */
export function writeAllAt(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, position + done)
  }
}

/** Makes the names in a folder outlive a power cut. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** As `syncFolder`; the disk is waited for in the background, for several folders and files at a time. */
export async function syncFolderSoon(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const fd = openSync(path, 'r')
  try {
    await fsyncSoon(fd)
  } finally {
    closeSync(fd)
  }
}

/** The bytes of a regular file; `undefined` when there is none. Links are never followed. */
export function readWhole(path: string): Buffer | undefined {
  return withRegular(
    path,
    (fd) => readFileSync(fd),
    ({ kind, message }) => {
      if (kind === 'gone') return undefined
      throw new Failure('CANNOT_RUN', `${path}: ${message}`)
    },
  )
}

/** Whether others on the machine can read something. */
export function isOpenToOthers(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return process.platform !== 'win32' && stats !== undefined && (stats.mode & 0o077) !== 0
}

/** An error of the file system as a sentence; any other error is a bug, and stays one. */
export function asFailure(error: unknown, folder: string, what = 'The archive', hint = UNTOUCHED): unknown {
  const code = error instanceof Error && 'code' in error && 'syscall' in error ? String(error.code) : undefined
  if (code === undefined || error instanceof Failure) return error
  const said = SAID.get(code) ?? `could not be written or read (${code})`
  return new Failure('CANNOT_WRITE', `${what} at ${folder} ${said}.`, { hint, cause: error })
}

const UNTOUCHED = 'Nothing is lost: what was kept before is untouched. Run the same command again to continue.'

const SAID = new Map([
  ['ENOSPC', 'has no room left'],
  ['EDQUOT', 'has no room left'],
  ['EACCES', 'cannot be written: permission denied'],
  ['EPERM', 'cannot be written: permission denied'],
  ['EROFS', 'cannot be written: the disk is read-only'],
  ['EIO', 'could not be written: the disk reports an error'],
  ['ENOENT', 'cannot be created: its folder does not exist'],
  ['ENOTDIR', 'cannot be created: there is a file where a folder should be'],
  ['EEXIST', 'cannot be created: something else is in its place'],
])
