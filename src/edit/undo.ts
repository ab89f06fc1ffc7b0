import { basename } from 'node:path'
import { Failure } from '../core/failure.ts'
import { clientOn } from './guard.ts'
import { folderOf, listEntries } from './journal.ts'
import type { JournalEntry, WrittenStep } from './journal-entry.ts'
import { editsOver, undoneBy } from './later-edits.ts'
import type { Plan } from './plan.ts'
import { reverseOf } from './reverse.ts'
import type { Step } from './step.ts'

/** An edit that was done, and whether it was taken back since. */
export interface PastEdit {
  readonly entry: JournalEntry
  /** The edit that took it back. */
  readonly undoneBy: string | null
}

/** All edits that were done, the newest first. */
export function pastEdits(dataDir: string): readonly PastEdit[] {
  const entries = listEntries(dataDir).filter(({ state }) => state === 'done')
  const by = undoneBy(entries)
  return entries.toReversed().map((entry) => ({ entry, undoneBy: by.get(entry.id) ?? null }))
}

/** The edit that is meant: the start of its id, else the newest that was not taken back. */
export function findEdit(dataDir: string, named: string | undefined): JournalEntry {
  const edits = pastEdits(dataDir)
  const hint = 'Run `annals undo --list` to see them.'
  if (named === undefined) {
    const last = edits.find(({ entry, undoneBy }) => undoneBy === null && entry.undoes === null)
    if (last) return last.entry
    throw new Failure('NOT_FOUND', 'There is no edit to undo.')
  }
  const found = edits.filter(({ entry }) => entry.id.startsWith(named))
  const [only, ...others] = found
  if (!only) throw new Failure('NOT_FOUND', `There is no edit ${named}.`, { hint })
  if (others.length > 0) throw new Failure('NOT_FOUND', `${found.length} edits begin with ${named}.`, { hint })
  if (only.undoneBy === null) return only.entry
  throw new Failure('CANNOT_RUN', `Edit ${only.entry.id} was already undone.`, {
    hint: `annals undo ${only.undoneBy} brings it back.`,
  })
}

/** Fails where an edit that is still in effect changed the same files later: that one must be undone first. */
export function mustBeOnTop(dataDir: string, entry: JournalEntry): void {
  const [over] = editsOver(
    listEntries(dataDir).filter(({ state }) => state === 'done'),
    entry,
  )
  if (!over) return
  const hint = `Undo that first: annals undo ${over.id}`
  throw new Failure('CANNOT_RUN', `Edit ${over.id} (${over.summary}) changed the same files after ${entry.id}.`, {
    hint,
  })
}

/** The plan that takes an edit back. What cannot be is told in `left`. */
export function planUndo(dataDir: string, entry: JournalEntry): Plan {
  const folder = folderOf(dataDir, entry.id)
  const moved = new Map<string, string>()
  const where = (path: string) => moved.get(path) ?? path
  const steps: Step[] = []
  const left: string[] = []
  let wentOn = false
  for (const step of entry.steps.toReversed()) {
    const back = refusal(step, entry) ?? reverseOf(step, { folder, where })
    if (typeof back === 'string') left.push(back)
    else if (back) steps.push(back)
    wentOn ||= typeof back === 'object' && back.action === 'write' && step.action === 'append'
    // What is not moved back yet lies where it was moved to.
    if (step.action === 'move') moved.set(step.path, where(step.to))
  }
  return {
    name: 'undo',
    summary: `undo ${entry.id}: ${entry.summary}`,
    sessions: entry.sessions.flatMap((session) => ({ ...session, log: where(session.log) })),
    steps: ordered(steps, entry.steps),
    expect: wentOn ? [WENT_ON] : [],
    left,
    undoes: entry.id,
  }
}

/** The client writes titles and tags again near the end of a log. */
const WENT_ON =
  'The log has grown since: only the rows of this edit are removed. What Claude Code repeated of them later stays.'

/** Files that every client of a root rewrites are left alone while one runs. */
function refusal(step: WrittenStep, { sessions }: JournalEntry): string | undefined {
  if (step.action !== 'write' || !/^(?:history\.jsonl|\.claude\.json)$/.test(basename(step.path))) return undefined
  const pid = sessions.map(({ root }) => clientOn(root)).find((one) => one !== undefined)
  return pid === undefined ? undefined : `${step.path} is left alone while Claude Code (process ${pid}) runs.`
}

/** A folder that an edit emptied must be there before anything is put back into it. */
function ordered(steps: readonly Step[], done: readonly WrittenStep[]): readonly Step[] {
  const removed = new Set(done.flatMap((step) => (step.action === 'remove-folder' ? [step.path] : [])))
  const isMade = (step: Step) => step.action === 'make-folder' && removed.has(step.path)
  const made = steps.filter(isMade).sort((a, b) => a.path.length - b.path.length)
  const rest = steps.filter((step) => !isMade(step))
  const emptied = rest.filter(({ action }) => action === 'remove-folder')
  return [...made, ...rest.filter(({ action }) => action !== 'remove-folder'), ...emptied]
}
