import { Failure } from '../../core/failure.ts'
import type { Static } from '../../core/schema.ts'
import type { JournalEntry } from '../../edit/journal-entry.ts'
import { findEdit, mustBeOnTop, pastEdits, planUndo } from '../../edit/undo.ts'
import { unfinishedEdits } from '../../edit/unfinished.ts'
import type { Context } from '../context.ts'
import type { EditResult, PastEditShape } from './result.ts'
import { type EditHow, folderForEdits, readyForEdits, runEdit } from './run-edit.ts'
import { finishEdit, takeBackEdit } from './unfinished-edit.ts'

/** How an undo is asked for. */
export interface UndoHow extends EditHow {
  /** Complete an interrupted edit instead of taking it back. */
  readonly finish?: boolean | undefined
}

/**
 * Takes an edit back: the one that is named, else the newest that was not. Where only a part can be, that is said and needs `force`. An
 * interrupted edit is taken back as far as it came, or completed.
 */
export async function undoEdit(context: Context, id: string | undefined, how: UndoHow = {}): Promise<EditResult> {
  const open = interruptedEdit(folderForEdits(context), id)
  if (how.finish) return finishEdit(context, open, how)
  if (open) return takeBackEdit(context, open, how)
  const dataDir = readyForEdits(context, how)
  const entry = findEdit(dataDir, id)
  if (!how.force) mustBeOnTop(dataDir, entry)
  const plan = planUndo(dataDir, entry)
  if (plan.left.length > 0 && !how.force && !how.dryRun) {
    const rest = plan.steps.length === 0 ? 'Nothing in it can be undone.' : '--force undoes the rest of it.'
    throw new Failure('CANNOT_RUN', plan.left.join('\n'), { hint: rest })
  }
  if (plan.steps.length === 0 && !how.dryRun) {
    throw new Failure('CANNOT_RUN', 'There is nothing left of that edit to undo.', { hint: 'Nothing was changed.' })
  }
  return runEdit(context, plan, how)
}

/** The interrupted edit that is meant: by the start of its id, else the newest. */
function interruptedEdit(dataDir: string, id: string | undefined): JournalEntry | undefined {
  return unfinishedEdits(dataDir).find((entry) => id === undefined || entry.id.startsWith(id))
}

/** The edits that were done or interrupted, the newest first. Only reads. */
export function listEdits(context: Context): Static<typeof PastEditShape>[] {
  const dataDir = folderForEdits(context)
  const open = unfinishedEdits(dataDir).map((entry) => ({ entry, undoneBy: null, unfinished: true }))
  const done = pastEdits(dataDir).map((past) => ({ ...past, unfinished: false }))
  return [...open, ...done].map(({ entry, undoneBy, unfinished }) => ({
    id: entry.id,
    at: entry.at,
    edit: entry.name,
    summary: entry.summary,
    sessions: entry.sessions.map(({ id }) => id),
    files: new Set(entry.steps.map(({ path }) => path)).size,
    undoneBy,
    undoes: entry.undoes,
    unfinished,
  }))
}
