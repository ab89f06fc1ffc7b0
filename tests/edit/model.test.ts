import { appendFileSync, readFileSync, statSync, utimesSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyPlan, withEdits } from '../../src/edit/apply.ts'
import { planDelete } from '../../src/edit/delete.ts'
import { beginEntry, listEntries } from '../../src/edit/journal.ts'
import { asideOf, makeReady, perform } from '../../src/edit/perform.ts'
import type { Plan } from '../../src/edit/plan.ts'
import { planPrune } from '../../src/edit/prune.ts'
import { planRename, planTag } from '../../src/edit/rename.ts'
import type { SessionFamily } from '../../src/edit/session-files.ts'
import { findEdit, pastEdits, planUndo } from '../../src/edit/undo.ts'
import { editedRoot, OLD } from '../support/edited-root.ts'

/**
 * The model is plain text: what the client wrote, line by line, and the rows that edits added and were not taken back. After every
 * action the log must be what the model says, whatever was interrupted.
 */
type Action =
  | { readonly do: 'rename' | 'tag'; readonly words: string }
  | { readonly do: 'prune' | 'delete' | 'undo' | 'client' }
  | { readonly do: 'crash'; readonly edit: 'rename' | 'tag' | 'prune' | 'delete'; readonly after: number }

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constantFrom('rename' as const, 'tag' as const), words: fc.constantFrom('a', 'b', 'ü "q" \\') }),
  fc.record({
    do: fc.constantFrom('prune' as const, 'delete' as const, 'undo' as const, 'undo' as const, 'client' as const),
  }),
  fc.record({
    do: fc.constant('crash' as const),
    edit: fc.constantFrom('rename' as const, 'tag' as const, 'prune' as const, 'delete' as const),
    after: fc.nat(6),
  }),
)

test('random edits, undos, appends by a client and crashes leave what a plain model says', async () => {
  const counts = { edits: 0, undos: 0, crashes: 0, blocked: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 14 }), async (actions) => {
      const made = editedRoot()
      try {
        await play(made, actions, counts)
      } finally {
        made.remove()
      }
    }),
    { numRuns: 60 },
  )
  console.info(
    `model: ${counts.edits} edits, ${counts.undos} undos, ${counts.crashes} crashes, ${counts.blocked} refused`,
  )
  for (const count of [counts.edits, counts.undos, counts.crashes]) expect(count).toBeGreaterThan(5)
}, 300_000)

async function play(made: ReturnType<typeof editedRoot>, actions: readonly Action[], counts: Record<string, number>) {
  const { dataDir, root, log, sessionId: id } = made
  const session: SessionFamily = { id, root, log, cwd: made.project, flatAgents: [], plans: [] }
  const warn = ({ message }: { message: string }) =>
    expect(message).toMatch(/was interrupted, and was taken back first/)
  const options = () => ({ dataDir, now: new Date(), warn })
  /** What the log shall hold, in pieces: each is the client's, or of one edit. */
  let pieces: { text: string; of: string | null }[] = [{ text: readFileSync(log, 'utf8'), of: null }]
  const pruned = new Map<string, typeof pieces>()
  let isThere = true
  const text = () => pieces.map((piece) => piece.text).join('')
  const planOf = (name: 'rename' | 'tag' | 'prune' | 'delete', words = 'x'): Plan => {
    if (name === 'rename') return planRename(session, words)
    if (name === 'tag') return planTag(session, words)
    return name === 'prune' ? planPrune([session], { overBytes: 100, isSent: () => true }) : planDelete([session])
  }
  const look = () => {
    expect(isThere ? readFileSync(log, 'utf8') : null).toBe(isThere ? text() : null)
    if (isThere) expect(Math.round(statSync(log).mtimeMs)).toBe(OLD.getTime())
    expect(Object.keys(made.picture()).filter((path) => path.endsWith(asideOf('')))).toEqual([])
  }
  for (const one of actions) {
    withEdits(dataDir, warn, () => undefined)
    look()
    if (one.do === 'client') {
      if (!isThere) continue
      const row = `{"type":"mode","mode":"m${counts.edits}","sessionId":"${id}"}\n`
      appendFileSync(log, row)
      utimesSync(log, OLD, OLD)
      pieces.push({ text: row, of: null })
    } else if (one.do === 'crash') {
      if (!isThere) continue
      const plan = planOf(one.edit)
      if (plan.steps.length === 0) continue
      // As far as a process comes that is killed after so many steps.
      beginEntry(dataDir, 'cccc0000', new Date(), plan)
      makeReady(plan.steps)
      for (const step of plan.steps.filter(({ action: kind }) => kind !== 'make-folder').slice(0, one.after))
        perform(step)
      counts.crashes = (counts.crashes ?? 0) + 1
    } else if (one.do === 'undo') {
      const [last] = pastEdits(dataDir).filter(({ entry, undoneBy }) => undoneBy === null && entry.undoes === null)
      if (!last) {
        expect(() => findEdit(dataDir, undefined)).toThrow('There is no edit to undo')
        continue
      }
      const plan = planUndo(dataDir, findEdit(dataDir, undefined))
      if (plan.left.length > 0) {
        // A pruned log is not what an older edit left: its rows stand elsewhere.
        counts.blocked = (counts.blocked ?? 0) + 1
        continue
      }
      await applyPlan(plan, options())
      counts.undos = (counts.undos ?? 0) + 1
      const before = pruned.get(last.entry.id)
      if (last.entry.name === 'delete') isThere = true
      else if (before) pieces = [...before, ...pieces.slice(pieces.findIndex(({ of }) => of === last.entry.id) + 1)]
      else pieces = pieces.filter(({ of }) => of !== last.entry.id)
    } else {
      if (!isThere) continue
      const plan = planOf(one.do, 'words' in one ? one.words : undefined)
      if (plan.steps.length === 0) continue
      const { id: edit } = await applyPlan(plan, options())
      counts.edits = (counts.edits ?? 0) + 1
      if (one.do === 'delete') isThere = false
      else if (!('words' in one)) {
        pruned.set(edit, pieces)
        pieces = [{ text: readFileSync(log, 'utf8'), of: edit }]
        expect(text()).toMatch(/\[pruned:/)
      } else {
        const rows = one.do === 'tag' ? [tagRow(one, id)] : titleRowsOf(one, id)
        pieces.push({ text: rows.map((row) => `${JSON.stringify(row)}\n`).join(''), of: edit })
      }
    }
  }
  withEdits(dataDir, warn, () => undefined)
  look()
  expect(listEntries(dataDir).filter(({ state }) => state !== 'done')).toEqual([])
}

const tagRow = ({ words }: { readonly words: string }, sessionId: string) => ({
  type: 'tag',
  tag: words.trim(),
  sessionId,
})
const titleRowsOf = ({ words }: { readonly words: string }, sessionId: string) => [
  { type: 'custom-title', customTitle: words.trim(), sessionId },
  { type: 'agent-name', agentName: words.trim(), sessionId },
]

test('an edit that another process left half done is put right by the next, whichever it is', async () => {
  const made = editedRoot()
  try {
    const before = made.picture()
    const session: SessionFamily = {
      id: made.sessionId,
      root: made.root,
      log: made.log,
      cwd: null,
      flatAgents: [],
      plans: [],
    }
    const plan = planDelete([session])
    beginEntry(made.dataDir, 'cccc0000', new Date(), plan)
    for (const step of plan.steps.slice(0, 4)) {
      if (step.action === 'write') makeReady([step])
      perform(step)
    }
    expect(made.picture()).not.toEqual(before)
    const half = made.picture()
    const { undo } = await import('../../src/ops/edit/undo.ts')
    const { items } = await undo.run(made.context(), { list: true })
    expect(items).toMatchObject([{ id: 'cccc0000', unfinished: true }])
    expect(made.picture()).toEqual(half)
    const { tag } = await import('../../src/ops/edit/tag.ts')
    const tagged = await tag.run(made.context(), { session: made.sessionId, tag: 'x' })
    expect(made.warnings.join()).toContain('was interrupted, and was taken back first')
    await undo.run(made.context(), { id: tagged.id as string })
    expect(made.picture()).toEqual(before)
  } finally {
    made.remove()
  }
})
