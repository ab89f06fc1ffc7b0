import { accessSync, constants, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { Failure } from '../core/failure.ts'
import { readLiveSessions } from '../disk/live.ts'
import { errorCode } from '../disk/regular-file.ts'
import type { JournalEntry } from './journal-entry.ts'
import type { EditedSession } from './plan.ts'
import { changeOf } from './seen.ts'
import type { Step } from './step.ts'

/** A log that was written so shortly ago may be one that a client is writing. */
const QUIET_MS = 5_000

/** Fails where a client runs one of the sessions, or its log was just written: what it holds in its memory would not match. */
export function refuseLive(sessions: readonly EditedSession[], entries: readonly JournalEntry[], now: number): void {
  for (const session of sessions) {
    const holder = readLiveSessions(session.root).items.find((one) => one.alive && one.sessionId === session.id)
    if (holder) {
      throw new Failure('CANNOT_RUN', `Claude Code (process ${holder.pid}) is running session ${session.id}.`, {
        hint: 'Quit it first. --force edits it anyway; Claude Code may not see the change, or overwrite it.',
      })
    }
    const written = statSync(session.log, { throwIfNoEntry: false })?.mtimeMs
    if (written === undefined || written < now - QUIET_MS || isOurs(session.log, entries)) continue
    const seconds = Math.max(0, Math.round((now - written) / 1000))
    const ago = seconds === 1 ? 'a second' : `${seconds} seconds`
    throw new Failure('CANNOT_RUN', `${session.log} was written ${ago} ago: something may still write to it.`, {
      hint: 'Wait a few seconds and try again, or add --force.',
    })
  }
}

/** Whether a file is as an edit of ours left it. */
function isOurs(path: string, entries: readonly JournalEntry[]): boolean {
  const step = entries.flatMap(({ steps }) => steps).findLast((one) => one.path === path && one.action === 'write')
  return step?.action === 'write' && changeOf(step.after) === 'same'
}

/** The process of a client that runs on a root, whatever it does there. */
export function clientOn(root: string): number | undefined {
  return readLiveSessions(root).items.find(({ alive }) => alive)?.pid
}

/** Fails before anything is done where a folder that a step writes into cannot be written. */
export function mustBeWritable(steps: readonly Step[]): void {
  const made = new Set(steps.flatMap((step) => (step.action === 'make-folder' ? [step.path] : [])))
  const paths = steps.flatMap((step) => (step.action === 'move' ? [step.path, step.to] : [step.path]))
  for (const folder of new Set(paths.map((path) => dirname(path)))) {
    if (!made.has(folder)) mustAccess(folder)
  }
  for (const step of steps) if (step.action === 'append' || step.action === 'cut') mustAccess(step.before.cursor.path)
}

function mustAccess(path: string): void {
  try {
    accessSync(path, constants.W_OK)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT') return
    const why = code === 'EROFS' ? 'the disk is read-only' : 'permission denied'
    const hint = `Nothing was changed. Make ${basename(path)} writable first.`
    throw new Failure('CANNOT_WRITE', `${path} cannot be written: ${why}.`, { hint, cause: error })
  }
}
