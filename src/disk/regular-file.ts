import { closeSync, constants, fstatSync, openSync, realpathSync, type Stats } from 'node:fs'
import { sep } from 'node:path'

/** Why something could not be opened, in a sentence. `gone` is no trouble: files of a live folder come and go. */
export interface Problem {
  readonly kind: 'gone' | 'unreadable' | 'not-a-file' | 'outside'
  readonly message: string
  /** Of what is unreadable, the part of the message that says why. */
  readonly reason?: string
}

/**
 * Opens a regular file for reading and gives its descriptor. A pipe, socket, device or folder is refused, so nothing
 * ever hangs; a link is followed only into one of `folders`, which are real paths.
 */
export function openRegular(path: string, folders: readonly string[] = []): number | Problem {
  try {
    return openPlain(path)
  } catch (error) {
    // Below what is no folder there is nothing.
    if (errorCode(error) === 'ENOTDIR') return GONE
    if (errorCode(error) !== 'ELOOP') return problemOf(error)
  }
  try {
    const real = realpathSync(path)
    return isInside(real, folders) ? openPlain(real) : LEADS_OUTSIDE
  } catch (error) {
    return problemOf(error)
  }
}

/** Opens a regular file for as long as it is used; what cannot be opened is told to `refuse`. */
export function withRegular<T>(path: string, use: (fd: number) => T, refuse: (problem: Problem) => T): T {
  const fd = openRegular(path)
  if (typeof fd !== 'number') return refuse(fd)
  try {
    return use(fd)
  } finally {
    closeSync(fd)
  }
}

/** Whether a real path is one of the folders, or below one. */
export function isInside(real: string, folders: readonly string[]): boolean {
  return folders.some((folder) => real === folder || real.startsWith(folder.endsWith(sep) ? folder : folder + sep))
}

/** What a failed call means. An error that is not the system's is a bug, and thrown again. */
export function problemOf(error: unknown): Problem {
  const code = errorCode(error)
  if (code === undefined) throw error
  if (code === 'ENOENT') return GONE
  const reason = REASONS.get(code) ?? code
  return { kind: 'unreadable', message: `It could not be read: ${reason}.`, reason }
}

const GONE: Problem = { kind: 'gone', message: 'It is gone.' }

/** A link that leads out of the folders it may lead into. */
export const LEADS_OUTSIDE: Problem = {
  kind: 'outside',
  message: 'It is a link to another place, and was not followed.',
}

/** Something that is no file. */
export function notAFile(kind: KindOfFile): Problem {
  return { kind: 'not-a-file', message: `It is ${nameOf(kind)}, not a file, and was not opened.` }
}

type KindOfFile = Pick<Stats, 'isDirectory' | 'isFIFO' | 'isSocket'>

// Without O_NONBLOCK, opening a pipe waits for somebody to write into it.
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

const REASONS = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['ENOTDIR', 'there is a file where a folder should be'],
  ['EIO', 'the disk reports an error'],
  ['ELOOP', 'its links form a loop'],
  ['EMFILE', 'too many files are open'],
  ['ENFILE', 'too many files are open'],
  ['ENXIO', 'it is a socket or a device, not a file'],
  ['ENAMETOOLONG', 'its name is too long'],
])

function openPlain(path: string): number | Problem {
  const fd = openSync(path, FLAGS)
  const stats = fstatSync(fd)
  if (stats.isFile()) return fd
  closeSync(fd)
  return notAFile(stats)
}

function nameOf(kind: KindOfFile): string {
  if (kind.isDirectory()) return 'a folder'
  if (kind.isFIFO()) return 'a pipe'
  return kind.isSocket() ? 'a socket' : 'a device'
}

/** The name that the system gives an error, such as `ENOENT`; `undefined` for one that is not the system's. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
