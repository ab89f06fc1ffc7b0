import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Library } from '../disk/library.ts'
import { type Log, log, root } from '../testing/index.ts'
import { type Asking, findSession } from './find.ts'
import { historyOf } from './history.ts'
import { listSessions } from './list.ts'
import { openSession } from './open.ts'

let folder: string
let opened: Library[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'annals-find-'))
  opened = []
})
afterEach(() => {
  for (const library of opened) library.close()
  rmSync(folder, { recursive: true, force: true })
})

function asking(more: Partial<Asking> = {}): Asking & { readonly progress: () => void } {
  const library = new Library({ roots: [join(folder, 'root')] })
  opened.push(library)
  const here = { now: new Date('2026-11-16T12:00:00Z'), cwd: folder, currentSession: undefined }
  return { library, ...here, warn: () => {}, progress: () => {}, ...more }
}

function written(...logs: readonly Log[]): Asking {
  root()
    .add(...logs)
    .write(join(folder, 'root'))
  return asking()
}

const COUNT = { type: 'Explore', description: 'Count files', prompt: 'Count the files.', result: 'Three.' } as const
const withAgent = (version: string, seed = 'one') =>
  log({ version, seed }).user('ask').subagent(COUNT).assistant('done')
const fileOf = (made: Log) =>
  join(folder, 'root', made.files().find(({ path }) => path.endsWith(`${made.sessionId}.jsonl`))?.path ?? '')

describe('a session is found by', () => {
  const made = log({ seed: 'a', startedAt: '2026-03-02T09:00:00.000Z' }).user('Fix src/auth.ts').assistant('a')
  const newer = log({ seed: 'b', startedAt: '2026-03-03T09:00:00.000Z' }).user('  other\n  work ').assistant('b')

  test.each([
    ['its id', made.sessionId, made],
    ['the start of its id', made.sessionId.slice(0, 9), made],
    ['last', 'last', newer],
    ['its title, in any case', 'fix SRC/auth.ts', made],
    ['the start of its title', 'fix src', made],
    ['its title as a line', 'other work', newer],
  ])('%s', async (_, name, expected) => {
    expect(await findSession(written(made, newer), name)).toMatchObject({
      files: { id: expected.sessionId },
      agent: null,
    })
  })

  test('its path, from here or from the root', async () => {
    const context = written(made, newer)
    for (const path of [fileOf(made), fileOf(made).slice(folder.length + 1)])
      expect((await findSession(context, path)).files.id).toBe(made.sessionId)
  })

  test('the id that its first records name, where its file is called otherwise', async () => {
    written(made, newer)
    renameSync(fileOf(made), join(dirname(fileOf(made)), 'saved.jsonl'))
    expect((await findSession(asking(), made.sessionId.slice(0, 13))).files.id).toBe('saved')
  })

  test('every title that a list prints', async () => {
    written(made, newer, log({ seed: 'c' }).user('agent-based design').assistant('c'))
    const context = asking()
    for (const { id, title } of await listSessions(context as never))
      expect((await findSession(context, title ?? '')).files.id).toBe(id)
  })
})

test('names that fit several sessions are told apart', async () => {
  const both = ['a', 'b'].map((seed) => log({ seed }).user('the same').assistant('x'))
  const context = written(...both)
  await expect(findSession(context, 'the same')).rejects.toThrow(
    /^2 sessions match "the same":\n {2}[0-9a-f-]{36} {2}the same\n/,
  )
  await expect(findSession(context, 'nothing')).rejects.toThrow('No session matches "nothing".')
  await expect(findSession(context, './no.jsonl')).rejects.toThrow(`There is no file ${join(folder, 'no.jsonl')}.`)
  await expect(findSession(context, 'agent-zz')).rejects.toThrow('No agent\'s id starts with "zz".')
})

describe.each(['1.0.65', '1.0.128', '2.0.37', '2.0.77', '2.1.4', '2.1.325'])('%s: an agent', (version) => {
  test('is found by its id, its start and, where it has one, the path of its log', async () => {
    const made = withAgent(version)
    const context = written(made)
    const infos = await (await historyOf(context).refresh()).sessions.infos()
    const [agent] = infos.values().next().value?.agents ?? []
    expect(agent).toMatchObject({ class: 'task', description: 'Count files' })
    for (const name of [agent?.id, agent?.id.slice(0, 6), agent?.file && agent.file]) {
      if (!name) continue
      const found = await findSession(context, name === agent?.file ? name : `agent-${name}`)
      expect(found).toMatchObject({ files: { id: made.sessionId }, agent: { id: agent?.id } })
      expect((await openSession(context, name === agent?.file ? name : `agent-${name}`)).agent?.prompt).toBe(
        'Count the files.',
      )
    }
  })

  test('of a session that was copied is that of the newest copy', async () => {
    const made = withAgent(version)
    const all = root()
    for (const [project, day] of [
      ['-old', '2026-03-05'],
      ['-new', '2026-03-06'],
    ])
      for (const { path, content } of made.files())
        all.file(path.replace(/^projects\/[^/]+/, `projects/${project}`), content, `${day}T00:00:00.000Z`)
    all.write(join(folder, 'root'))
    const context = asking()
    const infos = await (await historyOf(context).refresh()).sessions.infos()
    const id = infos.values().next().value?.agents[0]?.id
    expect((await findSession(context, `agent-${id}`)).files.project.key).toBe('-new')
  })
})

describe.each(['2.0.37', '2.1.4'])('%s: a session of which only agents are left', (version) => {
  const made = withAgent(version)

  test('is listed as gone, with its agents and what they cost', async () => {
    written(made)
    const { costUsd, ownCostUsd } = (await listSessions(asking() as never))[0] ?? {}
    rmSync(fileOf(made))
    const items = await listSessions(asking() as never)
    expect(items).toMatchObject([
      { id: made.sessionId, kind: 'gone', file: null, title: null, counts: null, ownCostUsd: 0, kept: false },
    ])
    expect(items[0]?.agents).toMatchObject([{ class: 'task' }])
    expect(items[0]?.costUsd).toBeCloseTo((costUsd ?? 0) - (ownCostUsd ?? 0), 9)
  })

  test('cannot be opened, but its agents can', async () => {
    written(made)
    rmSync(fileOf(made))
    const context = asking()
    const { files } = await findSession(context, made.sessionId.slice(0, 8))
    expect(files).toMatchObject({ id: made.sessionId, log: undefined })
    await expect(openSession(context, made.sessionId)).rejects.toThrow(
      `The log of ${made.sessionId} is gone, and was not kept.`,
    )
    const agent = await openSession(context, `agent-${files.agents[0]?.id.slice(0, 5)}`)
    expect(agent).toMatchObject({ files: { id: made.sessionId }, agent: { prompt: 'Count the files.' } })
    expect(agent.conversation.turns(agent.conversation.tree.active)).toHaveLength(1)
  })
})

test('2.0.37: flat agents belong to the session that names their session inside, where its file is called otherwise', async () => {
  const made = withAgent('2.0.37')
  written(made)
  const before = await listSessions(asking() as never)
  renameSync(fileOf(made), join(dirname(fileOf(made)), 'saved.jsonl'))
  const after = await listSessions(asking() as never)
  const { id: _, file: __, ...same } = before[0] as NonNullable<(typeof before)[0]>
  expect(after).toMatchObject([{ id: 'saved', ...same }])
  const context = asking()
  const name = `agent-${same.agents?.[0]?.id}`
  expect(await openSession(context, name)).toMatchObject({
    files: { id: 'saved' },
    agent: { description: 'Count files' },
  })
})

describe('a session whose log is gone', () => {
  const cache = { cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 }
  // At $3 and $15 for a million tokens.
  const usage = { inputTokens: 1_000_000, outputTokens: 100_000, ...cache }
  const made = log({ seed: 'a', startedAt: '2026-03-02T09:00:00.000Z' })
    .user('ask')
    .assistant('a', { model: 'claude-sonnet-4-5', usage })
    .title('Old work')

  test.each([
    ['its id', made.sessionId],
    ['the start of its id', made.sessionId.slice(0, 8)],
    ['its title', 'old work'],
  ])('is told of by %s: what happened, what is known, and what to do', async (_, name) => {
    const cacheDir = join(folder, 'cache')
    written(made)
    await listSessions(asking({ cacheDir }) as never)
    rmSync(fileOf(made))
    const context = asking({ cacheDir })
    await expect(findSession(context, name)).rejects.toThrow(
      expect.objectContaining({
        code: 'SESSION_NOT_FOUND',
        message: expect.stringMatching(
          /^The log of [0-9a-f-]{36} \("Old work"\) is gone, and was not kept\. .* was last written 2026-.* UTC\. .*Still known: from 2026-03-02 09:00 UTC to .*, 1 turn, \$4\.50\.$/,
        ),
        hint: expect.stringContaining('annals keep'),
      }),
    )
    historyOf(context).close()
  })

  test('is told of by what the client noted, where it was swept before anybody read it', async () => {
    const entry = {
      sessionId: made.sessionId,
      summary: 'Old work',
      messageCount: 14,
      created: '2026-03-02T09:00:00.000Z',
    }
    root()
      .sessionsIndex('/home/ana/api', [entry])
      .add(log({ seed: 'there' }).user('x'))
      .write(join(folder, 'root'))
    const [gone] = (await listSessions(asking() as never)).filter(({ kind }) => kind === 'gone')
    expect(gone).toMatchObject({ id: made.sessionId, counts: null, messageCount: 14 })
    await expect(findSession(asking(), 'old work')).rejects.toThrow(/Still known: .*14 messages\.$/)
  })

  test('is not told of where it was purged with the index', async () => {
    written(made)
    rmSync(fileOf(made))
    await expect(findSession(asking(), made.sessionId)).rejects.toThrow(/No session matches/)
  })
})

test('a log outside of all roots is opened by its path, and leaves nothing in the index folder', async () => {
  const made = withAgent('2.0.37')
  written(log({ seed: 'other' }).user('x').assistant('y'))
  root().add(made).write(join(folder, 'elsewhere'))
  const path = fileOf(made).replace('root', 'elsewhere')
  const cacheDir = join(folder, 'cache')
  const context = asking({ cacheDir })
  await historyOf(context).refresh()
  const before = readdirSync(cacheDir).filter((name) => name.endsWith('.db'))
  expect((await openSession(context, path)).family).toMatchObject([{ description: 'Count files' }])
  const agent = readdirSync(dirname(path)).find((name) => name.startsWith('agent-')) ?? ''
  expect(await openSession(context, join(dirname(path), agent))).toMatchObject({ agent: { id: agent.slice(6, -6) } })
  await expect(findSession({ ...context, rootsOnly: true }, path)).rejects.toThrow('There is no file')
  expect(readdirSync(cacheDir).filter((name) => name.endsWith('.db'))).toEqual(before)
  historyOf(context).close()
})
