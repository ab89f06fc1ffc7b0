import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  futimesSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { EDITING } from '../archive/restoring.ts'
import { Failure } from '../core/failure.ts'
import { NEW_FILE, syncFolder, writeAllAt } from '../state/private-file.ts'
import { isUntouchedSince, type Seen } from './seen.ts'
import type { AppendStep, CutStep, Step, WriteStep } from './step.ts'

/** Does steps one after the other: folders first, then all new contents beside their places, then what others see. */
export function performAll(steps: readonly Step[]): void {
  makeReady(steps)
  for (const step of steps) if (step.action !== 'make-folder') perform(step)
  syncAll(steps)
}

/** Makes the folders of some steps and writes all their contents aside: a disk that is full says so before anything changed. */
export function makeReady(steps: readonly Step[]): void {
  for (const step of steps) if (step.action === 'make-folder') perform(step)
  for (const step of steps) if (step.action === 'write') writeAside(step)
}

/** Makes the changes of names outlive a power cut. */
export function syncAll(steps: readonly Step[]): void {
  const paths = steps.flatMap((step) => (step.action === 'move' ? [step.path, step.to] : [step.path]))
  for (const folder of new Set(paths.map((path) => dirname(path)))) {
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) syncFolder(folder)
  }
}

/** Where the new content of a file waits until all are written. */
export function asideOf(path: string): string {
  return `${path}${EDITING}`
}

/** Does one step; the new content of a file has been written aside. */
export function perform(step: Step): void {
  if (step.action === 'append') append(step)
  else if (step.action === 'cut') cut(step)
  else if (step.action === 'write') putInPlace(step)
  else if (step.action === 'remove') {
    mustBeUntouched(step.before, step.path)
    unlinkSync(step.path)
  } else if (step.action === 'move') {
    mustBeFree(step.to)
    renameSync(step.path, step.to)
  } else if (step.action === 'remove-folder') removeIfEmpty(step.path)
  else {
    mkdirSync(step.path, { mode: step.mode })
    chmodSync(step.path, step.mode)
  }
}

function append({ path, before, bytes }: AppendStep): void {
  const fd = openSync(path, constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW)
  try {
    const { size, atime } = fstatSync(fd)
    if (size !== before.cursor.sizeBytes) throw changed(path)
    writeAllAt(fd, bytes, size)
    fsyncSync(fd)
    // An append would begin the time anew after which the client sweeps it.
    futimesSync(fd, atime, before.cursor.modifiedAt / 1000)
  } finally {
    closeSync(fd)
  }
}

function cut({ path, before, bytes, modifiedAt }: CutStep): void {
  const fd = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW)
  try {
    const { size, atime } = fstatSync(fd)
    if (size !== before.cursor.sizeBytes) throw changed(path)
    ftruncateSync(fd, size - bytes.length)
    fsyncSync(fd)
    futimesSync(fd, atime, modifiedAt / 1000)
  } finally {
    closeSync(fd)
  }
}

function writeAside({ path, content, mode, modifiedAt }: WriteStep): void {
  const aside = asideOf(path)
  rmSync(aside, { force: true })
  const fd = openSync(aside, NEW_FILE, 0o600)
  try {
    writeAllAt(fd, content(), 0)
    fchmodSync(fd, mode)
    const now = Date.now()
    futimesSync(fd, now / 1000, (modifiedAt ?? now) / 1000)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function putInPlace({ path, before }: WriteStep): void {
  const aside = asideOf(path)
  if (before) {
    mustBeUntouched(before, path)
    renameSync(aside, path)
    return
  }
  try {
    // Unlike a rename, a link never takes the place of something that has appeared there meanwhile.
    linkSync(aside, path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EOPNOTSUPP') throw error
    mustBeFree(path)
    renameSync(aside, path)
  }
  rmSync(aside, { force: true })
}

function mustBeUntouched(seen: Seen, path: string): void {
  if (!isUntouchedSince(seen, path)) throw changed(path)
}

function mustBeFree(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })) return
  throw new Failure('CANNOT_WRITE', `${path} already exists, and is never overwritten.`, {
    hint: 'Nothing was changed.',
  })
}

/** Somebody wrote to a file between the plan and its step. */
export function changed(path: string): Failure {
  const hint = 'Nothing was changed. Stop what writes to it, and try again.'
  return new Failure('CANNOT_WRITE', `${path} has changed since it was looked at.`, { hint })
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Somebody put something there, or took it away: both are fine.
  }
}

/** The folders that have to be made for a path, from the outermost on. */
export function missingFolders(folder: string): readonly Step[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() || folder === join(folder, '..')) return []
  return [...missingFolders(dirname(folder)), { action: 'make-folder', path: folder, mode: 0o700 }]
}
