import { randomBytes } from 'node:crypto'
import { archiveFolder, filesOf, readArchive } from '../archive/archive.ts'
import { syncArchive } from '../archive/sync.ts'
import { Failure } from '../core/failure.ts'
import type { Warning } from '../disk/warning.ts'
import { type Lock, takeLock } from '../state/lock.ts'
import { makePrivateFolder, syncFolder } from '../state/private-file.ts'
import { mustBeWritable, refuseLive } from './guard.ts'
import { beginEntry, dropEntry, editsFolder, listEntries, saveEntry } from './journal.ts'
import type { JournalEntry } from './journal-entry.ts'
import { lastEditOf } from './later-edits.ts'
import { changed, makeReady, perform, performAll, syncAll } from './perform.ts'
import type { Plan } from './plan.ts'
import { recoverEdits, rollBack } from './recover.ts'
import { changeOf } from './seen.ts'
import type { Step } from './step.ts'
import { asSentence, interrupted } from './trouble.ts'

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
  return withEdits(dataDir, options.warn, (lock) => {
    const entries = listEntries(dataDir)
    if (!options.force) refuseLive(plan.sessions, entries, now.getTime())
    mustBeWritable(plan.steps)
    mustBeAsSeen(plan.steps, entries, now)
    lock.check()
    const entry = begun(dataDir, plan, momentAfter(entries, now))
    if (plan.direction === 'forward') goForward(dataDir, entry, plan)
    else goBackable(dataDir, entry, plan, options.warn)
    return { id: entry.id, isUndoable: plan.direction !== 'forward' }
  })
}

/** Holds the lock of the edits while it works. Recovers interrupted edits first. Errors of the disk become sentences. */
export function withEdits<T>(dataDir: string, warn: (warning: Warning) => void, work: (lock: Lock) => T): T {
  return withEditsLocked(dataDir, (lock) => {
    for (const problem of recoverEdits(dataDir)) warn(problem)
    return work(lock)
  })
}

/** The same without recovery. */
export function withEditsLocked<T>(dataDir: string, work: (lock: Lock) => T): T {
  const folder = editsFolder(dataDir)
  try {
    makePrivateFolder(dataDir)
    const lock = takeLock(folder, { what: 'edits' })
    try {
      return work(lock)
    } finally {
      lock.release()
    }
  } catch (error) {
    throw asSentence(error, dataDir)
  }
}

/**
 * The time of an edit, later than that of every other: edits are undone in the order of these times. A command that was started first
 * may come to its edit last, and clocks go back.
 */
function momentAfter(entries: readonly JournalEntry[], now: Date): Date {
  const last = Date.parse(entries.at(-1)?.at ?? '')
  return new Date(Math.max(Date.now(), now.getTime(), Number.isNaN(last) ? 0 : last + 1))
}

/** Where copies cannot be made, nothing was done. */
function begun(dataDir: string, plan: Plan, at: Date): JournalEntry {
  const id = randomBytes(4).toString('hex')
  try {
    return beginEntry(dataDir, id, at, plan)
  } catch (error) {
    dropEntry(dataDir, id)
    throw error
  }
}

/** Performs an edit and notes that it is done; where either fails, takes all of it back. */
function goBackable(dataDir: string, entry: JournalEntry, plan: Plan, warn: (warning: Warning) => void): void {
  try {
    performAll(plan.steps)
    saveEntry(dataDir, { ...entry, state: 'done' })
  } catch (error) {
    for (const problem of takenBack(dataDir, entry, error)) warn(problem)
    throw error
  }
}

/** Takes an edit back that failed with an error; the failure says so where that does not succeed either. */
function takenBack(dataDir: string, entry: JournalEntry, error: unknown): readonly Warning[] {
  try {
    return rollBack(dataDir, entry)
  } catch {
    throw interrupted(dataDir, entry, error)
  }
}

/** Writes everything aside, says that it is ready, and puts it in place: from there on it can only be finished. */
function goForward(dataDir: string, entry: JournalEntry, plan: Plan): void {
  const ready: JournalEntry = { ...entry, state: 'ready' }
  try {
    makeReady(plan.steps)
    syncAll(plan.steps)
    saveEntry(dataDir, ready)
  } catch (error) {
    takenBack(dataDir, entry, error)
    throw error
  }
  try {
    for (const step of plan.steps) if (step.action !== 'make-folder') perform(step)
    syncAll(plan.steps)
    dropEntry(dataDir, entry.id)
    syncFolder(editsFolder(dataDir))
  } catch (error) {
    throw interrupted(dataDir, ready, error)
  }
}

/** Fails where a file is no longer what the plan saw; says which edit changed it, where one of ours did. */
function mustBeAsSeen(steps: readonly Step[], entries: readonly JournalEntry[], since: Date): void {
  for (const step of steps) {
    if (!('before' in step) || step.before === null || changeOf(step.before) === 'same') continue
    const { path } = step.before.cursor
    const other = lastEditOf(entries, path, since)
    if (!other) throw changed(path)
    const hint = 'Nothing was changed by this one. Run the same command again.'
    throw new Failure('CANNOT_WRITE', `Edit ${other.id} (${other.summary}) changed ${path} meanwhile.`, { hint })
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
