import { Failure } from '../../core/failure.ts'
import type { Static } from '../../core/schema.ts'
import { findEdit, pastEdits, planUndo } from '../../edit/undo.ts'
import type { Context } from '../context.ts'
import type { EditResult, PastEditShape } from './result.ts'
import { type EditHow, readyForEdits, runEdit } from './run-edit.ts'

/** Takes an edit back: the one that is named, else the newest that was not. Where only a part can be, that is said and needs `force`. */
export function undoEdit(context: Context, id: string | undefined, how: EditHow = {}): Promise<EditResult> {
  const dataDir = readyForEdits(context)
  const plan = planUndo(dataDir, findEdit(dataDir, id))
  if (plan.left.length > 0 && !how.force && !how.dryRun) {
    const rest = plan.steps.length === 0 ? 'Nothing in it can be undone.' : '--force undoes the rest of it.'
    throw new Failure('CANNOT_RUN', plan.left.join('\n'), { hint: rest })
  }
  if (plan.steps.length === 0 && !how.dryRun) {
    throw new Failure('CANNOT_RUN', 'There is nothing left of that edit to undo.', { hint: 'Nothing was changed.' })
  }
  return runEdit(context, plan, how)
}

/** The edits that were done, the newest first. */
export function listEdits(context: Context): Static<typeof PastEditShape>[] {
  return pastEdits(readyForEdits(context)).map(({ entry, undoneBy }) => ({
    id: entry.id,
    at: entry.at,
    edit: entry.name,
    summary: entry.summary,
    sessions: entry.sessions.map(({ id }) => id),
    files: new Set(entry.steps.map(({ path }) => path)).size,
    undoneBy,
    undoes: entry.undoes,
  }))
}
