import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { EDITING } from '../archive/kept-files.ts'
import { Failure } from '../core/failure.ts'
import { putInPlace, removeIfEmpty, syncFolder, writeAllAt, writeNewFile } from '../state/private-file.ts'
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
  else if (step.action === 'write') place(step)
  else if (step.action === 'remove') {
    mustBeUntouched(step.before, step.path)
    unlinkSync(step.path)
  } else if (step.action === 'move') {
    if (lstatSync(step.to, { throwIfNoEntry: false })) throw inTheWay(step.to)
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
  writeNewFile(aside, (fd) => {
    writeAllAt(fd, content(), 0)
    fchmodSync(fd, mode)
    const now = Date.now()
    futimesSync(fd, now / 1000, (modifiedAt ?? now) / 1000)
  })
}

function place({ path, before }: WriteStep): void {
  const aside = asideOf(path)
  if (before) {
    mustBeUntouched(before, path)
    renameSync(aside, path)
  } else if (!putInPlace(aside, path)) throw inTheWay(path)
}

function mustBeUntouched(seen: Seen, path: string): void {
  if (!isUntouchedSince(seen, path)) throw changed(path)
}

function inTheWay(path: string): Failure {
  const hint = 'Nothing was changed.'
  return new Failure('CANNOT_WRITE', `${path} already exists, and is never overwritten.`, { hint })
}

/** Somebody wrote to a file between the plan and its step. */
export function changed(path: string): Failure {
  const hint = 'Nothing was changed. Stop what writes to it, and try again.'
  return new Failure('CANNOT_WRITE', `${path} has changed since it was looked at.`, { hint })
}

/** The folders that have to be made for a path, from the outermost on. */
export function missingFolders(folder: string): readonly Step[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() || folder === join(folder, '..')) return []
  return [...missingFolders(dirname(folder)), { action: 'make-folder', path: folder, mode: 0o700 }]
}
