import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Cluster } from '../src/collector/sinks/postgres/cluster.ts'
import { type Mirror, pullTeam } from '../src/collector/team/mirror.ts'
import type { Warning } from '../src/disk/warning.ts'
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
const warnings: Warning[] = []

const pull = (url: string, more: Partial<Parameters<typeof pullTeam>[0]> = {}): Promise<Mirror> =>
  pullTeam({ url, cacheDir: cache, now, warn: (warning) => warnings.push(warning), ...more })

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

  async function answers(roots: readonly string[]) {
    const context = { ...first.context(roots), now }
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
    context.library.close()
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
          turns: turns.map(({ prompt, items, usage: tokens }) => ({ prompt, items: items.length, tokens })),
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
    const mirror = await pull(url)
    expect(mirror.roots.length).toBe(2)
    const theirs = await answers(mirror.roots)
    const source = await answers([first.root, second.root])
    expect(theirs.sessions).toEqual(source.sessions)
    expect(theirs.usage).toEqual(source.usage)
    expect(theirs.hits).toEqual(source.hits)
    expect(theirs.hits.length).toBeGreaterThan(0)
    expect(theirs.tools).toEqual(source.tools)
    expect(theirs.shown).toEqual(source.shown)
    expect(statSync(mirror.folder).mode & 0o077).toBe(0)

    // Again, nothing is copied; after an append, only that.
    const log = join(
      second.root,
      'projects',
      readdirSync(join(second.root, 'projects'))[0] as string,
      `${EXTRA.sessionId}.jsonl`,
    )
    const copy = () =>
      join(
        mirror.roots.find((one) => existsSync(join(one, 'projects', '-home-ben-shop'))) as string,
        'projects',
        '-home-ben-shop',
        `${EXTRA.sessionId}.jsonl`,
      )
    const before = statSync(copy())
    await pull(url)
    expect(statSync(copy()).ino).toBe(before.ino)
    appendFileSync(
      log,
      `${JSON.stringify({ type: 'custom-title', customTitle: 'Counting edges', sessionId: EXTRA.sessionId })}\n`,
    )
    await second.collect(url, { content: 'all', user: 'real' })
    await pull(url)
    expect(statSync(copy()).ino).toBe(before.ino)
    expect(readFileSync(copy(), 'utf8')).toBe(readFileSync(log, 'utf8'))

    // Without a connection it answers with what it has, and says so.
    cluster.stop()
    try {
      warnings.length = 0
      expect((await pull(url)).roots).toEqual(mirror.roots)
      expect(warnings[0]?.message).toMatch(/is not running.*copied at 2026-11-15/)
    } finally {
      cluster.start()
    }
  })

  test('facts alone give the same usage and the same sessions', async () => {
    const url = cluster.url(newDatabase(cluster))
    for (const one of [first, second]) await one.collect(url, { content: 'none', user: 'hashed', paths: 'hashed' })
    const mirror = await pull(url)
    const theirs = await answers(mirror.roots)
    const source = await answers([first.root, second.root])
    expect(theirs.usage.rows).toEqual(source.usage.rows)
    // The client's own ledger is not part of the facts.
    const counted = ({ withUnloggedUsd: _, ...rest }: typeof theirs.usage.total) => rest
    expect(counted(theirs.usage.total)).toEqual(counted(source.usage.total))
    const ids = (some: typeof theirs) =>
      some.sessions.filter(({ kind }) => kind === 'conversation').map(({ id, counts }) => ({ id, counts }))
    expect(ids(theirs)).toEqual(ids(source))
    const texts = readdirSync(mirror.folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.jsonl'))
      .map((path) => readFileSync(join(mirror.folder, path), 'utf8'))
      .join('')
    expect(texts).not.toMatch(/turnstile|\/home\/ben/)
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
    const told = async (roots: readonly string[]) => {
      const context = first.context(roots)
      const { items } = await agents.run(context, { all: true } as never)
      context.library.close()
      return items
        .map(({ id, type, call, parentAgent }) => ({ id, type, call: call?.toolUseId ?? null, parentAgent }))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
    }
    const source = await told([first.root, second.root])
    const theirs = await told((await pull(url)).roots)
    expect(theirs.map(({ id }) => id)).toEqual(source.map(({ id }) => id))
    // That an agent belongs to a workflow is told by its path alone, which did not leave.
    const isTask = ({ id }: { id: string }) => source.some((one) => one.id === id && one.type !== 'workflow-subagent')
    expect(theirs.filter(isTask)).toEqual(source.filter(isTask))
    expect(source.filter(isTask).length).toBeGreaterThan(3)
  })

  test('what is no longer granted, or was purged, leaves the copy and its index', async () => {
    const database = newDatabase(cluster)
    const url = cluster.url(database)
    for (const one of [first, second]) await one.collect(url, { content: 'all', user: 'real' })
    cluster.psql(`drop role if exists carl; create role carl login in role annals_reader`, database)
    cluster.psql(
      `insert into annals.granted select 'carl', project from annals.session where project <> '' group by 2`,
      database,
    )
    const reader = cluster.url(database, 'carl')
    const files = (mirror: Mirror) =>
      readdirSync(mirror.folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.jsonl'))
    const all = await pull(reader)
    expect(files(all).some((path) => path.includes(EXTRA.sessionId))).toBe(true)
    cluster.psql(`delete from annals.granted where project = '/home/ben/shop'`, database)
    const fewer = await pull(reader)
    expect(files(fewer).some((path) => path.includes(EXTRA.sessionId))).toBe(false)
    expect(files(fewer).length).toBeGreaterThan(3)
    cluster.psql(`delete from annals.granted`, database)
    expect(files(await pull(reader))).toEqual([])
  })
})
