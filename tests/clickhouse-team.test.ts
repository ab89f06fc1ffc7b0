import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clickhouseReader } from '../src/collector/sinks/clickhouse/reader.ts'
import { openStoreOf } from '../src/collector/team/open-store.ts'
import { purgeTeam } from '../src/collector/team/purge.ts'
import type { Context } from '../src/history/context.ts'
import { historyOf } from '../src/history/history.ts'
import { projects } from '../src/ops/projects.ts'
import { recap } from '../src/ops/recap.ts'
import { search } from '../src/ops/search.ts'
import { sessions } from '../src/ops/sessions.ts'
import { show } from '../src/ops/show.ts'
import { stats } from '../src/ops/stats.ts'
import { usage } from '../src/ops/usage.ts'
import { log, root, writeDemoRoot } from '../src/testing/index.ts'
import { action, writeHistory } from './agreement/random-history.ts'
import { type MadeMachine, madeMachine } from './postgres-machines.ts'
import { clickhousePlace, type Engine, noClickHouse, startClickHouse } from './support/clickhouse.ts'

const now = new Date('2026-11-15T12:00:00.000Z')
const EXTRA = log({ seed: 'second machine', cwd: '/home/ben/shop', startedAt: '2026-11-10T09:00:00.000Z' })
  .user('Why does the turnstile count twice? 門が二度数える')
  .assistant('I will look at getUserName and the café.', { thinking: 'Perhaps both edges.' })
  .tool('Bash', { command: 'grep -rn turnstile src' }, { output: 'src/gate.ts:4: turnstile' })
  .subagent({ description: 'Sensor', prompt: 'Find the sensor', result: 'It is in src/sensor.ts.' })
  .assistant('It counts both edges.')

/** Words, phrases, beginnings, parts of words, CJK, none of, either, and what is about something. */
const QUERIES = [
  ['turnstile'],
  ['"both edges"'],
  ['"edges both"'],
  ['turnst*'],
  ['user name'],
  ['getUserName'],
  ['cafe'],
  ['数える'],
  ['turnstile -grep'],
  ['sensor OR café'],
  ['count twice'],
  ['nowhere-to-be-found'],
  ['webhooks'],
]

describe.skipIf(noClickHouse !== undefined)('reading a ClickHouse', () => {
  let engine: Engine
  let cache: string
  beforeAll(async () => {
    engine = await startClickHouse()
    cache = mkdtempSync(join(tmpdir(), 'annals-cache-'))
  }, 300_000)
  afterAll(async () => {
    await engine?.stop()
    if (cache) rmSync(cache, { recursive: true, force: true })
  })

  /** Something read from a store. */
  async function reading<T>(url: string, machine: MadeMachine, ask: (context: Context) => Promise<T>): Promise<T> {
    const reader = clickhouseReader(url)
    const folder = join(cache, new URL(url.replace('clickhouse', 'http')).pathname)
    const { library, remote } = await openStoreOf(reader, folder, () => {})
    const context = { ...machine.context(), now, library, remote }
    try {
      return await ask(context)
    } finally {
      historyOf(context).close()
    }
  }

  /** The same from roots on this disk. */
  async function local<T>(
    machine: MadeMachine,
    roots: readonly string[],
    ask: (context: Context) => Promise<T>,
  ): Promise<T> {
    const context = { ...machine.context(roots), now }
    try {
      return await ask(context)
    } finally {
      context.library.close()
    }
  }

  /** All that is asked, without what only says where something lies. */
  async function answers(context: Context) {
    const listed = await sessions.run(context, { full: true, all: true } as never)
    const by = async (what: string) => usage.run(context, { all: true, by: what, timezone: 'UTC' } as never)
    const found = []
    for (const query of QUERIES) {
      const { total, hits } = await search.run(context, { query, limit: 100 } as never)
      found.push({
        query,
        total,
        hits: hits.map(({ session, role, kind, timestamp, snippet }) => ({ session, role, kind, timestamp, snippet })),
      })
    }
    const shown = []
    for (const { id, kind } of listed.items) {
      if (kind === 'conversation') shown.push(await show.run(context, { session: id } as never))
    }
    const all = {
      // When a log was last changed that has no times, only its file tells.
      sessions: byId(listed.items).map((one) => (one.createdAt === null ? { ...one, updatedAt: null } : one)),
      usage: [await by('model'), await by('day'), await by('project')].map(({ rows, total }) => ({ rows, total })),
      stats: await stats.run(context, { timezone: 'UTC', limit: 1000 } as never),
      projects: await projects.run(context, {} as never),
      recap: await recap.run(context, { since: '30d' } as never),
      found,
      shown: shown.map(({ session, turns }) => ({ id: session.id, turns })).sort((a, b) => (a.id < b.id ? -1 : 1)),
    }
    // In which order parts of a dollar are added up is not told.
    const told = (value: unknown) => (typeof value === 'number' ? Number(value.toFixed(9)) : value)
    return JSON.parse(JSON.stringify(all, (key, value) => (PLACES.has(key) ? undefined : told(value))))
  }
  const byId = <T extends { readonly id: string }>(items: readonly T[]) =>
    [...items].sort((a, b) => (a.id < b.id ? -1 : 1))
  const PLACES = new Set([
    'file',
    'files',
    'dir',
    'root',
    'folder',
    'source',
    'offset',
    'length',
    'line',
    'status',
    'sizeBytes',
    'bytes',
    'expiresAt',
    'path',
    'key',
  ])

  test('what two machines delivered reads as their roots do together', async () => {
    const place = clickhousePlace(engine)
    const first = madeMachine((folder) => writeDemoRoot(folder, now))
    const second = madeMachine((folder) => root().add(EXTRA).write(folder))
    try {
      for (const one of [first, second]) {
        expect(await one.collect(place.url, { content: 'all', user: 'real' })).toMatchObject({
          deadLetters: 0,
          lagBytes: 0,
        })
      }
      const theirs = await reading(place.url, first, answers)
      const ours = await local(first, [first.root, second.root], answers)
      for (const key of Object.keys(ours)) expect(theirs[key], key).toEqual(ours[key])
      expect(ours.found.filter(({ total }: { total: number }) => total > 0).length).toBeGreaterThan(9)

      // What is added is there with the next question.
      const project = join(second.root, 'projects', readdirSync(join(second.root, 'projects'))[0] as string)
      const title = { type: 'custom-title', customTitle: 'Counting edges', sessionId: EXTRA.sessionId }
      appendFileSync(join(project, `${EXTRA.sessionId}.jsonl`), `${JSON.stringify(title)}\n`)
      await second.collect(place.url, { content: 'all', user: 'real' })
      const titles = async (context: Context) => {
        const { items } = await sessions.run(context, { all: true } as never)
        return items.map((one) => one.title)
      }
      expect(await reading(place.url, first, titles)).toContain('Counting edges')

      // What is purged is asked in vain, and its words are in no table.
      const forget = (what: 'session' | 'person', name: string) =>
        purgeTeam({ ...first.context(), store: { url: place.url } } as Context, what, name, true)
      const prefix = EXTRA.sessionId.slice(0, 13)
      expect(await forget('session', prefix)).toMatchObject({ session: EXTRA.sessionId })
      expect(await reading(place.url, first, titles)).not.toContain('Counting edges')
      const settings = 'settings apply_deleted_mask = 0'
      expect(
        await engine.store.ask(
          `select count() as n from ${place.database}.doc where words like '%turnstile%' ${settings}`,
        ),
      ).toEqual([{ n: 0 }])
      expect(
        await engine.store.ask(
          `select count() as n from ${place.database}.log where facts like '%turnstile%' ${settings}`,
        ),
      ).toEqual([{ n: 0 }])
      // And so is all of a person.
      await expect(forget('person', 'nobody')).rejects.toThrow(/Nobody is called "nobody"/)
      const [{ person } = {}] = await engine.store.ask(
        `select any(person) as person from ${place.database}.session where person != ''`,
      )
      await forget('person', String(person))
      expect(await reading(place.url, first, titles)).toEqual([])
      expect(await place.rows()).toEqual([])
    } finally {
      first.remove()
      second.remove()
      await place.remove()
    }
  }, 300_000)

  test('facts alone give the same sums', async () => {
    const place = clickhousePlace(engine)
    const first = madeMachine((folder) => writeDemoRoot(folder, now))
    try {
      await first.collect(place.url, { content: 'none', user: 'hashed', paths: 'hashed' })
      const rows = async (context: Context) => (await usage.run(context, { all: true, by: 'model' } as never)).rows
      expect(await reading(place.url, first, rows)).toEqual(await local(first, [first.root], rows))
      const told = JSON.stringify(await engine.store.ask(`select facts, turns, calls from ${place.database}.log`))
      expect(told).not.toMatch(/webhooks|\/home\/ana/)
    } finally {
      first.remove()
      await place.remove()
    }
  }, 300_000)

  test('whatever the history is, a ClickHouse answers as the disk does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 12 }), async (actions) => {
        const place = clickhousePlace(engine)
        const made = madeMachine((folder) => writeHistory(folder, actions))
        try {
          await made.collect(place.url, { content: 'all', user: 'real' })
          const theirs = await reading(place.url, made, answers)
          const ours = await local(made, [made.root], answers)
          for (const key of Object.keys(ours)) expect(theirs[key], key).toEqual(ours[key])
        } finally {
          made.remove()
          await place.remove()
        }
      }),
      { numRuns: Number(process.env.ANNALS_RUNS ?? 5) },
    )
  }, 900_000)
})
