import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { Failure } from '../src/core/failure.ts'
import type { ObjectSchema, Schema, Static } from '../src/core/schema.ts'
import { openLibrary } from '../src/history/compose.ts'
import type { Context } from '../src/history/context.ts'
import { findSession } from '../src/history/find.ts'
import { openHistory, priceOf, type SessionInfo } from '../src/index.ts'
import { agents } from '../src/ops/agents.ts'
import type { Op } from '../src/ops/op.ts'
import { outline } from '../src/ops/outline/outline.ts'
import { projects } from '../src/ops/projects.ts'
import { purge } from '../src/ops/purge.ts'
import { receipt } from '../src/ops/receipt.ts'
import { sessions } from '../src/ops/sessions.ts'
import { show } from '../src/ops/show.ts'
import { stats } from '../src/ops/stats.ts'
import { status } from '../src/ops/status.ts'
import { tail } from '../src/ops/tail.ts'
import { usage } from '../src/ops/usage.ts'
import { startServer } from '../src/server/server.ts'
import { type Log, log, root } from '../src/testing/index.ts'
import { action, change, changeHistory, writeHistory } from './agreement/random-history.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-agreement-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A root with the folders of our state beside it. */
interface Place {
  readonly root: string
  readonly dataDir: string
  /** Without it, nothing is kept. */
  readonly cacheDir: string | undefined
}

/** Asks an operation, in whatever way. */
type Ask = <I extends ObjectSchema, R extends Schema>(op: Op<I, R>, input: Static<I>) => Promise<Static<R>>

/** Asks in this process, as the command line does. */
async function inProcess<T>({ root, ...place }: Place, act: (ask: Ask, context: Context) => Promise<T>): Promise<T> {
  const library = openLibrary([root], () => {}, place.dataDir)
  const now = new Date('2026-03-08T12:00:00Z')
  const context = { library, now, cwd: root, home: root, ...place, currentSession: undefined, warn() {}, progress() {} }
  try {
    return await act(async (op, input) => op.run(context, input), context)
  } finally {
    library.close()
  }
}

/** Asks over HTTP, as the web app does. */
async function overHttp<T>({ root, ...place }: Place, act: (ask: Ask) => Promise<T>): Promise<T> {
  const setup = { roots: [root], cwd: root, home: root, configDir: undefined, ...place, currentSession: undefined }
  const server = await startServer({ setup, version: '1.2.3', demo: true, port: 0, webDir: root })
  const headers = { Authorization: `Bearer ${server.token}` }
  try {
    return await act(async (op, input) => {
      const query = new URLSearchParams(
        Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]),
      )
      const answer = await fetch(`http://127.0.0.1:${server.port}/api/${op.name}?${query}`, { headers })
      const text = await answer.text()
      expect(answer.status, text).toBe(200)
      return JSON.parse(text)
    })
  } finally {
    await server.close()
  }
}

/** What a program that uses the package is told. */
async function inLibrary({ root, dataDir, cacheDir }: Place) {
  const history = await openHistory({ roots: [root], home: dataDir, cache: cacheDir !== undefined })
  const infos: SessionInfo[] = []
  try {
    for await (const { info, usage } of history.sessions({ all: true })) {
      infos.push(info)
      if (info.kind !== 'conversation') continue
      expect(priceOf(await usage({ agents: true })).usd ?? 0).toBeCloseTo(info.costUsd ?? 0, DIGITS)
      expect(priceOf(await usage()).usd ?? 0).toBeCloseTo(info.ownCostUsd ?? 0, DIGITS)
    }
    return comparable(infos)
  } finally {
    await history.close()
  }
}

/** What all must say of sessions. Of those that were deleted an index knows more, and who runs depends on the clock. */
function comparable<T extends Pick<SessionInfo, 'kind' | 'file'> & { readonly status: string }>(items: readonly T[]) {
  return items
    .filter(({ kind }) => kind !== 'gone')
    .map(({ status: _, ...told }) => told)
    .sort((a, b) => (`${a.file}` < `${b.file}` ? -1 : 1))
}

/** A title opens its session, unless others have the same. */
async function expectFound(context: Context, title: string, id: string): Promise<void> {
  try {
    expect((await findSession(context, title)).files.id).toBe(id)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    expect(error).toMatchObject({ code: 'SESSION_AMBIGUOUS', message: expect.stringContaining(' sessions match ') })
  }
}

const sum = (numbers: readonly (number | null)[]) => numbers.reduce<number>((total, one) => total + (one ?? 0), 0)
const DIGITS = 9

/** Asks all there is to ask for sessions, and gives the list. */
async function expectAgreement(ask: Ask, context?: Context) {
  const { items } = await ask(sessions, { all: true })
  // "Sessions" is one number, wherever it is told.
  const { total } = await ask(sessions, {})
  const { roots, total: inAll } = await ask(status, {})
  const places = (await ask(projects, {})).items
  expect([inAll, sum(roots.map((root) => root.sessions)), sum(places.map((one) => one.sessions))]).toEqual([
    total,
    total,
    total,
  ])
  const logs = items.filter(({ file, kind }) => file !== null && kind !== 'conversation' && kind !== 'gone').length
  expect([sum(roots.map((root) => root.hidden)), sum(places.map((one) => one.hidden))]).toEqual([logs, logs])
  const bySession = await ask(usage, { all: true, by: 'session', timezone: 'UTC' })
  const byTurn = await ask(usage, { all: true, by: 'turn', timezone: 'UTC' })
  const byDay = await ask(usage, { all: true, by: 'day', timezone: 'UTC' })
  const counted = await ask(stats, { timezone: 'UTC', limit: 1000 })
  expect(sum(byDay.rows.map((row) => row.costUsd))).toBeCloseTo(sum(bySession.rows.map((row) => row.costUsd)), DIGITS)
  expect(counted.totals.responses).toBe(bySession.total.responses)
  for (const item of items) {
    if (item.kind !== 'conversation') continue
    const name = item.file ?? ''
    const { status: _, ...told } = item
    if (context) await expectFound(context, item.title ?? '', item.id)
    const shown = await ask(show, { session: name, branch: 'all' })
    expect(shown.session).toMatchObject(told)
    expect((await ask(outline, { session: name })).session).toMatchObject(told)
    expect((await ask(tail, { session: name })).session).toMatchObject(told)
    expect(counted.sessions.find(({ file }) => file === name)).toMatchObject({
      title: item.title,
      turns: item.counts?.turns,
      toolCalls: item.counts?.toolCalls,
      durationMs: item.wallMs,
    })
    const row = bySession.rows.find(({ key }) => key === item.id)
    expect(row?.costUsd ?? 0).toBeCloseTo(item.costUsd ?? -1, DIGITS)
    expect(row?.ownCostUsd ?? 0).toBeCloseTo(item.ownCostUsd ?? -1, DIGITS)
    if (row) expect(row.label).toBe(item.title)
    const turns = byTurn.rows.filter(({ key }) => key.startsWith(`${item.id}#`))
    expect(sum(turns.map(({ costUsd }) => costUsd))).toBeCloseTo(item.costUsd ?? -1, DIGITS)
    expect(sum(shown.turns.map(({ costUsd }) => costUsd))).toBeCloseTo(item.costUsd ?? -1, DIGITS)
    for (const { number, costUsd } of (await ask(show, { session: name })).turns) {
      const same = turns.find(({ key }) => key === `${item.id}#${number}`)
      expect(same?.costUsd ?? 0).toBeCloseTo(costUsd ?? 0, DIGITS)
    }
    if (!row && item.inherited?.responses === 0) continue
    const paid = await ask(receipt, { what: name })
    expect(paid.title).toBe(item.title)
    expect(paid.total.costUsd).toBeCloseTo(item.costUsd ?? -1, DIGITS)
    expect(paid.countedElsewhere).toHaveLength(item.inherited?.responses ?? -1)
    expect(sum(paid.countedElsewhere.map(({ costUsd }) => costUsd))).toBeCloseTo(item.inherited?.costUsd ?? -1, DIGITS)
  }
  return { items: comparable(items), total: bySession.total }
}

test('all ways to ask for a session agree, with and without an index, after renames, appends, rewrites, deletes and purges', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(action, { minLength: 3, maxLength: 12 }),
      fc.array(change, { maxLength: 4 }),
      async (actions, changes) => {
        const { kept, bare } = makePlaces()
        writeHistory(bare.root, actions)
        for (const some of [[], changes]) {
          await changeHistory(bare.root, some, (session, source) =>
            inProcess(kept, async (ask) => void (await ask(purge, { session, source, yes: true }))),
          )
          const plain = await inProcess(bare, expectAgreement)
          expect(await inProcess(kept, expectAgreement)).toEqual(plain)
          for (const place of [bare, kept]) {
            expect(await overHttp(place, expectAgreement)).toEqual(plain)
            expect(await inLibrary(place)).toEqual(plain.items)
          }
        }
        rmSync(dirname(bare.root), { recursive: true })
      },
    ),
    { numRuns: Number(process.env.ANNALS_ROUNDS ?? 12) },
  )
}, 600_000)

/** A root, with an index and without one. */
function makePlaces(): { readonly kept: Place; readonly bare: Place } {
  const around = mkdtempSync(join(folder, 'history-'))
  const bare = { root: join(around, 'root'), dataDir: join(around, 'data'), cacheDir: undefined }
  return { bare, kept: { ...bare, cacheDir: join(around, 'cache') } }
}

const oneTitle = async (...logs: readonly Log[]) => {
  const { bare } = makePlaces()
  root()
    .add(...logs)
    .write(bare.root)
  const { items } = await inProcess(bare, expectAgreement)
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
  const { bare } = makePlaces()
  const odd = { model: 'model-of-nobody' }
  log({ seed: 'a' }).user('one').assistant('first').user('two').assistant('second', odd).write(bare.root)
  await inProcess(bare, expectAgreement)
})

test('an agent whose call is gone is paid for in the turn that ran when it began', async () => {
  const { bare } = makePlaces()
  const first = log({ version: '2.1.325', seed: 'a' })
    .user('one')
    .subagent({ description: 'look', prompt: 'look', steps: (agent) => agent.assistant('working'), result: 'seen' })
    .user('two')
    .assistant('told')
  root().add(first).write(bare.root)
  const path = join(bare.root, 'projects', '-home-ana-api', `${first.sessionId}.jsonl`)
  const isCall = (line: string) => line.includes('"tool_use"') || line.includes('"tool_result"')
  const lines = readFileSync(path, 'utf8').split('\n')
  writeFileSync(path, lines.filter((line) => !isCall(line)).join('\n'))
  await inProcess(bare, async (ask, context) => {
    await expectAgreement(ask, context)
    const { items } = await ask(agents, { session: first.sessionId })
    expect(items).toMatchObject([{ call: null }])
    const { turns } = await ask(show, { session: first.sessionId })
    expect(items[0]?.costUsd).toBeGreaterThan(0)
    expect(turns[0]?.costUsd).toBeGreaterThanOrEqual(items[0]?.costUsd ?? 1)
  })
})
