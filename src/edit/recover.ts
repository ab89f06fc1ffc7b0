import { lstatSync, rmSync, utimesSync } from 'node:fs'
import type { Warning } from '../disk/warning.ts'
import { finishEntry } from './finish.ts'
import { clearUnwritten, dropEntry, folderOf, listEntries, saveEntry } from './journal.ts'
import type { JournalEntry, WrittenStep } from './journal-entry.ts'
import { asideOf, performAll } from './perform.ts'
import { reverseOf } from './reverse.ts'
import { changeOf, isUntouchedSince, type Seen } from './seen.ts'
import { interrupted } from './trouble.ts'

/**
 * Recovers every edit that was interrupted, and says so. The returned warnings also name what could not be put right. The lock must be
 * held.
 */
export function recoverEdits(dataDir: string): readonly Warning[] {
  clearUnwritten(dataDir)
  const unfinished = listEntries(dataDir).filter(({ state }) => state !== 'done')
  // The newest first: each finds what the one before it left.
  return unfinished.toReversed().flatMap((entry) => {
    const what = entry.state === 'ready' ? 'completed' : 'taken back'
    const message = `Edit ${entry.id} (${entry.summary}) was interrupted, and was ${what} first.`
    return [{ file: folderOf(dataDir, entry.id), message }, ...recoverEdit(dataDir, entry)]
  })
}

/** Takes back what an interrupted edit did, or, where it kept no copies, completes what lay ready. Gives what it could not put right. */
export function recoverEdit(dataDir: string, entry: JournalEntry): readonly Warning[] {
  try {
    return entry.state === 'ready' ? finishEntry(dataDir, entry) : rollBack(dataDir, entry)
  } catch (error) {
    throw interrupted(dataDir, entry, error)
  }
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
