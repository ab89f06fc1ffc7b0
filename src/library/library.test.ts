import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Failure } from '../core/failure.ts'
import { sumUsage } from '../core/usage/usage.ts'
import { log, root as newRoot } from '../testing/index.ts'
import { priceOf } from './billed-call.ts'
import type { Item } from './conversation.ts'
import type { FollowEvent } from './follow.ts'
import type { History } from './history.ts'
import { openFile } from './open-file.ts'
import { openHistory } from './open-history.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-library-'))
const root = join(folder, 'root')
const made = log({ cwd: '/home/ana/api', seed: 'race', startedAt: '2026-11-01T10:00:00.000Z' })
  .user('Fix the race in refresh token')
  .tool('Bash', { command: 'npm test' }, { output: 'all green' })
  .subagent({
    type: 'Explore',
    description: 'find callers',
    prompt: 'Who calls it?',
    steps: (agent) => agent.assistant('I look.'),
    result: 'Nobody.',
  })
  .assistant('Fixed.')
  .user('And the tests?')
  .assistant('They pass.')
  .title('The race')
const other = log({ cwd: '/home/ana/web', seed: 'other', startedAt: '2026-11-02T10:00:00.000Z' })
  .user('Draw it')
  .assistant('Drawn.')
let homes = 0

beforeAll(() => {
  newRoot().add(made, other).write(root)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const open = (options: { cache?: boolean; roots?: string[]; onWarning?: (w: { file: string }) => void } = {}) =>
  openHistory({ roots: [root], home: join(folder, `home-${homes++}`), ...options })

async function all<T>(items: AsyncIterable<T> | undefined): Promise<T[]> {
  const list: T[] = []
  for await (const item of items ?? []) list.push(item)
  return list
}

async function using<T>(history: History, act: (history: History) => Promise<T>): Promise<T> {
  try {
    return await act(history)
  } finally {
    await history.close()
  }
}

describe.each([{ cache: true }, { cache: false }])('a history with %o', (options) => {
  test('gives its sessions, the newest first, and those that a filter leaves', async () => {
    await using(await open(options), async (history) => {
      expect((await all(history.sessions())).map(({ id }) => id)).toEqual([other.sessionId, made.sessionId])
      const [only] = await all(history.sessions({ under: '/home/ana/api' }))
      expect(only?.info).toMatchObject({ title: 'The race', counts: { turns: 2, toolCalls: 2 }, kind: 'conversation' })
      expect(await all(history.sessions({ since: '2026-11-02', until: '2026-11-02' }))).toHaveLength(1)
    })
  })

  test('finds a session by the start of its id, its title and the path of its log', async () => {
    await using(await open(options), async (history) => {
      const named = await history.session('the race')
      expect(named.id).toBe(made.sessionId)
      expect((await history.session(made.sessionId.slice(0, 8))).info).toEqual(named.info)
      expect((await history.session(named.info.file ?? '')).info).toEqual(named.info)
      await expect(history.session('nowhere')).rejects.toThrow(Failure)
    })
  })

  test('finds words, the newest first', async () => {
    await using(await open(options), async (history) => {
      const hits = await all(history.search('refresh token'))
      expect(hits).toMatchObject([
        { session: { id: made.sessionId, project: { path: '/home/ana/api' } }, role: 'user', agent: null },
      ])
      expect(hits[0]?.snippet).toContain('refresh token')
      expect(await all(history.search('Drawn.', { as: 'exact' }))).toHaveLength(1)
      expect(await all(history.search('draw', { under: '/home/ana/api' }))).toEqual([])
      await expect(all(history.search('-nothing'))).rejects.toThrow('nothing to search for')
    })
  })
})

test('a search gives every hit, however many, each once', async () => {
  const many = join(folder, 'many')
  const long = log({ cwd: '/home/ana/api', seed: 'many' })
  for (let i = 0; i < 230; i++) long.user(`walrus number ${i}`)
  newRoot().add(long).write(many)
  await using(await open({ roots: [many], cache: true }), async (history) => {
    const hits = await all(history.search('walrus'))
    expect(new Set(hits.map(({ place }) => place.line)).size).toBe(230)
    expect(hits).toHaveLength(230)
  })
})

test('a file is blamed line by line', async () => {
  const path = join(folder, 'blamed.ts')
  const made = log({ seed: 'blamed', cwd: folder }).user('write it').writeFile(path, 'a\nb\n').assistant('done')
  newRoot().add(made).write(join(folder, 'blamed-root'))
  await using history = await openHistory({ roots: [join(folder, 'blamed-root')], home: join(folder, 'blamed-home') })
  const { lines, onDisk } = await history.blame(path)
  expect(onDisk).toBe(false)
  expect(lines.map(({ text, rule, call }) => [text, rule, call?.prompt])).toEqual([
    ['a', 'proven', 'write it'],
    ['b', 'proven', 'write it'],
  ])
})

test('a conversation is told turn by turn, with the agent that a call started', async () => {
  await using(await open(), async (history) => {
    const session = await history.session(made.sessionId)
    const { active, branches } = await session.open()
    expect(branches).toHaveLength(1)
    expect(active.turns.map(({ number, prompt }) => [number, prompt?.text])).toEqual([
      [1, 'Fix the race in refresh token'],
      [2, 'And the tests?'],
    ])
    const items: Item[] = await all(active.turns[0]?.items())
    const tools = items.filter((item) => item.kind === 'tool')
    expect(tools.map(({ name, result }) => [name, result])).toEqual([
      ['Bash', 'all green'],
      ['Agent', expect.stringContaining('Nobody.')],
    ])
    expect(await tools[0]?.agent()).toBeNull()
    const agent = await tools[1]?.agent()
    expect(agent).toMatchObject({ type: 'Explore', description: 'find callers', prompt: 'Who calls it?' })
    const said = await all((await agent?.open())?.active.turns[0]?.items())
    expect(said.map((item) => item.kind === 'text' && item.text)).toEqual(['I look.', 'Nobody.'])
    expect((await session.agents()).map(({ id }) => id)).toEqual([agent?.id])
    const alone = await history.session(`agent-${agent?.id}`)
    expect((await alone.open()).active.turns[0]?.prompt?.text).toBe('Who calls it?')
  })
})

test('an open conversation has its prompts, also when its log is gone', async () => {
  const gone = join(folder, 'gone.jsonl')
  writeFileSync(
    gone,
    log({ seed: 'gone' }).user('one').command('/cost', { output: 'Total: $1' }).assistant('a').content(),
  )
  const { active } = await (await openFile(gone)).open()
  writeFileSync(gone, '')
  expect(active.turns.map(({ prompt }) => [prompt?.text, prompt?.output])).toEqual([
    ['one', null],
    ['/cost', 'Total: $1'],
  ])
})

test('what was spent is told call by call, own and with agents', async () => {
  await using(await open(), async (history) => {
    const { usage, info } = await history.session(made.sessionId)
    const [own, whole] = [await usage(), await usage({ agents: true })]
    expect(own).toHaveLength(4)
    expect(whole).toHaveLength(6)
    expect(whole.filter(({ agent }) => agent !== null)).toHaveLength(2)
    expect(priceOf(whole).usd).toBeCloseTo(info.costUsd ?? -1, 9)
    expect(priceOf(own).usd).toBeCloseTo(info.ownCostUsd ?? -1, 9)
    expect(sumUsage(own).responses).toBe(4)
    expect(whole.map(({ turn }) => turn)).toEqual([1, 1, 1, 1, 1, 2])
    expect(own[0]).toMatchObject({ session: made.sessionId, turn: 1, place: { file: info.file } })
  })
})

test('what nobody knows the price of is in no sum', () => {
  expect(priceOf([{ costUsd: 1.5 }, { costUsd: null }, { costUsd: 2 }])).toEqual({ usd: 3.5, unpriced: 1 })
  expect(priceOf([{ costUsd: null }])).toEqual({ usd: null, unpriced: 1 })
  expect(priceOf([])).toEqual({ usd: 0, unpriced: 0 })
})

test('every record of a log is streamed, whatever session it names', async () => {
  const file = join(folder, 'mixed.jsonl')
  const rows = ['a', 'b', undefined].map((sessionId, i) => ({ type: 'user', uuid: `u${i}`, sessionId }))
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  expect((await all((await openFile(file)).records())).map(({ raw }) => raw.uuid)).toEqual(['u0', 'u1', 'u2'])
  await using(await open(), async (history) => {
    const session = await history.session(made.sessionId)
    const own = await all(session.records())
    expect(own.map(({ raw }) => raw)).toEqual(made.rows())
    expect((await all(session.records({ agents: true }))).length).toBeGreaterThan(own.length)
  })
})

test('everything is plain data', async () => {
  await using(await open(), async (history) => {
    const session = await history.session(made.sessionId)
    const { active } = await session.open()
    const [turn] = active.turns
    const plain = JSON.parse(JSON.stringify({ session, active, items: await all(turn?.items()) }))
    expect(plain).toMatchObject({
      session: { id: made.sessionId, info: { title: 'The race' } },
      active: { isActive: true, turns: [{ number: 1, prompt: { text: 'Fix the race in refresh token' } }, {}] },
    })
    expect(JSON.stringify(await session.agents())).toContain('Explore')
  })
})

test('an export holds no secret unless it is asked for', async () => {
  const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789'
  const file = join(folder, 'secret.jsonl')
  const row = { type: 'user', uuid: 'u', parentUuid: null, sessionId: 's', message: { role: 'user', content: secret } }
  writeFileSync(file, `${JSON.stringify({ ...row, timestamp: '2026-11-01T10:00:00.000Z' })}\n`)
  const session = await openFile(file)
  const [masked, plain] = [join(folder, 'masked.md'), join(folder, 'plain.md')]
  expect(await session.export('md', { to: masked })).toMatchObject([
    { file: masked, bytes: expect.any(Number), session: 'secret' },
  ])
  await session.export('md', { to: plain, secrets: true })
  expect(readFileSync(masked, 'utf8')).not.toContain(secret)
  expect(readFileSync(plain, 'utf8')).toContain(secret)
  await expect(session.export('md', { to: plain })).rejects.toThrow(Failure)
})

test('what is kept outlives its log', async () => {
  const home = join(folder, 'keeper')
  const own = join(folder, 'kept-root')
  const kept = log({ cwd: '/home/ana/api', seed: 'kept' }).user('Keep me').assistant('I stay.')
  newRoot().add(kept).write(own)
  const options = { roots: [own], home, cache: true }
  await using(await openHistory(options), async (history) => {
    const session = await history.session('last')
    expect((await session.keep()).files).toBeGreaterThan(0)
    expect(await session.keep()).toEqual({ files: 0, bytes: 0 })
    rmSync(session.info.file ?? '')
  })
  await using(await openHistory(options), async (history) => {
    const [session] = await all(history.sessions())
    expect(session?.info).toMatchObject({ id: kept.sessionId, kind: 'gone', kept: true })
    expect((await session?.open())?.active.turns[0]?.prompt?.text).toBe('Keep me')
  })
})

test('one missing root of several is a warning, a single one a failure', async () => {
  const warned: string[] = []
  const onWarning = ({ file }: { file: string }) => warned.push(file)
  await using(await open({ roots: [join(folder, 'gone'), root], onWarning }), async (history) => {
    expect(history.roots).toEqual([root])
    expect(warned).toEqual([join(folder, 'gone')])
    expect(await all(history.sessions())).toHaveLength(2)
  })
  await expect(open({ roots: [join(folder, 'gone')] })).rejects.toThrow('There is no folder')
})

test('a session is followed with its agents, those that begin later from their first record on', async () => {
  const live = join(folder, 'live')
  const running = log({ cwd: '/home/ana/api', seed: 'live' }).user('Go on').assistant('Yes.')
  newRoot().add(running).write(live)
  const stop = new AbortController()
  await using(await open({ roots: [live] }), async (history) => {
    const { info, follow } = await history.session('last')
    const file = info.file ?? ''
    const events: FollowEvent[] = []
    const following = (async () => {
      for await (const event of follow({ agents: true, signal: stop.signal })) {
        events.push(event)
        if (events.length === 2) stop.abort()
      }
    })()
    await new Promise((resolve) => setTimeout(resolve, 600))
    appendFileSync(file, `${JSON.stringify({ type: 'user', uuid: 'later', message: { content: 'x' } })}\n`)
    const agents = join(file.replace(/\.jsonl$/, ''), 'subagents')
    mkdirSync(agents, { recursive: true })
    writeFileSync(join(agents, 'agent-a1.jsonl'), `${JSON.stringify({ type: 'user', uuid: 'theirs' })}\n`)
    await following
    const told = events.map((event) => [event.agent, event.kind === 'record' ? event.record.raw.uuid : event.kind])
    expect(new Map(told as [string | null, string][])).toEqual(
      new Map([
        [null, 'later'],
        ['a1', 'theirs'],
      ]),
    )
  })
})

test('nothing is left in a home without cache but what was asked for', async () => {
  const home = join(folder, 'untouched')
  await using(await openHistory({ roots: [root], home }), async (history) => all(history.sessions()))
  expect(() => readdirSync(home)).toThrow()
})
