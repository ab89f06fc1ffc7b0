import { existsSync } from 'node:fs'
import { Failure } from '../../core/failure.ts'
import { applyPlan, withEdits } from '../../edit/apply.ts'
import { editsFolder } from '../../edit/journal.ts'
import type { Plan } from '../../edit/plan.ts'
import { plannedStep } from '../../edit/step.ts'
import { unfinishedEdits, waysOut } from '../../edit/unfinished.ts'
import type { Context } from '../context.ts'
import type { EditResult } from './result.ts'

/** How an edit is asked for. */
export interface EditHow {
  /** Only plan it. */
  readonly dryRun?: boolean | undefined
  /** Do not ask the person. */
  readonly yes?: boolean | undefined
  /** Also while a client runs the session. */
  readonly force?: boolean | undefined
}

/** Recovers interrupted edits, so that a plan sees none half done. A dry run changes nothing, and fails where there is one. */
export function readyForEdits(context: Context, { dryRun }: EditHow = {}): string {
  const dataDir = folderForEdits(context)
  const [interrupted] = dryRun ? unfinishedEdits(dataDir) : []
  if (interrupted) {
    const { id, summary } = interrupted
    const hint = waysOut(interrupted)
    throw new Failure('CANNOT_RUN', `Edit ${id} (${summary}) was interrupted: it comes first.`, { hint })
  }
  if (!dryRun && existsSync(editsFolder(dataDir))) withEdits(dataDir, context.warn, () => undefined)
  return dataDir
}

/** The folder of our data, which holds what edits keep. Only reads. */
export function folderForEdits({ store, dataDir }: Context): string {
  if (store) throw new Failure('USAGE', 'A team store is not edited.', { hint: 'Leave --store out.' })
  if (dataDir === undefined) throw new Failure('CANNOT_RUN', 'There is no folder for the copies that an edit keeps.')
  return dataDir
}

/** Does what was planned, or only tells it. `question` is asked before where nobody can take back what it does, or much is done. */
export async function runEdit(
  context: Context,
  plan: Plan,
  how: EditHow,
  more: { readonly question?: string; readonly created?: string } = {},
): Promise<EditResult> {
  const dataDir = folderForEdits(context)
  const isNothing = plan.steps.length === 0
  const shown = {
    edit: plan.name,
    summary: plan.summary,
    sessions: plan.sessions.map(({ id }) => id),
    created: more.created ?? null,
    plan: plan.steps.map(plannedStep),
    undoable: plan.direction === undefined && !isNothing,
    expect: [...plan.expect],
    left: [...plan.left],
  }
  if (how.dryRun || isNothing) return { id: null, ...shown, applied: false }
  if (more.question !== undefined && !how.yes) await mustBeMeant(context, more.question)
  const force = how.force === true
  const { id } = await applyPlan(plan, { dataDir, now: context.now, force, warn: context.warn })
  context.library.refresh()
  return { id, ...shown, applied: true }
}

async function mustBeMeant({ confirm }: Context, question: string): Promise<void> {
  if (!confirm) {
    const hint = 'Add --yes to do it, or --dry-run to see what it would do.'
    throw new Failure('USAGE', `This needs confirmation: ${question}`, { hint })
  }
  if (!(await confirm(question))) throw new Failure('CANNOT_RUN', 'Nothing was done.')
}
