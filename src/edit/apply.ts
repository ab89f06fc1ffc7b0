import { randomBytes } from 'node:crypto'
import { archiveFolder, filesOf, readArchive } from '../archive/archive.ts'
import { syncArchive } from '../archive/sync.ts'
import type { Warning } from '../disk/warning.ts'
import { takeLock } from '../state/lock.ts'
import { asFailure, makePrivateFolder, syncFolder } from '../state/private-file.ts'
import { mustBeWritable, refuseLive } from './guard.ts'
import { beginEntry, dropEntry, editsFolder, listEntries, saveEntry } from './journal.ts'
import type { JournalEntry } from './journal-entry.ts'
import { changed, makeReady, perform, performAll, syncAll } from './perform.ts'
import type { Plan } from './plan.ts'
import { recoverEdits, rollBack } from './recover.ts'
import { changeOf } from './seen.ts'
import type { Step } from './step.ts'

/** How an edit is done. */
export interface ApplyOptions {
  /** The folder of our data: journal and copies lie below it, and the archive. */
  readonly dataDir: string
  readonly now: Date
  /** Also where a client runs the session. */
  readonly force?: boolean
  readonly warn: (warning: Warning) => void
}

/** An edit that was done; `id` is what takes it back. */
export interface Applied {
  readonly id: string
  readonly isUndoable: boolean
}

/**
 * Does what was planned, whole or not at all: looks that nobody runs or has changed what the plan saw, copies it, writes down what
 * will be done, and does it. Where a step fails, all before it are taken back.
 */
export async function applyPlan(plan: Plan, options: ApplyOptions): Promise<Applied> {
  const { dataDir, now } = options
  if (plan.direction === undefined) await keepBefore(plan, options)
  return withEdits(dataDir, options.warn, () => {
    if (!options.force) refuseLive(plan.sessions, listEntries(dataDir), now.getTime())
    mustBeWritable(plan.steps)
    mustBeAsSeen(plan.steps)
    const id = randomBytes(4).toString('hex')
    const entry = begun(dataDir, id, now, plan)
    if (plan.direction === 'forward') return goForward(dataDir, entry, plan)
    try {
      performAll(plan.steps)
    } catch (error) {
      for (const problem of rollBack(dataDir, entry)) options.warn(problem)
      throw error
    }
    saveEntry(dataDir, { ...entry, state: 'done' })
    return { id, isUndoable: true }
  })
}

/** Works with the edits while nobody else does; what a killed process left is put right before. Errors of the disk become sentences. */
export function withEdits<T>(dataDir: string, warn: (warning: Warning) => void, work: () => T): T {
  const folder = editsFolder(dataDir)
  try {
    makePrivateFolder(dataDir)
    const lock = takeLock(folder, { what: 'edits' })
    try {
      for (const problem of recoverEdits(dataDir)) warn(problem)
      return work()
    } finally {
      lock.release()
    }
  } catch (error) {
    throw asFailure(error, pathIn(error) ?? folder, 'What this edit writes')
  }
}

function pathIn(error: unknown): string | undefined {
  return error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : undefined
}

/** Where copies cannot be made, nothing was done. */
function begun(dataDir: string, id: string, now: Date, plan: Plan): JournalEntry {
  try {
    return beginEntry(dataDir, id, now, plan)
  } catch (error) {
    dropEntry(dataDir, id)
    throw error
  }
}

/** Writes everything aside, says that it is ready, and puts it in place: from there on it can only be finished. */
function goForward(dataDir: string, entry: JournalEntry, plan: Plan): Applied {
  try {
    makeReady(plan.steps)
    syncAll(plan.steps)
  } catch (error) {
    rollBack(dataDir, entry)
    throw error
  }
  saveEntry(dataDir, { ...entry, state: 'ready' })
  for (const step of plan.steps) if (step.action !== 'make-folder') perform(step)
  syncAll(plan.steps)
  dropEntry(dataDir, entry.id)
  syncFolder(editsFolder(dataDir))
  return { id: entry.id, isUndoable: false }
}

function mustBeAsSeen(steps: readonly Step[]): void {
  for (const step of steps) {
    if (!('before' in step) || step.before === null) continue
    const { path } = step.before.cursor
    if (changeOf(step.before) !== 'same') throw changed(path)
  }
}

/** What the archive keeps of a session, it has as it was before: only where something is rewritten or removed does that matter. */
async function keepBefore(plan: Plan, { dataDir, now, warn }: ApplyOptions): Promise<void> {
  const isLosing = plan.steps.some((step) => step.action === 'remove' || (step.action === 'write' && step.before))
  if (!isLosing) return
  const folder = archiveFolder(dataDir)
  const archive = readArchive(folder)
  const kept = plan.sessions.filter(({ id, root }) => filesOf(archive, id, root).length > 0)
  if (kept.length === 0) return
  const ids = new Set(kept.map(({ id, root }) => `${root}\0${id}`))
  const roots = [...new Set(kept.map(({ root }) => root))]
  const synced = await syncArchive(folder, {
    roots,
    now,
    only: ({ entry, owner }) => owner !== null && ids.has(`${entry.root}\0${owner}`),
  })
  for (const problem of [...synced.problems, ...synced.damage]) warn({ file: problem.file, message: problem.message })
}
