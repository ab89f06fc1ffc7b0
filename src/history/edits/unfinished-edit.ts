import { Failure } from '../../core/failure.ts'
import type { Warning } from '../../disk/warning.ts'
import { withEditsLocked } from '../../edit/apply.ts'
import { finishEntry } from '../../edit/finish.ts'
import { listEntries } from '../../edit/journal.ts'
import type { JournalEntry } from '../../edit/journal-entry.ts'
import { recoverEdit } from '../../edit/recover.ts'
import { interrupted } from '../../edit/trouble.ts'
import { progressOf, waysOut } from '../../edit/unfinished.ts'
import type { Context } from '../context.ts'
import type { EditResult } from './result.ts'
import { type EditHow, folderForEdits } from './run-edit.ts'

/** Takes an interrupted edit back as far as it came; one that keeps no copies is completed. */
export function takeBackEdit(context: Context, entry: JournalEntry, how: EditHow): EditResult {
  const verb = entry.state === 'ready' ? 'complete' : 'take back'
  return recovered(context, entry, how, verb, (dataDir) => recoverEdit(dataDir, entry))
}

/** Completes an interrupted edit, or fails and says what stands in the way. */
export function finishEdit(context: Context, entry: JournalEntry | undefined, how: EditHow): EditResult {
  if (!entry) throw new Failure('NOT_FOUND', 'There is no interrupted edit.', { hint: 'Run `annals undo --list`.' })
  return recovered(context, entry, how, 'complete', (dataDir) => {
    const problems = finished(dataDir, entry)
    if (problems.length === 0 || entry.state === 'ready') return problems
    const hint = `annals undo ${entry.id} takes back what was done of it.`
    throw new Failure('CANNOT_RUN', problems.map(({ message }) => message).join('\n'), { hint })
  })
}

function finished(dataDir: string, entry: JournalEntry): readonly Warning[] {
  try {
    return finishEntry(dataDir, entry)
  } catch (error) {
    throw interrupted(dataDir, entry, error)
  }
}

function recovered(
  context: Context,
  entry: JournalEntry,
  { dryRun }: EditHow,
  verb: string,
  work: (dataDir: string) => readonly Warning[],
): EditResult {
  const dataDir = folderForEdits(context)
  const result: EditResult = {
    id: null,
    edit: 'undo',
    summary: `${verb} interrupted edit ${entry.id}: ${entry.summary}`,
    sessions: entry.sessions.map(({ id }) => id),
    created: null,
    plan: [],
    applied: dryRun !== true,
    undoable: false,
    expect: [],
    left: dryRun ? [`Edit ${entry.id} (${entry.summary}) was interrupted. ${progressOf(entry)}`, waysOut(entry)] : [],
  }
  if (dryRun) return result
  withEditsLocked(dataDir, () => {
    // Another process may have recovered it meanwhile.
    const isOpen = listEntries(dataDir).some(({ id, state }) => id === entry.id && state !== 'done')
    if (isOpen) for (const problem of work(dataDir)) context.warn(problem)
  })
  context.library.refresh()
  return result
}
