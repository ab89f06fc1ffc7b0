import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TeamRow } from '../src/collector/row.ts'
import type { Sink } from '../src/collector/sink.ts'
import { dailySums, responsesOnce } from '../src/collector/sinks/clickhouse/derived.ts'
import { retentionStatements } from '../src/collector/sinks/clickhouse/retention.ts'
import { roleStatements, seenBy } from '../src/collector/sinks/clickhouse/roles.ts'
import { schemaStatements } from '../src/collector/sinks/clickhouse/schema.ts'
import { tombstoneOf } from '../src/collector/tombstone.ts'
import { answer, batch, document, machine, row, SESSION } from './collector/made-batches.ts'
import { clickhousePlace, type Engine, noClickHouse, startClickHouse } from './support/clickhouse.ts'

const OTHER = 'bbbb2222-0000-4000-8000-000000000002'

describe.skipIf(noClickHouse !== undefined)('a team store in ClickHouse', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await startClickHouse()
  }, 300_000)
  afterAll(() => engine?.stop())

  type Place = ReturnType<typeof clickhousePlace>
  async function withStore(
    use: (sink: Sink, place: Place, ask: typeof engine.store.ask) => Promise<void>,
  ): Promise<void> {
    const place = clickhousePlace(engine)
    const sink = place.open()
    try {
      await sink.open(machine())
      await use(sink, place, (sql, values) => engine.store.ask(sql.replaceAll('$', place.database), values))
    } finally {
      await sink.close()
      await place.remove()
    }
  }

  const response = (number: number, output: number, more: Partial<TeamRow> = {}) => {
    const tokens = {
      inputTokens: 1,
      outputTokens: output,
      cacheReadTokens: 0,
      cacheWrite5mTokens: 0,
      cacheWrite1hTokens: 0,
      webSearches: 0,
    }
    return answer(number, { tokens, tools: [], agent: null, requestId: null, ...more })
  }
  const refresh = async ({ database }: Place) => {
    await engine.store.run(`system refresh view ${database}.daily_of_response`)
    await engine.store.run(`system wait view ${database}.daily_of_response`)
  }
  const daily = (ask: typeof engine.store.ask) =>
    ask(`select toString(day) as day, person, project, toUInt32(responses) as responses, toUInt32(output_tokens) as output
      from $.daily final where responses > 0 order by day, person, project`)

  test(
    'each response counts once: the row with the most output counts, the earliest says whose it is',
    () =>
      withStore(async (sink, _, ask) => {
        const rows = [
          // Streamed in three rows, of which the second tells most.
          response(0, 5, { messageId: 'msg_a' }),
          response(1, 90, { messageId: 'msg_a', requestId: 'req_a' }),
          response(2, 7, { messageId: 'msg_a', requestId: 'req_a' }),
          // Two requests under one message are two responses; a row without belongs to the first of them.
          response(3, 10, { messageId: 'msg_b', requestId: 'req_1' }),
          response(4, 20, { messageId: 'msg_b', requestId: 'req_2' }),
          response(5, 15, { messageId: 'msg_b' }),
        ]
        await sink.deliver(batch('one', rows))
        // A copy in another session has the times of its original.
        const [first] = rows
        const copy = response(0, 90, {
          messageId: 'msg_a',
          session: OTHER,
          project: '/copy',
          timestamp: first?.timestamp ?? null,
          content: Buffer.from('{"forkedFrom":{"x":1}}'),
        })
        await sink.deliver(batch('two', [copy]))
        const found = await ask(`select message_id, request, project, toUInt32(output_tokens) as output
        from (${responsesOnce('$.response', '1')}) order by message_id, request`)
        expect(found).toEqual([
          { message_id: 'msg_a', request: 'req_a', project: '/home/ana/p', output: 90 },
          { message_id: 'msg_b', request: 'req_1', project: '/home/ana/p', output: 15 },
          { message_id: 'msg_b', request: 'req_2', project: '/home/ana/p', output: 20 },
        ])
      }),
    60_000,
  )

  test(
    'sums of days are made anew of what came, whoever it moves to',
    () =>
      withStore(async (sink, place, ask) => {
        const late = { timestamp: '2026-11-14T23:59:59.000Z' }
        const after = { timestamp: '2026-11-15T00:00:01.000Z' }
        await sink.deliver(
          batch('one', [
            response(0, 10, { messageId: 'msg_a', ...late }),
            response(1, 30, { messageId: 'msg_c', ...after }),
          ]),
        )
        await refresh(place)
        expect(await daily(ask)).toEqual([
          { day: '2026-11-14', person: 'ana', project: '/home/ana/p', responses: 1, output: 10 },
          { day: '2026-11-15', person: 'ana', project: '/home/ana/p', responses: 1, output: 30 },
        ])
        // The end of a response comes after midnight; an earlier row says that another project made the other one.
        const moved = { messageId: 'msg_c', session: OTHER, project: '/other', timestamp: '2026-11-15T00:00:00.500Z' }
        await sink.deliver(batch('two', [response(2, 40, { messageId: 'msg_a', ...after }), response(0, 5, moved)]))
        await refresh(place)
        expect(await daily(ask)).toEqual([
          { day: '2026-11-14', person: 'ana', project: '/home/ana/p', responses: 1, output: 40 },
          { day: '2026-11-15', person: 'ana', project: '/other', responses: 1, output: 30 },
        ])
        await sink.deliver(batch('purge', [], { tombstones: [tombstoneOf(SESSION)] }))
        await refresh(place)
        expect(await daily(ask)).toEqual([
          { day: '2026-11-15', person: 'ana', project: '/other', responses: 1, output: 5 },
        ])
        // Days in which nothing came are left alone.
        const [made] = await ask(`select uniqExact(made_at) as times from $.daily final where day < '2026-11-15'`)
        await sink.deliver(batch('three', [response(9, 1, { timestamp: '2026-12-01T10:00:00.000Z' })]))
        await engine.store.run(`truncate table ${place.database}.touched`)
        await refresh(place)
        expect(await ask(`select uniqExact(made_at) as times from $.daily final where day < '2026-11-15'`)).toEqual([
          made,
        ])
      }),
    120_000,
  )

  test(
    'a purge leaves nothing of a session in any table, not even in the parts on the disk',
    () =>
      withStore(async (sink, place, ask) => {
        const rows = [answer(0), row(1, { content: Buffer.from('{"needle":"xyzzy"}') }), row(0, { session: OTHER })]
        await sink.deliver(batch('one', rows, { documents: [document('a.meta.json', '{"x":"xyzzy"}')] }))
        await sink.deliver(batch('purge', [], { tombstones: [tombstoneOf(SESSION)] }))
        for (const table of ['record', 'response', 'tool_call', 'session', 'document']) {
          // Without what hides rows that were deleted.
          const settings = 'settings apply_deleted_mask = 0, mutations_sync = 2'
          const [all] = await ask(`select count() as n from $.${table} where session = '${SESSION}' ${settings}`)
          expect(all, table).toEqual({ n: 0 })
        }
        expect((await place.rows()).map(({ session }) => session)).toEqual([OTHER])
      }),
    60_000,
  )

  test(
    "a machine's own purge leaves what others sent of the session, and says what was never its own",
    () =>
      withStore(async (sink, place) => {
        const other = machine(2)
        await sink.deliver(batch('one', [row(0)]))
        await sink.deliver(batch('theirs', [row(0, { machine: other.id })], { machine: other }))
        const tombstones = [tombstoneOf(SESSION), tombstoneOf(OTHER)]
        const done = await sink.deliver(batch('purge', [], { tombstones, isOwnPurge: true }))
        expect(done.notices?.length).toBe(1)
        expect((await place.rows()).map(({ machine: of }) => of)).toEqual([other.id])
        const again = await sink.deliver(batch('again', [row(3)]))
        expect(again).toMatchObject({ added: 0, refused: [tombstoneOf(SESSION)] })
        const theirs = await sink.deliver(batch('more', [row(3, { machine: other.id })], { machine: other }))
        expect(theirs).toMatchObject({ added: 1, refused: [] })
      }),
    60_000,
  )

  test(
    'retention forgets what is old, by the time of the rows, and what has no time by when it came',
    () =>
      withStore(async (sink, place, ask) => {
        const young = new Date().toISOString()
        const rows = [row(0), row(1, { timestamp: young }), row(2, { timestamp: null })]
        await sink.deliver(
          batch(
            'one',
            rows.map((one) => ({ ...one, timestamp: one.offset === 0 ? '2020-01-01T00:00:00.000Z' : one.timestamp })),
          ),
        )
        const settled = `settings mutations_sync = 2, materialize_ttl_after_modify = 1`
        for (const statement of retentionStatements(place, 90)) await engine.store.run(`${statement} ${settled}`)
        await engine.store.run(`optimize table ${place.database}.record final`)
        expect((await place.rows()).map(({ offset }) => offset).sort()).toEqual([100, 200])
        // Marks stay, so that nothing is sent anew.
        expect(await ask('select toUInt32(max(offset)) as reached from $.mark')).toEqual([{ reached: 300 }])
        for (const statement of retentionStatements(place, undefined)) await engine.store.run(statement)
      }),
    60_000,
  )

  test(
    'what a reader may see: their own, granted projects, or all; nothing without a name',
    () =>
      withStore(async (sink, place, ask) => {
        await sink.deliver(
          batch('one', [
            row(0, { user: 'ana', project: '/a' }),
            row(1, { user: 'ben', project: '/b' }),
            row(2, { user: null, project: null }),
          ]),
        )
        const seen = async () =>
          (
            await ask(
              `select toUInt32(offset) as o from $.record where ${seenBy(place.database, 'project')} order by o`,
            )
          ).map(({ o }) => o)
        const tell = (table: string, values: string) =>
          engine.store.run(`insert into ${place.database}.${table} values ${values}`)
        expect(await seen()).toEqual([])
        await tell('granted', `('somebody else', '/a'), (currentUser(), '')`)
        await tell('member', `('somebody else', 'ana', ''), (currentUser(), '', '')`)
        expect(await seen()).toEqual([])
        await tell('granted', `(currentUser(), '/b')`)
        expect(await seen()).toEqual([100])
        await tell('member', `(currentUser(), 'ana', 'platform')`)
        expect(await seen()).toEqual([0, 100])
        await tell('granted', `(currentUser(), '*')`)
        expect(await seen()).toEqual([0, 100, 200])
      }),
    60_000,
  )

  test('what this engine cannot do, it can read: roles, policies, quotas, replicated and distributed tables', async () => {
    const cluster = { database: 'annals', cluster: 'main' }
    const statements = [
      ...schemaStatements(cluster),
      ...roleStatements({ database: 'annals' }),
      ...roleStatements(cluster),
      ...retentionStatements(cluster, 30),
      ...retentionStatements(cluster, undefined),
      dailySums('annals'),
    ]
    for (const statement of statements) {
      const tree = await engine.store.ask(`explain ast ${statement}`)
      expect(tree.length, statement).toBeGreaterThan(0)
    }
    await expect(engine.store.ask('explain ast create row policy x on')).rejects.toThrow(/refused \(62\)/)
  }, 60_000)
})
