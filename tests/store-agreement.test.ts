import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Cluster } from '../src/collector/sinks/postgres/cluster.ts'
import { migratePostgres } from '../src/collector/sinks/postgres/store.ts'
import { openStore } from '../src/collector/team/open-store.ts'
import type { Context } from '../src/history/context.ts'
import { projects } from '../src/ops/projects.ts'
import { recap } from '../src/ops/recap.ts'
import { search } from '../src/ops/search.ts'
import { sessions } from '../src/ops/sessions.ts'
import { show } from '../src/ops/show.ts'
import { stats } from '../src/ops/stats.ts'
import { usage } from '../src/ops/usage.ts'
import { action, type Change, changeHistory, writeHistory } from './agreement/random-history.ts'
import { hasPostgres, testCluster, withoutPostgres } from './postgres.ts'
import { madeMachine } from './postgres-machines.ts'

const now = new Date('2026-03-08T12:00:00Z')

/** Places, times of files and figures of a clock: they are those of whoever has the files. */
const OF_THE_PLACE = new Set([
  'file',
  'root',
  'expiresAt',
  'status',
  'kept',
  'tookMs',
  'sizeBytes',
  'offset',
  'length',
  'source',
  'roots',
  'dir',
])

function plain<T>(answer: T): T {
  return JSON.parse(JSON.stringify(answer, (key, value) => (OF_THE_PLACE.has(key) ? undefined : value)))
}

/** Everything that lists, sums, search and statistics are asked. */
async function answersOf(context: Context) {
  const { items } = await sessions.run(context, { all: true, limit: 1000 } as never)
  const bySession = await usage.run(context, { all: true, by: 'session', timezone: 'UTC' } as never)
  const ids = [...new Set(items.filter(({ kind }) => kind === 'conversation').map(({ id }) => id))].sort()
  return plain({
    // A log without any time has that of its file here, and there the one of its arrival.
    sessions: [...items]
      .map((one) => (one.createdAt === null ? { ...one, updatedAt: null } : one))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
    bySession: [...bySession.rows].sort((a, b) => (a.key < b.key ? -1 : 1)),
    total: bySession.total,
    byTurn: (await usage.run(context, { all: true, by: 'turn', timezone: 'UTC' } as never)).rows
      .map((row) => [row.key, row.costUsd])
      .sort(),
    byDay: (await usage.run(context, { all: true, by: 'day', timezone: 'UTC' } as never)).rows,
    recent: (await usage.run(context, { since: '2026-02-10', by: 'model', timezone: 'UTC' } as never)).rows,
    counted: (await stats.run(context, { timezone: 'UTC', limit: 1000 } as never)).totals,
    projects: (await projects.run(context, {} as never)).items,
    recap: (await recap.run(context, { since: '2026-02-01', timezone: 'UTC' } as never)).total,
    found: await Promise.all(
      ['answer', '"answer to"', 'ans* -more', 'summary OR title', 'looking'].map((query) => found(context, query)),
    ),
    shown: await Promise.all(ids.map(async (session) => (await show.run(context, { session } as never)).turns)),
  })
}

async function found(context: Context, query: string) {
  const { hits, total, groups, complete } = await search.run(context, { query: [query], limit: 1000 } as never)
  const shown = hits.map(({ session, title, turn, who, role, kind, timestamp, snippet, line }) => {
    return { session, title, turn, who, role, kind, timestamp, snippet, line }
  })
  const order = (one: object) => JSON.stringify(one)
  return {
    total,
    complete,
    groups: [...groups].sort((a, b) => (order(a) < order(b) ? -1 : 1)),
    hits: shown.sort((a, b) => (order(a) < order(b) ? -1 : 1)),
  }
}

describe.skipIf(!hasPostgres)(`answers from a team store${withoutPostgres}`, () => {
  let cluster: Cluster
  const cache = mkdtempSync(join(tmpdir(), 'annals-store-agreement-'))
  beforeAll(async () => {
    cluster = testCluster()
    await migratePostgres(cluster.url())
  })
  afterAll(() => {
    cluster?.remove()
    rmSync(cache, { recursive: true, force: true })
  })

  const later = fc.record({ what: fc.constant('append' as const), at: fc.nat(20) })

  test('are those of the same logs on disk, whatever was forked, resumed, copied, rewound and summed up', async () => {
    let asked = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { minLength: 3, maxLength: 10 }),
        fc.array(later, { maxLength: 3 }),
        async (actions, changes: readonly Change[]) => {
          cluster.psql(
            'truncate annals.record, annals.response, annals.tool_call, annals.session, annals.mark, annals.document, annals.log, annals.held, annals.doc',
          )
          const machine = madeMachine((root) => writeHistory(root, actions))
          try {
            // The facts of all logs together, and then of those that a question is about, as in a store of thousands.
            for (const { some, fewLogs } of [{ some: [] }, { some: changes, fewLogs: 0 }]) {
              await changeHistory(machine.root, some, async () => {})
              await machine.collect(cluster.url(), { content: 'all', user: 'real', paths: 'real' })
              const context = { ...machine.context(), now }
              const store = await openStore({ url: cluster.url(), access: {} }, cache, () => {}, fewLogs)
              const theirs = await answersOf({ ...context, library: store.library, remote: store.remote })
              store.remote.close()
              expect(theirs).toEqual(await answersOf(context))
              context.library.close()
              asked += theirs.found[0]?.total ?? 0
            }
          } finally {
            machine.remove()
          }
        },
      ),
      { numRuns: Number(process.env.ANNALS_ROUNDS ?? 4), endOnFailure: true },
    )
    expect(asked).toBeGreaterThan(10)
  }, 600_000)
})
