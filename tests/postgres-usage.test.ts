import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TeamRow } from '../src/collector/row.ts'
import type { Cluster } from '../src/collector/sinks/postgres/cluster.ts'
import { MIGRATIONS } from '../src/collector/sinks/postgres/migrations.ts'
import { migratePostgres } from '../src/collector/sinks/postgres/store.ts'
import { postgresSink } from '../src/collector/sinks/postgres.ts'
import { answer, batch, machine } from './collector/made-batches.ts'
import { hasPostgres, newDatabase, testCluster, withoutPostgres } from './postgres.ts'
import { ask } from './postgres-place.ts'

let cluster: Cluster

/** A response of a made-up team: its output tokens are a power of two, so that every sum tells which ones it is made of. */
interface Made {
  readonly person: number
  readonly project: number
  readonly model: number
  readonly day: number
}

const DIMENSIONS = ['team', 'project', 'model', 'day'] as const
/** People of one team each. */
const TEAMS = 3
const LEAST = 3

describe.skipIf(!hasPostgres)(`usage of a team${withoutPostgres}`, () => {
  beforeAll(() => {
    cluster = testCluster()
  })
  afterAll(() => cluster?.remove())

  async function emptyStore(): Promise<string> {
    const database = newDatabase(cluster)
    const sink = postgresSink(cluster.url(database))
    await sink.open(machine())
    await sink.close()
    return database
  }

  test('no difference of figures that are shown tells of fewer people than the minimum', async () => {
    const database = await emptyStore()
    const url = cluster.url(database)
    const people = Array.from({ length: 9 }, (_, at) => `('p${at}', 't${at % TEAMS}', null)`)
    cluster.psql(
      `insert into annals.person values ${people.join(', ')}; update annals.setting set value = '${LEAST}'`,
      database,
    )
    const one = (most: number) => fc.integer({ min: 0, max: most })
    const made = fc.record({ person: one(8), project: one(3), model: one(2), day: one(3) })
    let differences = 0
    let shownRows = 0
    await fc.assert(
      fc.asyncProperty(fc.array(made, { minLength: 8, maxLength: 40 }), async (rows) => {
        await ask(url, insertOf(rows))
        const shown = await shownIn(url)
        shownRows += shown.length
        const peopleOf = (bits: bigint) =>
          new Set(rows.filter((_, at) => (bits >> BigInt(at)) & 1n).map(({ person }) => person)).size
        const check = (bits: bigint) => {
          differences += 1
          if (bits !== 0n) expect(peopleOf(bits)).toBeGreaterThanOrEqual(LEAST)
        }
        for (const { bits, people } of shown) expect(peopleOf(bits)).toBe(people)
        for (const { bits } of shown) check(bits)
        for (const a of shown) {
          // One less another, and one less all that lie within it, for every view.
          for (const b of shown) if ((a.bits & b.bits) === b.bits) check(a.bits - b.bits)
          for (const view of DIMENSIONS) {
            const within = shown.filter((b) => b.view === view && (a.bits & b.bits) === b.bits)
            for (const some of subsets(within)) check(some.reduce((left, { bits }) => left - bits, a.bits))
          }
        }
        // What is shown of a view is all there is, or nothing.
        const all = (1n << BigInt(rows.length)) - 1n
        for (const view of DIMENSIONS) {
          const sum = shown.filter((one) => one.view === view).reduce((total, { bits }) => total + bits, 0n)
          expect(sum).toBe(peopleOf(all) >= LEAST ? all : 0n)
        }
      }),
      { numRuns: 25 },
    )
    expect(differences).toBeGreaterThan(1_000)
    expect(shownRows).toBeGreaterThan(120)
  }, 120_000)

  test('a truncated, moved or recreated log takes no past spend away', async () => {
    const database = await emptyStore()
    const sink = postgresSink(cluster.url(database))
    await sink.open(machine())
    await sink.deliver(batch('one', [answer(0, { messageId: 'old' }), answer(1, { messageId: 'kept' })]))
    await sink.deliver(batch('two', [answer(0, { messageId: 'kept', generation: 2 })]))
    await sink.deliver(batch('three', [answer(0, { messageId: 'new', generation: 3 })]))
    await sink.close()
    cluster.psql(`update annals.setting set value = '1'`, database)
    expect(cluster.psql('select message_id from annals.response_once order by 1', database)).toBe('kept\nnew\nold\n')
    expect(cluster.psql('select responses, output_tokens from annals.usage_total', database)).toBe('3|120\n')
  })

  test('a store of before is brought up to date with what it holds', async () => {
    const database = newDatabase(cluster)
    const url = cluster.url(database)
    await migratePostgres(url, {}, MIGRATIONS.slice(0, 6))
    cluster.psql(
      `insert into annals.machine (id, person, role) values ('machine-0001', 'ana', 'ana_box'), ('machine-0002', 'ana', 'ana_box'),
        ('machine-0003', 'ben', 'shared'), ('machine-0004', 'cem', 'shared'), ('machine-0005', null, 'quiet');
      insert into annals.setting values ('of_my_own', 'x');
      insert into annals.session (machine, file, generation, session, project, first_at, last_at)
        values ('machine-0001', 'f', 1, 's', 'p', '2026-11-01', '2026-11-05');
      insert into annals.response select 'machine-000' || n, 'f', 1, 0, '2026-11-01', null, 'p', 's', null, '2026-11-02', 'm' || n, 'r',
        'model', 1, 10, 1, 1, 1, 0, false, false from generate_series(1, 5) n`,
      database,
    )
    expect(await migratePostgres(url)).toEqual({
      ran: ['speakers', 'usage', 'keeping', 'acting', 'delivery', 'sums', 'reading', 'phrases', 'retention'],
      version: 15,
    })
    expect(await migratePostgres(url)).toEqual({ ran: [], version: 15 })
    // A login that spoke for several is bound to nobody yet.
    expect(cluster.psql('select role, person from annals.login order by 1', database)).toBe('ana_box|ana\nquiet|\n')
    cluster.psql(`update annals.setting set value = '1' where name = 'minimum_group'`, database)
    expect(cluster.psql('select month, people, responses from annals.usage_total', database)).toBe('2026-11-01|4|5\n')
  })

  test('a response that was written as a month ended counts once, with its last tokens', async () => {
    const database = await emptyStore()
    const sink = postgresSink(cluster.url(database))
    await sink.open(machine())
    const tokens = (outputTokens: number) => ({ ...(answer(0).tokens as object), outputTokens }) as TeamRow['tokens']
    const part = (at: number, timestamp: string, count: number) =>
      answer(at, { messageId: 'm', requestId: 'r', timestamp, tokens: tokens(count) })
    await sink.deliver(
      batch('night', [
        part(0, '2026-10-31T23:59:58.000Z', 2),
        part(1, '2026-11-01T00:00:03.000Z', 90),
        answer(2, { messageId: 'other', timestamp: '2026-10-31T23:59:59.000Z', tokens: tokens(5) }),
      ]),
    )
    await sink.close()
    cluster.psql(`update annals.setting set value = '1'`, database)
    expect(cluster.psql('select month, responses, output_tokens from annals.usage_total order by 1', database)).toBe(
      '2026-10-01|1|5\n2026-11-01|1|90\n',
    )
  })

  test('a view reads each response once, of the months that are asked for', async () => {
    const database = await emptyStore()
    cluster.psql(
      `insert into annals.session (machine, file, generation, session, project, first_at, last_at)
        select 'machine-0001', 'f', 1, 's', 'p', now() - interval '100 days', now();
      insert into annals.response select 'machine-0001', 'f', 1, n, date_trunc('month', at)::date, 'ana', 'p' || n % 5, 's', null, at,
        'm' || n / 2, 'r', 'model', 1, n, 1, 1, 1, 0, false, false
        from (select n, now() - (n % 100) * interval '1 day' as at from generate_series(1, 4000) n) made;
      update annals.setting set value = '1';
      select annals.bill(null, (select array_agg(distinct month) from annals.response)); analyze annals.billed`,
      database,
    )
    const month = new Date().toISOString().slice(0, 8).replace(/$/, '01')
    const ours = `billed_${month.slice(0, 7).replace('-', '_')}`
    for (const [view, where] of [
      ['usage_by_project', `where month = '${month}'`],
      ['usage_total', `where month = '${month}'`],
      ['response_once', `where month = '${month}'`],
      ['usage_by_model', ''],
    ]) {
      const text = `set jit = off; explain (analyze, format json) select * from annals.${view} ${where}`
      const nodes = nodesOf(JSON.parse(cluster.psql(text, database))[0].Plan)
      const scans = nodes.filter((node) => /^(billed|response)_/.test(node['Relation Name'] ?? ''))
      const run = scans.filter((node) => node['Actual Loops'] > 0)
      expect(run.length, view).toBeGreaterThan(0)
      for (const node of run)
        expect([view, node['Relation Name'], node['Actual Loops']]).toEqual([view, node['Relation Name'], 1])
      if (where !== '')
        expect(
          run.map((node) => node['Relation Name']),
          view,
        ).toEqual([ours])
      // A loop within a loop over responses would have nodes that run thousands of times.
      expect(Math.max(...nodes.map((node) => node['Actual Loops'])), view).toBeLessThan(100)
    }
  })

  function insertOf(rows: readonly Made[]): string {
    const values = rows.map(({ person, project, model, day }, at) => {
      const time = `2026-11-0${day + 1}T10:00:00Z`
      return `('machine-0001', 'f', 1, ${at}, '2026-11-01', 'p${person}', 'q${project}', 's', null, '${time}', 'm${at}', 'r',
        'model${model}', 0, ${1n << BigInt(at)}, 0, 0, 0, 0, false, false)`
    })
    return `delete from annals.response; delete from annals.session; delete from annals.billed;
      insert into annals.session (machine, file, generation, session, project, first_at, last_at)
        values ('machine-0001', 'f', 1, 's', 'p', '2026-11-01', '2026-11-05');
      insert into annals.response values ${values.join(', ')};
      select annals.bill(null, (select array_agg(distinct month) from annals.response))`
  }
})

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Loops': number
  readonly Plans?: readonly PlanNode[]
}

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

interface Shown {
  readonly view: string
  readonly people: number
  readonly bits: bigint
}

/** Every figure that the views show. */
async function shownIn(url: string): Promise<readonly Shown[]> {
  const views = [...DIMENSIONS.map((name) => [name, `usage_by_${name}`]), ['total', 'usage_total']]
  const text = views.map(
    ([name, view]) => `select '${name}' as view, people, output_tokens::text as bits from annals.${view}`,
  )
  return (await ask(url, `set jit = off; ${text.join(' union all ')}`)).flat().map((row) => ({
    view: String((row as Record<string, unknown>).view),
    people: Number((row as Record<string, unknown>).people),
    bits: BigInt(String((row as Record<string, unknown>).bits)),
  }))
}

function subsets<T>(items: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: 2 ** items.length }, (_, bits) => items.filter((_, at) => (bits >> at) & 1))
}
