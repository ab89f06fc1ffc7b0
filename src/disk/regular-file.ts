import { closeSync, constants, fstatSync, openSync, realpathSync, type Stats } from 'node:fs'
import { sep } from 'node:path'

/** Why something could not be opened, in a sentence. `gone` is no trouble: files of a live folder come and go. */
export interface Problem {
  readonly kind: 'gone' | 'unreadable' | 'not-a-file' | 'outside'
  readonly message: string
}

/**
 * Opens a regular file for reading and gives its descriptor. A pipe, socket, device or folder is refused, so nothing
 * ever hangs; a link is followed only into one of `folders`, which are real paths.
 */
export function openRegular(path: string, folders: readonly string[] = []): number | Problem {
  try {
    return openPlain(path)
  } catch (error) {
    if (errorCode(error) !== 'ELOOP') return problemOf(error, path)
  }
  try {
    const real = realpathSync(path)
    return isInside(real, folders) ? openPlain(real) : leadsOutside(path)
  } catch (error) {
    return problemOf(error, path)
  }
}

/** Whether a real path is one of the folders, or below one. */
export function isInside(real: string, folders: readonly string[]): boolean {
  return folders.some((folder) => real === folder || real.startsWith(folder.endsWith(sep) ? folder : folder + sep))
}

/** What a failed call on `path` means. An error that is not the system's is a bug, and thrown again. */
export function problemOf(error: unknown, path: string): Problem {
  const code = errorCode(error)
  if (code === undefined) throw error
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'gone', message: `${path} is gone.` }
  return { kind: 'unreadable', message: `Could not read ${path}: ${REASONS.get(code) ?? code}.` }
}

/** A link that leads out of the folders it may lead into. */
export function leadsOutside(path: string): Problem {
  return { kind: 'outside', message: `${path} is a link that leads out of its root, and was not followed.` }
}

/** Something that is no file. */
export function notAFile(path: string, kind: KindOfFile): Problem {
  return { kind: 'not-a-file', message: `${path} is ${nameOf(kind)}, not a file, and was not opened.` }
}

type KindOfFile = Pick<Stats, 'isDirectory' | 'isFIFO' | 'isSocket'>

// Without O_NONBLOCK, opening a pipe waits for somebody to write into it.
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

const REASONS = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EIO', 'the disk reports an error'],
  ['ELOOP', 'its links lead in a circle'],
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
  return notAFile(path, stats)
}

function nameOf(kind: KindOfFile): string {
  if (kind.isDirectory()) return 'a folder'
  if (kind.isFIFO()) return 'a pipe'
  return kind.isSocket() ? 'a socket' : 'a device'
}

function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
