import { existsSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { sep } from 'node:path'
import type { Warning } from '../disk/warning.ts'
import { dropEntry, saveEntry } from './journal.ts'
import type { JournalEntry, WrittenStep } from './journal-entry.ts'
import { asideOf, perform, syncAll } from './perform.ts'
import { bytesFrom, changeOf } from './seen.ts'
import type { Step } from './step.ts'

/**
 * Completes an interrupted edit. One that keeps copies is completed whole or not at all: the problems say what stands in the way. The
 * lock must be held.
 */
export function finishEntry(dataDir: string, entry: JournalEntry): readonly Warning[] {
  if (entry.state === 'ready') return placeReady(dataDir, entry)
  const rest = stepsLeft(entry)
  const problems = rest.flatMap(({ step, trouble }) => (trouble === null ? [] : { file: step.path, message: trouble }))
  if (problems.length > 0) return problems
  const steps = rest.map(({ step }) => asStep(step))
  for (const step of steps) perform(step)
  syncAll(steps)
  // An attempt to take it back may have left old contents there.
  for (const { path } of entry.steps) rmSync(asideOf(path), { force: true })
  saveEntry(dataDir, { ...entry, state: 'done' })
  return []
}

/** A step that was not done yet; `trouble` says why it can no longer be. */
interface StepLeft {
  readonly step: WrittenStep
  readonly trouble: string | null
}

/** The steps of an interrupted edit that were not done, in their order. */
export function stepsLeft({ steps }: JournalEntry): readonly StepLeft[] {
  const moved = steps.flatMap((step) => (step.action === 'move' && isMoved(step) ? [step] : []))
  /** Where a file lies that a later step of the same edit has moved. */
  const where = (path: string) =>
    moved.reduce((at, { path: from, to }) => {
      return at === from || at.startsWith(from + sep) ? to + at.slice(from.length) : at
    }, path)
  return steps.flatMap((step) => {
    const trouble = lookAt(step, where)
    return trouble === undefined ? [] : [{ step, trouble }]
  })
}

/** `undefined` for a step that is done, `null` for one that can be, words where neither is true. */
function lookAt(step: WrittenStep, where: (path: string) => string): string | null | undefined {
  const at = where(step.path)
  switch (step.action) {
    case 'append': {
      const added = Buffer.from(step.bytes, 'base64')
      const change = changeOf(step.before, at)
      if (change === 'same') return null
      const isThere = bytesFrom(at, step.before.cursor.sizeBytes).subarray(0, added.length).equals(added)
      return change === 'grown' && isThere ? undefined : `${at} was changed since.`
    }
    case 'cut':
      return changeOf(step.before, at) === 'same' ? null : undefined
    case 'write': {
      const change = changeOf(step.after, at)
      if (change === 'same' || change === 'grown') return undefined
      const isReady = existsSync(asideOf(at)) && changeOf(step.after, asideOf(at)) === 'same'
      if (!isReady) return `What was to be written to ${at} is gone.`
      const isAsBefore = step.before ? changeOf(step.before, at) === 'same' : change === 'gone'
      return isAsBefore ? null : `${at} was changed since.`
    }
    case 'remove': {
      const change = changeOf(step.before, at)
      return change === 'gone' ? undefined : change === 'same' ? null : `${at} was changed since.`
    }
    case 'move':
      if (isMoved(step)) return undefined
      return isThere(step.path) && !isThere(step.to) ? null : `There is something else at ${step.to} now.`
    case 'make-folder':
      return isThere(at) ? undefined : null
    case 'remove-folder':
      return isThere(at) ? null : undefined
  }
}

/** What a step does, as it is performed; the content of a file lies beside its place. */
function asStep(step: WrittenStep): Step {
  if (step.action === 'append' || step.action === 'cut') return { ...step, bytes: Buffer.from(step.bytes, 'base64') }
  return step.action === 'write' ? { ...step, content: () => bytesFrom(asideOf(step.path), 0) } : step
}

/** Puts in place all that lies ready; a file that has changed since is left as it is, and told. */
function placeReady(dataDir: string, { id, steps, name }: JournalEntry): readonly Warning[] {
  const problems = steps.flatMap((step): Warning[] => {
    if (step.action !== 'write' || !existsSync(asideOf(step.path))) return []
    const isSame = step.before ? changeOf(step.before) === 'same' : !isThere(step.path)
    if (isSame) renameSync(asideOf(step.path), step.path)
    else rmSync(asideOf(step.path), { force: true })
    return isSame ? [] : [{ file: step.path, message: `It changed while ${name} was interrupted: run that again.` }]
  })
  dropEntry(dataDir, id)
  return problems
}

function isMoved({ path, to }: { readonly path: string; readonly to: string }): boolean {
  return !isThere(path) && isThere(to)
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
