import { Failure } from '../../core/failure.ts'
import { planDelete } from '../../edit/delete.ts'
import { planPrune } from '../../edit/prune.ts'
import { forgetCopies, maskKept, planMask } from '../../edit/secrets.ts'
import type { SessionFamily } from '../../edit/session-files.ts'
import { purgeIndexes } from '../../index/purge.ts'
import { openRedactor } from '../../redact/open.ts'
import { asFailure } from '../../state/private-file.ts'
import type { Context } from '../context.ts'
import { historyOf } from '../history.ts'
import { openSession } from '../open.ts'
import { editableSession } from './editable.ts'
import type { EditResult } from './result.ts'
import { type EditHow, readyForEdits, runEdit } from './run-edit.ts'

/** Tool results longer than this are pruned where nothing else is said. */
export const PRUNE_OVER_BYTES = 10_000

/** Deletes all that Claude Code has of sessions. */
export function deleteSessions(
  context: Context,
  sessions: readonly SessionFamily[],
  how: EditHow = {},
): Promise<EditResult> {
  const plan = planDelete(sessions)
  const files = plan.steps.filter(({ action }) => action === 'remove').length
  return runEdit(context, plan, how, { question: `Delete ${named(sessions)}, ${files} files?` })
}

/** Takes long tool results and pictures out of sessions. */
export async function pruneSessions(
  context: Context,
  sessions: readonly SessionFamily[],
  { overBytes = PRUNE_OVER_BYTES, ...how }: EditHow & { readonly overBytes?: number | undefined } = {},
): Promise<EditResult> {
  const sent = new Map<string, ReadonlySet<number>>()
  for (const { log } of sessions) sent.set(log, await sentRows(context, log))
  const isSent = ({ log }: SessionFamily, offset: number) => sent.get(log)?.has(offset) === true
  const plan = planPrune(sessions, { overBytes, isSent, force: how.force === true })
  return runEdit(context, plan, how, { question: `Prune ${named(sessions)}?` })
}

/** Masks what `redact scan` finds in a session and its forks, everywhere that Claude Code and annals keep it. */
export async function maskSecrets(context: Context, name: string, how: EditHow = {}): Promise<EditResult> {
  const dataDir = readyForEdits(context, how)
  const redactor = openRedactor(context)
  const session = await editableSession(context, name)
  const family = [session, ...(await relatives(context, session))]
  const plan = planMask(family, redactor)
  const question = `Mask the secrets of ${named(family)} for good? There is no undo.`
  const result = await runEdit(context, plan, how, { question })
  if (how.dryRun) return result
  // Nothing may have been found on the disk, and copies still hold what an earlier run masked there.
  if (!result.applied && !how.yes && plan.steps.length > 0) return result
  const troubles: string[] = []
  /** Each place is tried, whatever became of the others. */
  const tried = async <T>(otherwise: T, work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      const said = asFailure(error, dataDir, 'What annals keeps')
      if (!(said instanceof Failure)) throw error
      troubles.push(said.message)
      return otherwise
    }
  }
  const edits = await tried(0, () => forgetCopies(dataDir, family))
  const kept = await tried({ contents: 0, problems: [] }, () => maskKept(dataDir, family, redactor, context.now))
  const words = await tried([], () => forgetWords(context, family))
  for (const problem of kept.problems) context.warn(problem)
  if (troubles.length > 0) throw stillThere(result, troubles)
  const left = [...result.left, ...words]
  if (edits > 0) left.push(`${edits} earlier edits can no longer be undone: their copies held the same files.`)
  const expect = kept.contents > 0 ? [...result.expect, `${kept.contents} kept copies were masked too.`] : result.expect
  return { ...result, expect, left, applied: result.applied || kept.contents > 0 }
}

/** The session is masked, and a copy of ours is not. */
function stillThere({ plan }: EditResult, troubles: readonly string[]): Failure {
  const files = plan.length === 1 ? '1 file' : `${plan.length} files`
  const done = plan.length === 0 ? 'No file of Claude Code holds secrets' : `The secrets in ${files} are masked`
  const message = `${done}, but annals itself may still hold them. ${troubles.join(' ')}`
  const hint = 'Run the same command again when that is mended: it masks what is left.'
  return new Failure('CANNOT_WRITE', message, { hint })
}

/** The words of an index hold every secret that was in a log: they are made again from what is there now. */
function forgetWords(context: Context, family: readonly SessionFamily[]): readonly string[] {
  const { cacheDir } = context
  if (cacheDir === undefined) return ['The index was not touched, because of --no-index.']
  historyOf(context).close()
  const isBusy = family.map(({ id, log }) => purgeIndexes(cacheDir, id, [log]).isBusy).includes(true)
  context.library.refresh()
  return isBusy
    ? ['Another annals holds the index open, which may still have them as words. Run this again later.']
    : []
}

/** The sessions that share rows with one by forks, in both directions. */
async function relatives(context: Context, { id, root }: SessionFamily): Promise<readonly SessionFamily[]> {
  const known = await (await historyOf(context).refresh()).sessions.infos()
  const infos = [...known.values()].filter((info) => info.root === root && info.state === 'disk')
  const family = new Set([id])
  for (const relative of family) {
    for (const info of infos) {
      if (info.forkedFrom === relative) family.add(info.id)
      if (info.id === relative && info.forkedFrom !== null) family.add(info.forkedFrom)
    }
  }
  return Promise.all(
    infos.flatMap((info) =>
      info.id !== id && family.has(info.id) && info.file !== null ? [editableSession(context, info.file)] : [],
    ),
  )
}

/** Where the rows stand that the client sends when a session goes on: those of its branch since the last compaction. */
async function sentRows(context: Context, log: string): Promise<ReadonlySet<number>> {
  const { tree } = (await openSession(context, log)).conversation
  const rows = (tree.active?.rows ?? []).map((row) => tree.nodes[row])
  const boundary = rows.findLastIndex((node) => node?.subtype === 'compact_boundary')
  return new Set(rows.slice(boundary + 1).flatMap((node) => (node ? [node.offset] : [])))
}

function named(sessions: readonly SessionFamily[]): string {
  const [only, ...others] = sessions
  if (!only)
    throw new Failure('NOT_FOUND', 'No session matches.', { hint: 'Starred and running sessions are left out.' })
  return others.length === 0 ? `session ${only.id}` : `${sessions.length} sessions`
}
