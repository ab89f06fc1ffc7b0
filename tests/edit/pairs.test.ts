import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { Failure } from '../../src/core/failure.ts'
import type { Static } from '../../src/core/schema.ts'
import { planMask } from '../../src/edit/secrets.ts'
import { changeOf } from '../../src/edit/seen.ts'
import type { EditResult } from '../../src/history/edits/result.ts'
import { edit } from '../../src/ops/edit/edit.ts'
import { undo } from '../../src/ops/edit/undo.ts'
import { openRedactor } from '../../src/redact/open.ts'
import { close, type EditedRoot, editedRoot, type Picture, pictureOf } from '../support/edited-root.ts'

/** Every edit that can be undone, of the same session. */
const OPERATIONS: Readonly<Record<string, (made: EditedRoot) => Static<typeof edit.input>>> = {
  rename: ({ sessionId }) => ({ action: 'rename', what: [sessionId, 'Another title'] }),
  tag: ({ sessionId }) => ({ action: 'tag', what: [sessionId, 'auth'] }),
  'tag --clear': ({ sessionId }) => ({ action: 'tag', what: [sessionId], clear: true }),
  rewind: ({ sessionId }) => ({ action: 'rewind', what: [`${sessionId}:1`] }),
  fork: ({ sessionId }) => ({ action: 'fork', what: [`${sessionId}:2`] }),
  move: ({ sessionId, folder }) => ({ action: 'move', what: [sessionId], to: join(folder, 'renamed') }),
  'move --project': ({ project, folder }) => ({ action: 'move', project, to: join(folder, 'other') }),
  prune: ({ sessionId }) => ({ action: 'prune', what: [sessionId] }),
  delete: ({ sessionId }) => ({ action: 'delete', what: [sessionId] }),
  'restore-file': ({ sessionId }) => ({ action: 'restore-file', what: ['a.ts'], at: `${sessionId}:2` }),
}

/**
 * How two edits can meet. `begin` runs an edit up to the point where its plan is made and nothing is checked yet. The command that was
 * started first has the earlier `now`.
 */
const SCHEDULES = [
  'one after the other',
  'the one started first edits last',
  'both planned, then both applied',
] as const
/** Which undo is tried first. */
const ORDERS = ['the newest', 'the first', 'the second'] as const

const all = process.env.ANNALS_PAIRS === 'all'
const names = Object.keys(OPERATIONS)
const rounds = names.flatMap((first, a) =>
  names.flatMap((second, b) => {
    const every = SCHEDULES.flatMap((schedule) => ORDERS.map((order) => ({ first, second, schedule, order })))
    // The short form takes another way to meet for each pair.
    return all ? every : every.filter((_, at) => at === (a * names.length + b) % every.length || at === (a + 4 * b) % 9)
  }),
)

test('any two edits of one session at once: undo restores every byte, or says which undo comes first', async () => {
  const counts = { both: 0, one: 0, refused: 0 }
  const wrong: string[] = []
  for (const round of rounds) {
    const made = editedRoot()
    try {
      const problem = await meet(made, round, counts)
      if (problem !== undefined) wrong.push(`${Object.values(round).join(' | ')}: ${problem}`)
    } finally {
      made.remove()
    }
  }
  console.info(
    `pairs: ${rounds.length} rounds, both edits in ${counts.both}, one in ${counts.one}; ${counts.refused} undos had to wait for another`,
  )
  expect(wrong).toEqual([])
  expect(counts.both).toBeGreaterThan(rounds.length / 3)
  expect(counts.refused).toBeGreaterThan(0)
}, 1_800_000)

test('rows that are appended while secrets are looked for are not lost', () => {
  const made = editedRoot()
  try {
    // A root of one file, so that the first look for secrets is in its log.
    const { sessionId: id, folder } = made
    const root = join(folder, 'bare')
    const log = join(root, 'projects/p', `${id}.jsonl`)
    mkdirSync(dirname(log), { recursive: true })
    writeFileSync(log, `{"type":"mode","mode":"ghp_${'a1B2c3D4e5F6'.repeat(3)}","sessionId":"${id}"}\n`)
    const redactor = openRedactor(made.context())
    const row = `{"type":"mode","mode":"late","sessionId":"${id}"}\n`
    let isAppended = false
    // A client writes in the middle of the search.
    const busy = new Proxy(redactor, {
      get(target, key) {
        if (!isAppended) appendFileSync(log, row)
        isAppended = true
        const value = Reflect.get(target, key)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const plan = planMask([{ id, root, log, cwd: null, flatAgents: [], plans: [] }], busy)
    const step = plan.steps.find(({ path }) => path === log)
    expect(isAppended).toBe(true)
    expect(step?.action === 'write' && step.before && changeOf(step.before)).toBe('grown')
  } finally {
    made.remove()
  }
})

async function meet(
  made: EditedRoot,
  { first, second, schedule, order }: (typeof rounds)[number],
  counts: Record<'both' | 'one' | 'refused', number>,
): Promise<string | undefined> {
  for (const name of ['renamed', 'other']) mkdirSync(join(made.folder, name))
  writeFileSync(join(made.project, 'a.ts'), 'three\n')
  const before = everything(made)
  const begin = (name: string, startedAt: number) => begun(made, OPERATIONS[name]?.(made) as never, startedAt)
  const start = Date.now()
  const done: (EditResult | Failure)[] = []
  if (schedule === 'both planned, then both applied') {
    done.push(...(await Promise.all([begin(first, start), begin(second, start)])))
  } else {
    const [one, two] = schedule === 'one after the other' ? [start, start + 2] : [start + 2, start]
    done.push(await begin(first, one), await begin(second, two))
  }
  const ids = done.flatMap((one) => (one instanceof Failure || one.id === null ? [] : [one.id]))
  for (const one of done) if (one instanceof Failure && !/\.$/.test(one.message)) return `no sentence: ${one.message}`
  const stale = done.find((one) => one instanceof Failure && one.message.includes('has changed since'))
  if (stale) return `does not say who changed it: ${(stale as Failure).message}`
  if (ids.length === 0) return `neither was done: ${done.map(String).join(' ')}`
  counts[ids.length === 2 ? 'both' : 'one'] += 1
  return takenBack(made, before, ids, order, counts)
}

/** Undoes all edits, in the order that is asked for; where an undo is refused, first the one that it names. */
async function takenBack(
  made: EditedRoot,
  before: Picture,
  ids: readonly string[],
  order: (typeof ORDERS)[number],
  counts: Record<'both' | 'one' | 'refused', number>,
): Promise<string | undefined> {
  const left = new Set(ids)
  const next = () => (order === 'the newest' ? undefined : order === 'the first' ? [...left][0] : [...left].at(-1))
  while (left.size > 0) {
    const asked = next()
    const result = await undone(made, asked)
    if (!(result instanceof Failure)) {
      left.delete([...left].find((id) => result.summary?.includes(id)) as string)
      continue
    }
    const named = [...left].find((id) => result.hint?.includes(`annals undo ${id}`))
    if (named === undefined || asked === undefined) return `undo refused: ${result.message} ${result.hint ?? ''}`
    counts.refused += 1
    const other = await undone(made, named)
    if (other instanceof Failure) return `the undo that shall come first is refused too: ${other.message}`
    left.delete(named)
  }
  const after = everything(made)
  const differ = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((p) => before[p] !== after[p])
  return differ.length === 0 ? undefined : `not as before: ${differ.join(', ')}`
}

async function begun(made: EditedRoot, input: Static<typeof edit.input>, now: number): Promise<EditResult | Failure> {
  const context = made.context({ now: new Date(now) })
  try {
    return await edit.run(context, { yes: true, ...input })
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  } finally {
    close(context)
  }
}

async function undone(made: EditedRoot, id: string | undefined, now = new Date()) {
  const context = made.context({ now })
  try {
    return await undo.run(context, id === undefined ? {} : { id })
  } catch (error) {
    // A new log is left alone for five seconds.
    if (error instanceof Failure && /was written .* ago/.test(error.message) && now.getTime() < Date.now() + 1_000) {
      return undone(made, id, new Date(Date.now() + 10_000))
    }
    if (error instanceof Failure) return error
    throw error
  } finally {
    close(context)
  }
}

/** Every file of the root and of the working folder. Two edits may share a new folder, which stays where the first is undone first. */
function everything({ root, project }: Pick<EditedRoot, 'root' | 'project'>): Picture {
  const work = Object.entries(pictureOf(project)).map(([path, seen]) => {
    return [`work/${path}`, seen.split(' ').slice(0, 3).join(' ')] as const
  })
  const all = [...Object.entries(pictureOf(root)), ...work]
  return Object.fromEntries(all.filter(([, seen]) => !seen.startsWith('folder')))
}
