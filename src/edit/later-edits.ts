import { sep } from 'node:path'
import type { JournalEntry } from './journal-entry.ts'

/**
 * The edits that must be undone before `entry`, the newest first: those that changed the same files later and are still in effect.
 * `entries` are all edits in the order in which they were applied.
 */
export function editsOver(entries: readonly JournalEntry[], entry: JournalEntry): readonly JournalEntry[] {
  const start = entries.findIndex(({ id }) => id === entry.id) + 1
  const later = entries.slice(start)
  const ids = new Set(later.map(({ id }) => id))
  const inEffect = later.filter(({ id }) => !undoneBy(entries).has(id))
  const paths = new Set(pathsOf(entry))
  const over: JournalEntry[] = []
  for (const one of inEffect) {
    // An undo of an edit that came later itself leaves what `entry` left.
    if (one.undoes !== null && ids.has(one.undoes)) continue
    if (!pathsOf(one).some((path) => isAmong(path, paths))) continue
    over.push(one)
    // A file that was moved goes on elsewhere.
    for (const step of one.steps) if (step.action === 'move') paths.add(step.path).add(step.to)
  }
  return over.toReversed()
}

/** Which edit was taken back by which. An undo that was itself undone takes nothing back. */
export function undoneBy(entries: readonly JournalEntry[]): ReadonlyMap<string, string> {
  const by = new Map<string, string>()
  for (const { id, undoes } of entries.toReversed()) if (undoes !== null && !by.has(id)) by.set(undoes, id)
  return by
}

/** The newest edit that touched a path since a moment. */
export function lastEditOf(entries: readonly JournalEntry[], path: string, since: Date): JournalEntry | undefined {
  const from = since.toISOString()
  return entries.findLast((entry) => entry.at >= from && isAmong(path, new Set(pathsOf(entry))))
}

/** Folders are made and removed only where they are empty: two edits may share one. */
function pathsOf({ steps }: JournalEntry): readonly string[] {
  return steps.flatMap((step) => {
    if (step.action === 'make-folder' || step.action === 'remove-folder') return []
    return step.action === 'move' ? [step.path, step.to] : [step.path]
  })
}

/** Whether a path is one of these, lies in one, or holds one. */
function isAmong(path: string, paths: ReadonlySet<string>): boolean {
  if (paths.has(path)) return true
  return [...paths].some((one) => one.startsWith(path + sep) || path.startsWith(one + sep))
}
