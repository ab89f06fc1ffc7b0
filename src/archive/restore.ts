import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  futimesSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure } from '../core/failure.ts'
import { fill } from '../disk/fill.ts'
import { placeOf } from '../disk/layout.ts'
import { openRegular } from '../disk/regular-file.ts'
import type { Warning } from '../disk/warning.ts'
import { asFailure, NEW_FILE, syncFolder, writeAllAt } from '../state/private-file.ts'
import { type Archive, readGeneration } from './archive.ts'
import { isSafePath } from './kept-files.ts'
import { type KeptFile, newest } from './kept-state.ts'
import { RESTORING } from './restoring.ts'

/** What a restore did. */
export interface Restored {
  readonly written: readonly RestoredFile[]
  /** Files that were there already, with all that the archive has of them. */
  readonly present: readonly RestoredFile[]
  /** Files that could not be restored. */
  readonly problems: readonly Warning[]
}

export interface RestoredFile {
  readonly file: string
  readonly sizeBytes: number
}

export interface RestoreOptions {
  /** The root to put files into; without it, each goes back to its own. */
  readonly to?: string | undefined
  readonly now: Date
}

/** A file that is written and waits to be put in its place. */
interface Draft {
  readonly temporary: string
  readonly target: string
  readonly sizeBytes: number
}

/**
 * Puts files back, byte for byte, with the time of now, so that the next sweep does not take them at once. Nothing is ever
 * overwritten and no link followed: where something else stands in the place of one file, none is written. All are written and
 * checked under other names first; the log of a session appears last.
 */
export function restoreFiles(archive: Archive, files: readonly KeptFile[], options: RestoreOptions): Restored {
  const written: RestoredFile[] = []
  const present: RestoredFile[] = []
  const problems: Warning[] = []
  const drafts: Draft[] = []
  const made: string[] = []
  try {
    const todo = logsLast(files).flatMap((file) => {
      const target = targetOf(file, options.to)
      // Left by one that was killed.
      rmSync(`${target}${RESTORING}`, { force: true })
      const state = compareKept(archive, file, target)
      if (state === 'different') throw different(target)
      if (state === 'present') present.push({ file: target, sizeBytes: newest(file)?.seen?.bytes ?? 0 })
      return state === 'absent' ? [{ file, target }] : []
    })
    for (const { file, target } of todo) {
      const draft = writeDraft(archive, file, { target, root: options.to ?? file.root, made })
      if (typeof draft === 'string') problems.push({ file: target, message: `It could not be restored: ${draft}.` })
      else drafts.push(draft)
    }
    for (const draft of drafts) {
      putInPlace(draft, options.now)
      written.push({ file: draft.target, sizeBytes: draft.sizeBytes })
    }
    for (const folder of new Set(drafts.map(({ target }) => dirname(target)))) syncFolder(folder)
    return { written, present, problems }
  } catch (error) {
    for (const { temporary } of drafts) rmSync(temporary, { force: true })
    for (const folder of made.toReversed()) removeIfEmpty(folder)
    throw asFailure(error, options.to ?? files[0]?.root ?? archive.folder)
  }
}

function logsLast(files: readonly KeptFile[]): readonly KeptFile[] {
  const isLog = ({ path }: KeptFile) => placeOf(path).kind === 'session'
  return [...files.filter((file) => !isLog(file)), ...files.filter(isLog)]
}

/** The path is joined to a root only after it was looked at, and only if no folder on the way is a link. */
function targetOf(file: KeptFile, to: string | undefined): string {
  if (!isSafePath(file.path)) throw new Failure('CANNOT_WRITE', `"${file.path}" is no path that annals would write to.`)
  const root = to ?? file.root
  const parts = file.path.split('/')
  for (let depth = 1; depth < parts.length; depth++) mustBeFolder(join(root, ...parts.slice(0, depth)))
  return join(root, ...parts)
}

function mustBeFolder(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.isDirectory()) return
  const what = stats.isSymbolicLink() ? 'a link' : 'not a folder'
  throw new Failure('CANNOT_WRITE', `${path} is ${what}; nothing was restored.`, {
    hint: 'Restore into another folder with --to.',
  })
}

function different(path: string): Failure {
  const hint = 'Nothing was written. Restore into another folder with --to.'
  return new Failure('CANNOT_WRITE', `${path} is there already, and is not what was kept.`, { hint })
}

/** A file that has all that was kept, and perhaps more at its end, needs no restoring. */
export function compareKept(archive: Archive, file: KeptFile, target: string): 'absent' | 'present' | 'different' {
  const stats = lstatSync(target, { throwIfNoEntry: false })
  if (stats === undefined) return 'absent'
  const generation = newest(file)
  const fd = stats.isFile() ? openRegular(target) : undefined
  if (typeof fd !== 'number' || !generation) return 'different'
  try {
    let offset = 0
    if (fstatSync(fd).size < (generation.seen?.bytes ?? 0)) return 'different'
    for (const bytes of readGeneration(archive, generation, {})) {
      const there = Buffer.alloc(bytes.length)
      const count = fill((at, into) => readSync(fd, into, 0, into.length, at), offset, there)
      if (count !== bytes.length || !there.equals(bytes)) return 'different'
      offset += bytes.length
    }
    return offset === (generation.seen?.bytes ?? 0) ? 'present' : 'different'
  } finally {
    closeSync(fd)
  }
}

/** Writes a file under another name. Gives words where the archive does not have it whole. */
function writeDraft(
  archive: Archive,
  file: KeptFile,
  { target, root, made }: { readonly target: string; readonly root: string; readonly made: string[] },
): Draft | string {
  const generation = newest(file)
  if (!generation || file.isDamaged) return 'the manifest has lost something of it'
  makeFolders(dirname(target), root, made)
  const temporary = `${target}${RESTORING}`
  const fd = openSync(temporary, NEW_FILE, 0o600)
  try {
    fchmodSync(fd, 0o600)
    let offset = 0
    const reading = readGeneration(archive, generation)
    for (let step = reading.next(); ; step = reading.next()) {
      if (step.done) {
        if (step.value === undefined) break
        rmSync(temporary, { force: true })
        return step.value
      }
      writeAllAt(fd, step.value, offset)
      offset += step.value.length
    }
    fsyncSync(fd)
    return { temporary, target, sizeBytes: offset }
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  } finally {
    closeSync(fd)
  }
}

/** Makes the folders below a root that are missing, one by one, so that they can be taken back. */
function makeFolders(path: string, root: string, made: string[]): void {
  if (path === root) {
    mkdirSync(root, { recursive: true, mode: 0o700 })
    return
  }
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  makeFolders(dirname(path), root, made)
  mkdirSync(path, { mode: 0o700 })
  made.push(path)
}

function putInPlace({ temporary, target }: Draft, now: Date): void {
  const fd = openSync(temporary, 'r+')
  try {
    futimesSync(fd, now, now)
  } finally {
    closeSync(fd)
  }
  try {
    // Unlike a rename, a link never takes the place of something that has appeared there meanwhile.
    linkSync(temporary, target)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST') throw different(target)
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP') throw error
    // A disk without such links.
    if (lstatSync(target, { throwIfNoEntry: false })) throw different(target)
    renameSync(temporary, target)
  }
  rmSync(temporary, { force: true })
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Not empty, or gone: both are fine.
  }
}
