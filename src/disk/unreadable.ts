import { statSync } from 'node:fs'
import { sep } from 'node:path'
import { Failure } from '../core/failure.ts'
import { withRegular } from './regular-file.ts'
import type { SourceEntry } from './source.ts'
import type { Warning } from './warning.ts'

/** A file or folder that a listing could not read, and why: `permission denied`. */
export interface Unreadable {
  readonly path: string
  readonly reason: string
}

/** A listing with what is known from before of files that cannot be read now. */
export interface FullListing {
  readonly entries: readonly SourceEntry[]
  readonly warnings: readonly Warning[]
}

/**
 * Adds the known files at or below unreadable paths to a listing: a folder that cannot be read does not mean that its files are gone.
 * Each carries the reason in `unreadable`.
 */
export function withUnreadable(
  listed: readonly SourceEntry[],
  unreadable: readonly Unreadable[],
  known: readonly SourceEntry[],
): FullListing {
  const counts = new Map<Unreadable, number>()
  const mark = (entry: SourceEntry): SourceEntry | undefined => {
    const found = unreadable.find(({ path }) => entry.path === path || entry.path.startsWith(path + sep))
    if (!found) return undefined
    counts.set(found, (counts.get(found) ?? 0) + (entry.path.endsWith('.jsonl') ? 1 : 0))
    return { ...entry, unreadable: found.reason }
  }
  const paths = new Set(listed.map(({ path }) => path))
  // What the archive holds of them can still be read.
  const entries = listed.map((entry) => (entry.gone && mark(entry)) || entry)
  for (const entry of known) {
    const marked = paths.has(entry.path) ? undefined : mark(entry)
    if (marked) entries.push(marked)
  }
  const warnings = [...counts].filter(([, count]) => count > 0)
  return {
    entries,
    warnings: warnings.map(([{ path, reason }, count]) => ({ file: path, message: said(count, reason) })),
  }
}

function said(count: number, reason: string): string {
  const logs = count === 1 ? '1 log in it cannot' : `${count} logs in it cannot`
  return `${logs} be read now (${reason}); what was known of them before is shown.`
}

/** Whether nothing is at a path. What cannot be looked at may be there. */
export function isAbsent(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

/** Why a log that was listed could not be read: it is gone since, or the system does not let us. */
export function unreadLog({ path }: Pick<SourceEntry, 'path'>): Failure {
  const reason = withRegular(
    path,
    () => undefined,
    (problem) => problem.reason,
  )
  if (reason === undefined) return new Failure('SESSION_NOT_FOUND', `${path} can no longer be read.`)
  return new Failure('CANNOT_RUN', `${path} cannot be read now: ${reason}.`, {
    hint: 'Check the permissions of the file and of its folders.',
  })
}
