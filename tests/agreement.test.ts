import { appendFileSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { Failure } from '../src/core/failure.ts'
import { findSession } from '../src/history/find.ts'
import { openLibrary } from '../src/ops/library.ts'
import type { Context } from '../src/ops/op.ts'
import { outline } from '../src/ops/outline.ts'
import { receipt } from '../src/ops/receipt.ts'
import { sessions } from '../src/ops/sessions.ts'
import { show } from '../src/ops/show.ts'
import { tail } from '../src/ops/tail.ts'
import { usage } from '../src/ops/usage.ts'
import { type Log, log, root } from '../src/testing/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-agreement-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const VERSIONS = ['1.0.65', '1.0.128', '2.0.77', '2.1.4', '2.1.68', '2.1.112', '2.1.325'] as const
const ACTIONS = [
  'ask',
  'fork',
  'resume',
  'branch',
  'sdk',
  'rewind',
  'agent',
  'title',
  'junk',
  'summary',
  'copy',
] as const

/** Something that happens in a history: to one of the sessions there are, or, as `start`, a new one. */
interface Action {
  readonly what: (typeof ACTIONS)[number] | 'start'
  readonly at: number
  readonly version: (typeof VERSIONS)[number]
  readonly terminal: boolean
}

const action: fc.Arbitrary<Action> = fc.record({
  what: fc.constantFrom('start', ...ACTIONS),
  at: fc.nat(20),
  version: fc.constantFrom(...VERSIONS),
  terminal: fc.boolean(),
})

/** What happens to the files afterwards. */
interface Change {
  readonly what: 'rename' | 'append' | 'delete'
  readonly at: number
}

const change: fc.Arbitrary<Change> = fc.record({ what: fc.constantFrom('rename', 'append', 'delete'), at: fc.nat(20) })

/** Writes a history into a root. */
function writeHistory(dir: string, actions: readonly Action[]): void {
  const made = root()
  const logs: Log[] = []
  const prompts = new Map<Log, number>()
  const add = (one: Log, asked: number) => {
    if (logs.includes(one)) return
    logs.push(one)
    prompts.set(one, asked)
  }
  const ask = (one: Log, text: string) => {
    prompts.set(one, (prompts.get(one) ?? 0) + 1)
    one.user(text).tool('Bash', { command: 'ls' }, { output: 'a' }).assistant(`Answer to ${text}`)
  }
  const start = ({ version, terminal }: Action, n: number) => {
    const startedAt = new Date(Date.UTC(2026, 1, 1 + (n % 20), n)).toISOString()
    const entrypoint = terminal ? 'cli' : 'sdk-cli'
    add(log({ version, entrypoint, startedAt, seed: `start ${n}`, requests: true }), 0)
    ask(logs.at(-1) as Log, `start ${n}`)
  }
  start({ what: 'start', at: 0, version: '2.1.325', terminal: true }, 0)
  actions.forEach((one, i) => {
    const n = i + 1
    const subject = logs[one.at % logs.length] as Log
    const asked = prompts.get(subject) ?? 0
    const seed = `${one.what} ${n}`
    if (one.what === 'start') start(one, n)
    else if (one.what === 'ask') ask(subject, `more ${n}`)
    else if (one.what === 'fork') add(subject.forked({ seed }), asked)
    else if (one.what === 'resume') add(subject.resumed({ seed, copied: true }), asked)
    else if (one.what === 'branch') add(subject.branched({ seed }), asked)
    else if (one.what === 'sdk') add(subject.sdkForked({ seed }), asked)
    else if (one.what === 'rewind' && asked > 1) ask(subject.rewind({ to: asked }), `other ${n}`)
    else if (one.what === 'agent') ask(withAgent(subject, n), `then ${n}`)
    else if (one.what === 'title') {
      subject.title(`Title ${n}`)
      // Far from the end: no look at the tail finds it.
      ask(subject, `long ${n} ${'x'.repeat(40_000)}`)
    } else if (one.what === 'copy') {
      const name = `copy-${n}-of-${subject.sessionId.slice(0, 8)}`
      made.file(`projects/-home-ana-api/${name}.jsonl`, subject.content(), '2026-03-20T00:00:00.000Z')
    } else {
      // A summary lies in another file than the row it names, which may be any.
      const rows = subject.rows().filter(({ type, uuid }) => uuid !== undefined && type === 'assistant')
      const leaf = rows[(one.at * 7) % Math.max(1, rows.length)]?.uuid
      const text = one.what === 'junk' ? 'Invalid API key · Please run /login' : `Summary ${n}`
      if (typeof leaf === 'string') add(log({ version: '2.0.14', seed }).summary(text, leaf), 0)
    }
  })
  made.add(...logs).write(dir)
}

function withAgent(one: Log, n: number): Log {
  const steps = (agent: { user(text: string): unknown; assistant(text: string): unknown }) => agent.assistant('working')
  return one.user(`ask an agent ${n}`).subagent({ description: 'look', prompt: `look ${n}`, steps, result: 'seen' })
}

function changeFiles(dir: string, changes: readonly Change[]): void {
  const project = join(dir, 'projects', '-home-ana-api')
  changes.forEach(({ what, at }, n) => {
    const names = readdirSync(project).filter((name) => name.endsWith('.jsonl') && !name.startsWith('agent-'))
    const stem = names[at % names.length]?.replace('.jsonl', '')
    if (stem === undefined || statSync(join(project, `${stem}.jsonl`)).size === 0) return
    if (what === 'delete') rmSync(join(project, `${stem}.jsonl`))
    else if (what === 'append') {
      const message = {
        id: `msg_later_${n}`,
        model: 'claude-opus-5-5',
        content: [{ type: 'text', text: 'later' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 1000, output_tokens: 50 + n },
      }
      const row = { type: 'assistant', uuid: `later-${n}`, parentUuid: null, isSidechain: false, sessionId: stem }
      appendFileSync(
        join(project, `${stem}.jsonl`),
        `${JSON.stringify({ ...row, timestamp: `2026-03-07T00:00:0${n}.000Z`, requestId: `req_later_${n}`, message })}\n`,
      )
    } else {
      for (const ending of ['.jsonl', '']) {
        const path = join(project, stem + ending)
        if (existsSync(path)) renameSync(path, join(project, `${at % 2 ? 'zz' : '00'}-renamed-${n}${ending}`))
      }
    }
  })
}

async function inContext<T>(
  dir: string,
  cacheDir: string | undefined,
  act: (context: Context) => Promise<T>,
): Promise<T> {
  const library = openLibrary([dir], () => {})
  const here = { now: new Date('2026-03-08T12:00:00Z'), cwd: dir, home: dir, cacheDir, currentSession: undefined }
  try {
    return await act({ library, ...here, warn: () => {}, progress: () => {} })
  } finally {
    library.close()
  }
}

const sum = (numbers: readonly (number | null)[]) => numbers.reduce<number>((total, one) => total + (one ?? 0), 0)
const DIGITS = 9

/** A title opens its session, unless others have the same. */
function expectFound(context: Context, title: string, id: string): void {
  try {
    expect(findSession(context, title).files.id).toBe(id)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    expect(error).toMatchObject({ code: 'SESSION_AMBIGUOUS', message: expect.stringContaining(' sessions fit ') })
  }
}

/** Asks every way there is, and gives the list. */
async function expectAgreement(context: Context) {
  const { items } = await sessions.run(context, { full: true, all: true })
  const [bySession, byTurn, byDay] = await Promise.all(
    (['session', 'turn', 'day'] as const).map((by) => usage.run(context, { by, timezone: 'UTC' })),
  )
  if (!bySession || !byTurn || !byDay) expect.fail()
  expect(sum(byDay.rows.map((row) => row.costUsd))).toBeCloseTo(sum(bySession.rows.map((row) => row.costUsd)), DIGITS)
  for (const item of items) {
    if (item.kind !== 'conversation') continue
    const name = item.file ?? ''
    const { status: _, ...told } = item
    expectFound(context, item.title ?? '', item.id)
    const shown = await show.run(context, { session: name, branch: 'all' })
    expect(shown.session).toMatchObject(told)
    expect((await outline.run(context, { session: name })).session).toMatchObject(told)
    expect((await tail.run(context, { session: name })).session).toMatchObject(told)
    const row = bySession.rows.find(({ key }) => key === item.id)
    expect(row?.costUsd ?? 0).toBeCloseTo(item.costUsd ?? -1, DIGITS)
    expect(row?.ownCostUsd ?? 0).toBeCloseTo(item.ownCostUsd ?? -1, DIGITS)
    if (row) expect(row.label).toBe(item.title)
    const turns = byTurn.rows.filter(({ key }) => key.startsWith(`${item.id}#`))
    expect(sum(turns.map(({ costUsd }) => costUsd))).toBeCloseTo(item.costUsd ?? -1, DIGITS)
    expect(sum(shown.turns.map(({ costUsd }) => costUsd))).toBeCloseTo(item.costUsd ?? -1, DIGITS)
    if (!row && item.inherited?.responses === 0) continue
    const paid = await receipt.run(context, { what: name })
    expect(paid.title).toBe(item.title)
    expect(paid.total.costUsd).toBeCloseTo(item.costUsd ?? -1, DIGITS)
    expect(paid.countedElsewhere).toHaveLength(item.inherited?.responses ?? -1)
    expect(sum(paid.countedElsewhere.map(({ costUsd }) => costUsd))).toBeCloseTo(item.inherited?.costUsd ?? -1, DIGITS)
  }
  // Of what was deleted, an index knows more.
  return { items: items.filter(({ kind }) => kind !== 'gone'), total: bySession.total }
}

test('all ways to ask for a session agree, with and without an index, after renames, appends and deletes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { minLength: 3, maxLength: 12 }),
      fc.array(change, { maxLength: 3 }),
      async (actions, changes) => {
        const dir = mkdtempSync(join(folder, 'root-'))
        const cacheDir = mkdtempSync(join(folder, 'cache-'))
        writeHistory(dir, actions)
        for (const some of [[], changes]) {
          changeFiles(dir, some)
          const plain = await inContext(dir, undefined, expectAgreement)
          expect(await inContext(dir, cacheDir, expectAgreement)).toEqual(plain)
        }
        rmSync(dir, { recursive: true })
        rmSync(cacheDir, { recursive: true })
      },
    ),
    { numRuns: Number(process.env.ANNALS_ROUNDS ?? 12) },
  )
}, 600_000)

const oneTitle = async (...logs: readonly Log[]) => {
  const dir = mkdtempSync(join(folder, 'title-'))
  root()
    .add(...logs)
    .write(dir)
  const { items } = await inContext(dir, undefined, expectAgreement)
  return items.find(({ id }) => id === logs[0]?.sessionId)?.title
}

test('a summary in another file is the title, wherever one asks', async () => {
  const first = log({ version: '2.0.14', seed: 'a' }).user('asked').assistant('told')
  const other = log({ version: '2.0.14', seed: 'b' }).summary('Old work', String(first.rows().at(-1)?.uuid))
  expect(await oneTitle(first, other)).toBe('Old work')
})

test('what a client wrote down in place of a summary is no title', async () => {
  const first = log({ version: '1.0.128', seed: 'a' }).user('asked').assistant('told')
  const leaf = String(first.rows().at(-1)?.uuid)
  const other = log({ version: '1.0.128', seed: 'b' }).summary('Invalid API key · Please run /login', leaf)
  expect(await oneTitle(first, other)).toBe('asked')
})

test('a summary of an abandoned branch is not the title of the session', async () => {
  const first = log({ version: '2.1.112', seed: 'a' }).user('asked').assistant('told').user('left').assistant('gone')
  const leaf = String(first.rows().findLast(({ type }) => type === 'assistant')?.uuid)
  first.rewind({ to: 2 }).user('other').assistant('way')
  const other = log({ version: '2.0.14', seed: 'b' }).summary('Left behind', leaf)
  expect(await oneTitle(first, other)).toBe('asked')
})

test('a session with an unpriced model costs the same in the list and in the sum', async () => {
  const dir = mkdtempSync(join(folder, 'unpriced-'))
  const odd = { model: 'model-of-nobody' }
  log({ seed: 'a' }).user('one').assistant('first').user('two').assistant('second', odd).write(dir)
  await inContext(dir, undefined, expectAgreement)
})
