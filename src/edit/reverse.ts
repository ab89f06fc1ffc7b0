import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../core/failure.ts'
import { parseJson } from '../core/json.ts'
import { readWhole } from '../state/private-file.ts'
import type { WrittenStep } from './journal-entry.ts'
import { bytesFrom, changeOf, mustSee, type Seen, seeFile } from './seen.ts'
import type { Step } from './step.ts'

/** Where the files of an undone edit lie, and what may be done with them. */
export interface Reversing {
  /** The folder with the copies of what stood there before. */
  readonly folder: string
  /** Where what was at a path lies now. */
  readonly where: (path: string) => string
  /** The edit was interrupted: a step may have been done in part, or not at all. */
  readonly isUnfinished?: boolean
}

/** The step that takes another back; `undefined` where nothing of it was done, or all is undone; words where it cannot be. */
export function reverseOf(step: WrittenStep, reversing: Reversing): Step | string | undefined {
  switch (step.action) {
    case 'append':
      return withoutBytes(step, reversing)
    case 'cut':
      return withBytes(step, reversing)
    case 'write':
      return step.before ? withBefore(step, step.before, reversing) : withoutFile(step, reversing)
    case 'remove':
      return withFile(step, reversing)
    case 'move':
      return moveBack(step, reversing)
    case 'make-folder':
      // Only where it is empty by then: see `perform`.
      return isThere(reversing.where(step.path)) ? { ...step, action: 'remove-folder' } : undefined
    case 'remove-folder':
      return isThere(reversing.where(step.path)) ? undefined : { ...step, action: 'make-folder' }
  }
}

type Written<Action extends WrittenStep['action']> = Extract<WrittenStep, { readonly action: Action }>

/** Cuts what was appended; where the log went on, takes it out from between. */
function withoutBytes(
  { path, before, bytes }: Written<'append'>,
  { where, isUnfinished }: Reversing,
): Step | string | undefined {
  const at = where(path)
  const change = changeOf(before, at)
  if (change === 'same') return undefined
  if (change !== 'grown') return gone(change, at)
  const size = before.cursor.sizeBytes
  const rest = bytesFrom(at, size)
  const added = Buffer.from(bytes, 'base64')
  const now = mustSee(at)
  const { modifiedAt } = before.cursor
  if (rest.equals(added)) return { action: 'cut', path, before: now, bytes: rest, modifiedAt }
  const count = isUnfinished ? writtenPart(rest, added) : shared(rest, added)
  if (isUnfinished && count === 0) return undefined
  if (isUnfinished && count === rest.length) return { action: 'cut', path, before: now, bytes: rest, modifiedAt }
  if (!isUnfinished && count < added.length) return gone('changed', at)
  const content = () => Buffer.concat([bytesFrom(at, 0).subarray(0, size), rest.subarray(count)])
  return rewritten(path, now, content, now.cursor.modifiedAt)
}

/** Appends what was cut, or puts it in where the log went on since. */
function withBytes({ path, before, bytes }: Written<'cut'>, { where }: Reversing): Step | string | undefined {
  const at = where(path)
  const now = seeFile(at)
  if (!now) return gone('gone', at)
  if (changeOf(before, at) === 'same') return undefined
  const cut = Buffer.from(bytes, 'base64')
  const size = before.cursor.sizeBytes - cut.length
  const rest = bytesFrom(at, 0)
  if (rest.length < size) return gone('changed', at)
  const content = () => Buffer.concat([rest.subarray(0, size), cut, rest.subarray(size)])
  if (rest.length === size) return { action: 'append', path, before: now, bytes: cut }
  return rewritten(path, now, content, now.cursor.modifiedAt)
}

/** A content as it was before; what was appended to the new one since stays behind it. */
function withBefore(
  { path, after, backup, mode }: Written<'write'>,
  before: Seen,
  { where, folder }: Reversing,
): Step | string | undefined {
  const at = where(path)
  if (changeOf(before, at) === 'same') return undefined
  const change = changeOf(after, at)
  if (change === 'gone' || change === 'changed' || (change === 'grown' && !at.endsWith('.jsonl'))) {
    return gone(change === 'gone' ? 'gone' : 'changed', at)
  }
  if (backup === null) return `What ${at} held before was not kept.`
  const old = () => readBackup(folder, backup)
  const now = mustSee(at)
  const rest = bytesFrom(at, after.cursor.sizeBytes)
  if (rest.length === 0) return { ...rewritten(path, now, old, before.cursor.modifiedAt), mode: before.mode }
  return { ...rewritten(path, now, () => Buffer.concat([old(), rest]), now.cursor.modifiedAt), mode }
}

function withoutFile({ path, after }: Written<'write'>, { where }: Reversing): Step | string | undefined {
  const at = where(path)
  const change = changeOf(after, at)
  if (change === 'gone') return undefined
  if (change !== 'same') return `${at} was written to since: what is in it now would be lost.`
  return { action: 'remove', path, before: mustSee(at) }
}

function withFile(
  { path, before, backup }: Written<'remove'>,
  { where, folder }: Reversing,
): Step | string | undefined {
  const at = where(path)
  const change = changeOf(before, at)
  if (change === 'same') return undefined
  if (change !== 'gone') return `There is another file at ${at} now.`
  const { mode, cursor } = before
  const content = () => readBackup(folder, backup)
  return { action: 'write', path, before: null, content, mode, modifiedAt: cursor.modifiedAt }
}

function moveBack({ path, to }: Written<'move'>, { where }: Reversing): Step | string | undefined {
  const [isHere, isMoved] = [isThere(path), isThere(where(to))]
  if (isHere && isMoved) return `There is something else at ${path} now.`
  if (isMoved) return { action: 'move', path: to, to: path }
  return isHere ? undefined : `${to} is gone.`
}

function rewritten(
  path: string,
  before: Seen,
  content: () => Uint8Array,
  modifiedAt: number,
): Extract<Step, { action: 'write' }> {
  return { action: 'write', path, before, content, mode: before.mode, modifiedAt }
}

function readBackup(folder: string, name: string): Uint8Array {
  const bytes = readWhole(join(folder, name))
  if (bytes) return bytes
  throw new Failure('CANNOT_RUN', `The copy ${join(folder, name)} is gone.`, { hint: 'Nothing was changed.' })
}

function gone(change: 'gone' | 'changed', path: string): string {
  return change === 'gone' ? `${path} is gone.` : `${path} was changed since, in what this edit wrote or before it.`
}

/** How much of what was to be appended an interrupted edit has written: others may have written after it, or instead. */
function writtenPart(rest: Buffer, added: Buffer): number {
  const count = shared(rest, added)
  if (count === rest.length || count === added.length) return count
  // A whole row of somebody else may begin like ours.
  const line = rest.subarray(0, rest.indexOf(10) === -1 ? rest.length : rest.indexOf(10))
  return parseJson(line.toString('utf8')) === undefined ? count : 0
}

/** How many bytes two begin with alike. */
function shared(a: Buffer, b: Buffer): number {
  const most = Math.min(a.length, b.length)
  let count = 0
  while (count < most && a[count] === b[count]) count += 1
  return count
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
