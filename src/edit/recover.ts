import { existsSync, lstatSync, renameSync, rmSync, utimesSync } from 'node:fs'
import type { Warning } from '../disk/warning.ts'
import { clearUnwritten, dropEntry, folderOf, listEntries, saveEntry } from './journal.ts'
import type { JournalEntry, WrittenStep } from './journal-entry.ts'
import { asideOf, performAll } from './perform.ts'
import { reverseOf } from './reverse.ts'
import { changeOf, isUntouchedSince, type Seen } from './seen.ts'

/**
 * Puts right what a process left that was killed in the middle of an edit: takes back all that it did, or, where it kept no copies,
 * finishes what lay ready. Gives what it could not put right. The lock must be held.
 */
export function recoverEdits(dataDir: string): readonly Warning[] {
  clearUnwritten(dataDir)
  const unfinished = listEntries(dataDir).filter(({ state }) => state !== 'done')
  // The newest first: each finds what the one before it left.
  return unfinished.toReversed().flatMap((entry) => {
    return entry.state === 'ready' ? finish(dataDir, entry) : rollBack(dataDir, entry)
  })
}

/** Takes back what an unfinished edit did, in the order opposite to that in which it did it. */
export function rollBack(dataDir: string, entry: JournalEntry): readonly Warning[] {
  const folder = folderOf(dataDir, entry.id)
  const problems: Warning[] = []
  for (const step of entry.steps) rmSync(asideOf(step.path), { force: true })
  for (const step of begunSteps(entry.steps).toReversed()) {
    const back = reverseOf(step, { folder, where: (path) => path, isUnfinished: true })
    if (typeof back === 'string') problems.push({ file: step.path, message: back })
    else if (back) performAll([back])
    if (step.action === 'append' || step.action === 'cut') putTimeBack(step.path, step.before)
  }
  // What cannot be taken back is not tried again and again; its copies stay, and `undo` knows it.
  if (problems.length === 0) dropEntry(dataDir, entry.id)
  else saveEntry(dataDir, { ...entry, state: 'done' })
  return problems
}

/** Folders are made first, all else is done in order: behind a move that was not made, nothing was. What it is about lies elsewhere. */
function begunSteps(steps: readonly WrittenStep[]): readonly WrittenStep[] {
  const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined
  const unmoved = steps.findIndex((step) => step.action === 'move' && isThere(step.path) && !isThere(step.to))
  return unmoved === -1 ? steps : steps.filter(({ action }, at) => at < unmoved || action === 'make-folder')
}

/** A process may have been killed between the bytes and their time. A file that was moved since was seen elsewhere. */
function putTimeBack(path: string, before: Seen): void {
  const { modifiedAt } = before.cursor
  if (changeOf(before, path) !== 'same' || isUntouchedSince(before, path)) return
  utimesSync(path, modifiedAt / 1000, modifiedAt / 1000)
}

/** Puts in place all that lies ready; a file that has changed since is left as it is, and told. */
function finish(dataDir: string, { id, steps, name }: JournalEntry): readonly Warning[] {
  const problems = steps.flatMap((step): Warning[] => {
    if (step.action !== 'write' || !existsSync(asideOf(step.path))) return []
    const isSame = step.before ? changeOf(step.before) === 'same' : !lstatSync(step.path, { throwIfNoEntry: false })
    if (isSame) renameSync(asideOf(step.path), step.path)
    else rmSync(asideOf(step.path), { force: true })
    return isSame ? [] : [{ file: step.path, message: `It changed while ${name} was interrupted: run that again.` }]
  })
  dropEntry(dataDir, id)
  return problems
}
