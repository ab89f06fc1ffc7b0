import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Cluster } from '../src/collector/sinks/postgres/cluster.ts'
import { postgresReader } from '../src/collector/sinks/postgres/reader.ts'
import { type OpenStore, openStore } from '../src/collector/team/open-store.ts'
import { StoreFiles } from '../src/collector/team/store-files.ts'
import type { Context } from '../src/history/context.ts'
import { historyOf } from '../src/history/history.ts'
import { agents } from '../src/ops/agents.ts'
import { search } from '../src/ops/search.ts'
import { sessions } from '../src/ops/sessions.ts'
import { show } from '../src/ops/show.ts'
import { stats } from '../src/ops/stats.ts'
import { usage } from '../src/ops/usage.ts'
import { log, root, writeDemoRoot } from '../src/testing/index.ts'
import { hasPostgres, newDatabase, testCluster, withoutPostgres } from './postgres.ts'
import { type MadeMachine, madeMachine } from './postgres-machines.ts'

const now = new Date('2026-11-15T12:00:00.000Z')
const EXTRA = log({ seed: 'second machine', cwd: '/home/ben/shop', startedAt: '2026-11-10T09:00:00.000Z' })
  .user('Why does the turnstile count twice?')
  .assistant('I will look.', { thinking: 'Perhaps both edges.' })
  .tool('Bash', { command: 'grep -rn turnstile src' }, { output: 'src/gate.ts:4: turnstile' })
  .subagent({ description: 'Sensor', prompt: 'Find the sensor', result: 'It is in src/sensor.ts.' })
  .assistant('It counts both edges.')

let cluster: Cluster
let first: MadeMachine
let second: MadeMachine
let cache: string

/** Something read from the store at an address. */
async function reading<T>(url: string, ask: (context: Context, store: OpenStore) => Promise<T>): Promise<T> {
  const store = await openStore({ url, access: {} }, cache, () => {})
  const context = { ...first.context(), now, library: store.library, remote: store.remote }
  try {
    return await ask(context, store)
  } finally {
    historyOf(context).close()
  }
}

/** The same from roots on this disk. */
async function local<T>(roots: readonly string[], ask: (context: Context) => Promise<T>): Promise<T> {
  const context = { ...first.context(roots), now }
  try {
    return await ask(context)
  } finally {
    context.library.close()
  }
}

describe.skipIf(!hasPostgres)(`team reading${withoutPostgres}`, () => {
  beforeAll(() => {
    cluster = testCluster()
    cache = mkdtempSync(join(tmpdir(), 'annals-cache-'))
    first = madeMachine((folder) => writeDemoRoot(folder, now))
    second = madeMachine((folder) => root().add(EXTRA).write(folder))
  })
  afterAll(() => {
    for (const one of [first, second]) one?.remove()
    if (cache) rmSync(cache, { recursive: true, force: true })
    cluster?.remove()
  })

  async function answers(context: Context) {
    const listed = await sessions.run(context, { full: true, all: true } as never)
    const used = await usage.run(context, { all: true, by: 'model' } as never)
    const byProject = await usage.run(context, { all: true, by: 'project' } as never)
    const found = await search.run(context, { query: ['turnstile'] } as never)
    const counted = await stats.run(context, {} as never)
    const shown = await Promise.all(
      listed.items
        .filter(({ kind }) => kind === 'conversation')
        .map(({ id }) => show.run(context, { session: id } as never)),
    )
    return {
      sessions: listed.items
        .map(
          ({
            id,
            title,
            titleFrom,
            kind,
            createdAt,
            updatedAt,
            lines,
            counts,
            branches,
            compactions,
            models,
            agents,
          }) => {
            return {
              id,
              title,
              titleFrom,
              kind,
              createdAt,
              updatedAt,
              lines,
              counts,
              branches,
              compactions,
              models,
              agents: agents?.length,
            }
          },
        )
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
      usage: { rows: used.rows, total: used.total, projects: byProject.rows },
      hits: found.hits.map(({ session, role, kind, timestamp, snippet }) => ({
        session,
        role,
        kind,
        timestamp,
        snippet,
      })),
      tools: JSON.parse(
        JSON.stringify(counted, (key, value) => (key === 'file' || key === 'source' ? undefined : value)),
      ).tools,
      shown: shown
        .map(({ session, turns }) => ({
          id: session.id,
          turns: turns.map(({ prompt, items, usage: tokens }) => ({ prompt, items: [...items].length, tokens })),
        }))
        .map((one) => JSON.parse(JSON.stringify(one, (key, value) => (PLACES.has(key) ? undefined : value))))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    }
  }
  const PLACES = new Set(['file', 'offset', 'length', 'line'])

  test('what two machines delivered reads as their roots do together', async () => {
    const url = cluster.url(newDatabase(cluster))
    for (const one of [first, second]) {
      expect(await one.collect(url, { content: 'all', user: 'real' })).toMatchObject({ deadLetters: 0, lagBytes: 0 })
    }
    const theirs = await reading(url, answers)
    const source = await local([first.root, second.root], answers)
    expect(theirs.sessions).toEqual(source.sessions)
    expect(theirs.usage).toEqual(source.usage)
    expect(theirs.hits).toEqual(source.hits)
    expect(theirs.hits.length).toBeGreaterThan(0)
    expect(theirs.tools).toEqual(source.tools)
    expect(theirs.shown).toEqual(source.shown)
    expect(statSync(join(cache, 'team')).mode & 0o077).toBe(0)

    // What is added is there with the next question.
    const project = join(second.root, 'projects', readdirSync(join(second.root, 'projects'))[0] as string)
    const title = { type: 'custom-title', customTitle: 'Counting edges', sessionId: EXTRA.sessionId }
    appendFileSync(join(project, `${EXTRA.sessionId}.jsonl`), `${JSON.stringify(title)}\n`)
    await second.collect(url, { content: 'all', user: 'real' })
    const titles = (context: Context) => answers(context).then((all) => all.sessions.map((one) => one.title))
    expect(await reading(url, titles)).toContain('Counting edges')

    // Without a connection there is a sentence, and no answer.
    cluster.stop()
    try {
      await expect(reading(url, answers)).rejects.toThrow(/is not running/)
    } finally {
      cluster.start()
    }
  })

  test('facts alone give the same usage and the same sessions', async () => {
    const url = cluster.url(newDatabase(cluster))
    for (const one of [first, second]) await one.collect(url, { content: 'none', user: 'hashed', paths: 'hashed' })
    const theirs = await reading(url, answers)
    const source = await local([first.root, second.root], answers)
    expect(theirs.usage.rows).toEqual(source.usage.rows)
    // The client's own ledger is not part of the facts.
    const counted = ({ withUnloggedUsd: _, ...rest }: typeof theirs.usage.total) => rest
    expect(counted(theirs.usage.total)).toEqual(counted(source.usage.total))
    const ids = (some: typeof theirs) =>
      some.sessions.filter(({ kind }) => kind === 'conversation').map(({ id, counts }) => ({ id, counts }))
    expect(ids(theirs)).toEqual(ids(source))
    const told = cluster.psql('select facts, turns, calls from annals.log', new URL(url).pathname.slice(1))
    expect(told).not.toMatch(/turnstile|\/home\/ben/)
    expect(theirs.hits).toEqual([])
  })

  test('where names are hashed, agents of tasks keep their type and who started them', async () => {
    const url = cluster.url(newDatabase(cluster))
    for (const one of [first, second])
      await one.collect(url, { content: 'none', user: 'hashed', paths: 'hashed', 'agent-types': true })
    // Only descriptions of agents leave beside the logs then, under names that say nothing.
    const documents = cluster.psql(
      'select distinct kind, left(file, 2) from annals.document',
      new URL(url).pathname.slice(1),
    )
    expect(documents).toBe('meta|h:\n')
    const told = async (context: Context) => {
      const { items } = await agents.run(context, { all: true } as never)
      return items
        .map(({ id, type, call, parentAgent }) => ({ id, type, call: call?.toolUseId ?? null, parentAgent }))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
    }
    const source = await local([first.root, second.root], told)
    const theirs = await reading(url, told)
    expect(theirs.map(({ id }) => id)).toEqual(source.map(({ id }) => id))
    // That an agent belongs to a workflow is told by its path alone, which did not leave.
    const isTask = ({ id }: { id: string }) => source.some((one) => one.id === id && one.type !== 'workflow-subagent')
    expect(theirs.filter(isTask)).toEqual(source.filter(isTask))
    expect(source.filter(isTask).length).toBeGreaterThan(3)
  })

  test('what is no longer granted, or was purged, is asked in vain, and leaves what was fetched', async () => {
    const database = newDatabase(cluster)
    const url = cluster.url(database)
    for (const one of [first, second]) await one.collect(url, { content: 'all', user: 'real' })
    cluster.psql(`drop role if exists carl; create role carl login in role annals_reader`, database)
    cluster.psql(
      `insert into annals.granted select 'carl', project from annals.session where project <> '' group by 2`,
      database,
    )
    const reader = cluster.url(database, 'carl')
    const seen = (id: string) =>
      reading(reader, async (context, { folder }) => {
        const { items } = await sessions.run(context, { all: true } as never)
        if (items.some((one) => one.id === id)) await show.run(context, { session: id } as never)
        const fetched = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
          path.endsWith('.jsonl'),
        )
        return { listed: items.map((one) => one.id), fetched: fetched.filter((path) => path.includes(id)).length }
      })
    const all = await seen(EXTRA.sessionId)
    expect(all.listed).toContain(EXTRA.sessionId)
    expect(all.fetched).toBeGreaterThan(0)
    cluster.psql(`delete from annals.granted where project = '/home/ben/shop'`, database)
    const fewer = await seen(EXTRA.sessionId)
    expect(fewer.listed).not.toContain(EXTRA.sessionId)
    expect(fewer.listed.length).toBeGreaterThan(3)
    expect(fewer.fetched).toBe(0)
    const [other = ''] = fewer.listed
    expect((await seen(other)).fetched).toBeGreaterThan(0)
    cluster.psql(`select annals.purge('${other}')`, database)
    expect(await seen(other)).toMatchObject({ fetched: 0, listed: expect.not.arrayContaining([other]) })
    cluster.psql(`delete from annals.granted`, database)
    expect((await seen(other)).listed).toEqual([])
  })

  test('what is fetched has an end: the log that was read longest ago goes, and nobody else may read what is there', async () => {
    const database = newDatabase(cluster)
    await first.collect(cluster.url(database), { content: 'all', user: 'real', paths: 'real' })
    const reader = postgresReader(cluster.url(database))
    const folder = join(cache, 'bounded')
    const most = 100_000
    const files = new StoreFiles(reader, folder, most)
    await files.refresh()
    const source = files.open([])
    const logs = files.logs().filter(({ bytes }) => bytes > 0 && bytes <= most)
    const fetched = () =>
      readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
        .filter(({ name }) => name.endsWith('.jsonl'))
        .map(({ parentPath, name }) => statSync(join(parentPath, name)))
    try {
      expect(logs.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(2 * most)
      for (const { root, path, bytes } of logs) {
        const into = new Uint8Array(bytes)
        const entry = { root, path, sizeBytes: bytes, modifiedAt: 0 }
        expect(() => source.read(entry, 0, into)).toThrow(`${path} was not fetched`)
        await files.fetch([entry])
        expect(source.read(entry, 0, into)).toBe(bytes)
        expect(into.at(-1)).toBe(0x0a)
        expect(fetched().reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(most)
        expect(statSync(path).size).toBe(bytes)
      }
      const [oldest, newest] = [logs[0], logs.at(-1)]
      expect([oldest, newest].map((log) => statSync(log?.path ?? '', { throwIfNoEntry: false }) !== undefined)).toEqual(
        [false, true],
      )
      expect(fetched().map(({ mode }) => mode & 0o077)).toEqual(fetched().map(() => 0))
      expect(statSync(folder).mode & 0o077).toBe(0)
    } finally {
      reader.close()
    }
  })
})
