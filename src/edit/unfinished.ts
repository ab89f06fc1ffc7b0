import { lockHolder } from '../state/lock.ts'
import { stepsLeft } from './finish.ts'
import { editsFolder, listEntries } from './journal.ts'
import type { JournalEntry } from './journal-entry.ts'

/** Edits that were interrupted, the newest first. Only reads. An edit that another process is making right now is none. */
export function unfinishedEdits(dataDir: string): readonly JournalEntry[] {
  const open = () => listEntries(dataDir).filter(({ state }) => state !== 'done')
  if (open().length === 0 || lockHolder(editsFolder(dataDir)) !== undefined) return []
  // Whoever held the lock has finished by now: a second look tells what it left.
  return open().toReversed()
}

/** One sentence: how far an interrupted edit came. */
export function progressOf(entry: JournalEntry): string {
  const all = entry.steps.length
  const done = all - stepsLeft(entry).length
  const changes = all === 1 ? '1 change is' : `${all} changes are`
  const which = done === all ? (all === 1 ? 'Its change is' : `All ${all} changes are`) : `${done} of ${changes}`
  return `${which} in place.`
}

/** What to run for an interrupted edit. */
export function waysOut({ id, state }: JournalEntry): string {
  const finish = `annals undo ${id} --finish`
  if (state === 'ready') return `Run \`${finish}\` to complete it; it cannot be taken back.`
  return `Run \`annals undo ${id}\` to take it back, or \`${finish}\` to complete it.`
}
