import { closeSync, openSync, rmSync, type Stats, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { archiveFolder } from '../archive/archive.ts'
import type { Wanted } from '../archive/survey.ts'
import { Failure } from '../core/failure.ts'
import { readRetention } from '../disk/retention.ts'
import { asFailure, makePrivateFolder } from '../state/private-file.ts'
import type { Context } from './context.ts'

const DAY_MS = 86_400_000
/** What expires within this time is due. */
const SOON_MS = 7 * DAY_MS
/** A look at everything is worth a moment now and then, not with every command. */
const OFTEN_MS = 3_600_000

/** Where it is noted that sessions are kept by themselves; its time is that of the last look. */
function markOf(dataDir: string): string {
  return join(dataDir, 'archive', 'auto')
}

/** Whether sessions are kept by themselves. */
export function isAuto(dataDir: string): boolean {
  return markStats(dataDir) !== undefined
}

/** Nothing is kept by itself where the mark cannot be looked at. */
function markStats(dataDir: string): Stats | undefined {
  try {
    return statSync(markOf(dataDir), { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Notes that sessions are to be kept by themselves from now on, or no longer. */
export function setAuto(dataDir: string, isOn: boolean): void {
  if (!isOn) {
    rmSync(markOf(dataDir), { force: true })
    return
  }
  makePrivateFolder(join(dataDir, 'archive'))
  closeSync(openSync(markOf(dataDir), 'a', 0o600))
  utimesSync(markOf(dataDir), 0, 0)
}

/**
 * Keeps what is about to expire, where `keep --auto` was asked for: for a moment, after any command, the oldest first. It never
 * fails a command and never waits for another process.
 */
export async function syncDue(context: Context, budgetMs = 200): Promise<void> {
  const { dataDir, now } = context
  const mark = dataDir === undefined ? undefined : markStats(dataDir)
  if (dataDir === undefined || !mark || now.getTime() - mark.mtimeMs < OFTEN_MS) return
  try {
    const { roots } = context.library
    const { syncArchive } = await import('../archive/sync.ts')
    const only = dueFiles(context)
    const { isComplete } = await syncArchive(archiveFolder(dataDir), {
      roots,
      now,
      only,
      withinMs: budgetMs,
      waitMs: 0,
    })
    if (isComplete) utimesSync(markOf(dataDir), now, now)
  } catch (error) {
    if (!(asFailure(error, dataDir) instanceof Failure)) throw error
  }
}

/** The files of sessions that expire soon, and shared ones that do. */
function dueFiles({ library, now }: Context): (file: Wanted) => boolean {
  const before = new Map(
    library.roots.map((root) => [root, now.getTime() + SOON_MS - readRetention(root).days * DAY_MS]),
  )
  const due = new Set<string>()
  for (const { id, root, log } of library.sessions()) {
    if (log && log.modifiedAt < (before.get(root) ?? 0)) due.add(`${root}\0${id}`)
  }
  return ({ entry, owner }) =>
    owner === null ? entry.modifiedAt < (before.get(entry.root) ?? 0) : due.has(`${entry.root}\0${owner}`)
}
