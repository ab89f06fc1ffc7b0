import { expect, test } from 'vitest'
import { SinkTrouble } from '../src/collector/sink.ts'
import { readClickHouseAddress } from '../src/collector/sinks/clickhouse/address.ts'
import { retentionStatements } from '../src/collector/sinks/clickhouse/retention.ts'
import { roleStatements } from '../src/collector/sinks/clickhouse/roles.ts'
import { schemaStatements } from '../src/collector/sinks/clickhouse/schema.ts'
import { clickhouseSink } from '../src/collector/sinks/clickhouse.ts'
import { destinationOf } from '../src/collector/sinks/open.ts'
import { tombstoneOf } from '../src/collector/tombstone.ts'
import { batch, machine, marksOf, row, SESSION } from './collector/made-batches.ts'
import { type Answer, clickhousePeer, type Request, tableOf } from './support/clickhouse-peer.ts'

async function troubleOf(work: Promise<unknown>): Promise<SinkTrouble> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(SinkTrouble)
  return error as SinkTrouble
}

/** A peer for the time of a test, and a sink to it. */
async function withPeer(
  answer: (request: Request) => Answer | undefined | Promise<Answer | undefined>,
  use: (sink: ReturnType<typeof clickhouseSink>, peer: Awaited<ReturnType<typeof clickhousePeer>>) => Promise<void>,
  more: { readonly timeoutMs?: number; readonly password?: string } = {},
): Promise<void> {
  const peer = await clickhousePeer(answer)
  const sink = clickhouseSink(peer.url, more)
  try {
    await use(sink, peer)
  } finally {
    await sink.close()
    await peer.close()
  }
}

test.each<[string, Answer, RegExp, boolean]>([
  ['a wrong password', { code: 516, name: 'AUTHENTICATION_FAILED' }, /refused the user or the password \(516\)/, false],
  ['no rights', { code: 497, name: 'ACCESS_DENIED' }, /does not allow this user to do that \(497\)/, false],
  ['no table', { code: 60, name: 'UNKNOWN_TABLE' }, /lacks a table \(60\)/, false],
  ['a quota that is used up', { code: 201, name: 'QUOTA_EXCEEDED' }, /a quota is used up \(201\)/, true],
  ['no memory', { code: 241, name: 'MEMORY_LIMIT_EXCEEDED' }, /is out of memory \(241\)/, true],
  ['too many parts', { code: 252, name: 'TOO_MANY_PARTS' }, /too many small parts to merge \(252\)/, true],
  ['a full disk', { code: 243, name: 'NOT_ENOUGH_SPACE' }, /no room left on its disk \(243\)/, true],
  ['a keeper that is gone', { code: 999, name: 'KEEPER_EXCEPTION' }, /trouble with its keeper \(999\)/, true],
  ['what nobody foresaw', { code: 62, name: 'SYNTAX_ERROR' }, /refused \(62\)/, false],
  ['a gateway', { status: 502, html: '<h1>Bad Gateway</h1>' }, /answers what a ClickHouse would not/, true],
  ['a cut connection', 'hang up', /ended the connection/, true],
  ['silence', 'silence', /does not answer/, true],
])('%s is a sentence, and it is known whether it passes', async (_, answer, words, passes) => {
  await withPeer(
    () => answer,
    async (sink, peer) => {
      const trouble = await troubleOf(sink.deliver(batch('one', [row(0)])))
      expect(trouble.message).toMatch(words)
      expect(trouble.message).toContain(peer.url)
      expect(trouble.passes).toBe(passes)
      expect(trouble.hint).toBeTruthy()
    },
    { timeoutMs: 500 },
  )
})

test('nothing of the rows and no password is in what is told of an error', async () => {
  const message = 'Cannot parse input: {"content":"word 0"} for box with pass-4711'
  await withPeer(
    (request) => (tableOf(request) === 'record' ? { code: 27, name: 'CANNOT_PARSE_INPUT', message } : undefined),
    async (sink) => {
      const trouble = await troubleOf(sink.deliver(batch('one', [row(0)])))
      const told = `${trouble.message} ${trouble.hint} ${trouble.stack} ${(trouble.cause as Error).message}`
      expect(told).not.toMatch(/word 0|pass-4711/)
    },
    { password: 'pass-4711' },
  )
})

test('nobody there is a sentence', async () => {
  const peer = await clickhousePeer(() => undefined)
  await peer.close()
  const sink = clickhouseSink(peer.url)
  const trouble = await troubleOf(sink.open(machine()))
  expect(trouble.message).toMatch(/is not running, or not there \(ECONNREFUSED\)/)
  expect(trouble.passes).toBe(true)
  await sink.close()
})

test('rows go before marks, under the same token whenever the batch comes', async () => {
  let isBroken = true
  await withPeer(
    (request) => (isBroken && tableOf(request) === 'mark' ? { code: 241, name: 'MEMORY_LIMIT_EXCEEDED' } : undefined),
    async (sink, peer) => {
      const one = batch('one', [row(0), row(1)])
      await troubleOf(sink.deliver(one))
      isBroken = false
      await sink.deliver(one)
      expect(peer.inserts().map(({ table }) => table)).toEqual(['machine', 'record', 'mark', 'record', 'mark'])
      const tokens = peer.inserts().map(({ settings }) => settings.get('insert_deduplication_token'))
      expect(tokens[1]).toMatch(/^[0-9a-f]{32}$/)
      expect(tokens[3]).toBe(tokens[1])
      // A mark may go to and fro: it has none.
      expect([tokens[2], tokens[4]]).toEqual([null, null])
      expect(peer.inserts()[1]?.settings.get('deduplicate_blocks_in_dependent_materialized_views')).toBe('1')
      expect(peer.inserts()[1]?.rows.map(({ offset }) => offset)).toEqual([0, 100])
    },
  )
})

test('two batches have two tokens, and so have two machines with the same batch', async () => {
  await withPeer(
    () => undefined,
    async (sink, peer) => {
      await sink.deliver(batch('one', [row(0)]))
      await sink.deliver(batch('two', [row(1)]))
      const other = machine(2)
      await sink.deliver(batch('one', [row(0, { machine: other.id })], { machine: other }))
      const inserted = peer.inserts().filter(({ table }) => table === 'record')
      const tokens = inserted.map(({ settings }) => settings.get('insert_deduplication_token'))
      expect(new Set(tokens).size).toBe(3)
    },
  )
})

test('what comes while an insert is under way goes together in the next one, each machine in its order', async () => {
  let release = () => {}
  const first = new Promise<void>((done) => {
    release = done
  })
  let isFirst = true
  await withPeer(
    async (request) => {
      if (tableOf(request) !== 'record' || !isFirst) return undefined
      isFirst = false
      await first
      return undefined
    },
    async (sink, peer) => {
      const machines = Array.from({ length: 40 }, (_, n) => machine(n + 1))
      const rowOf = (id: string, n: number) => row(n, { machine: id })
      const begun = sink.deliver(batch('begun', [row(0)]))
      const rest = machines.flatMap((who) =>
        [1, 2].map((n) => sink.deliver(batch(`${who.id} ${n}`, [rowOf(who.id, n)], { machine: who }))),
      )
      release()
      expect((await begun).added).toBe(1)
      expect((await Promise.all(rest)).map(({ added }) => added)).toEqual(rest.map(() => 1))
      const inserted = peer.inserts().filter(({ table }) => table === 'record')
      expect(inserted.length, 'of 81 deliveries').toBe(3)
      for (const { id } of machines) {
        const offsets = inserted.flatMap(({ rows }) =>
          rows.filter((one) => one.machine === id).map((one) => one.offset),
        )
        expect(offsets).toEqual(id === machine().id ? [0, 100, 200] : [100, 200])
      }
    },
  )
})

test('one delivery that fails takes those with it that went together, and no others', async () => {
  let fails = 1
  await withPeer(
    (request) => (tableOf(request) === 'record' && fails-- > 0 ? { code: 252, name: 'TOO_MANY_PARTS' } : undefined),
    async (sink) => {
      const [one, two] = await Promise.allSettled([
        sink.deliver(batch('one', [row(0)])),
        sink.deliver(batch('two', [row(1)])),
      ])
      expect([one?.status, two?.status]).toEqual(['rejected', 'fulfilled'])
    },
  )
})

test('a session that was purged while its rows were on their way is taken out again', async () => {
  let asked = 0
  const hash = tombstoneOf(SESSION)
  await withPeer(
    ({ sql }) => {
      if (!/from tombstone/.test(sql)) return undefined
      asked += 1
      return { body: asked === 1 ? '' : `${JSON.stringify({ hash, machine: '' })}\n` }
    },
    async (sink, peer) => {
      await sink.deliver(batch('one', [row(0)]))
      const order = peer.requests.flatMap(
        ({ sql }) =>
          /insert into record|delete from annals\.record|insert into mark/i.exec(sql)?.[0].toLowerCase() ?? [],
      )
      expect(order).toEqual(['insert into record', 'delete from annals.record', 'insert into mark'])
    },
  )
})

test('rows that no table could hold are told of, and the rest goes through', async () => {
  await withPeer(
    () => undefined,
    async (sink, peer) => {
      const tokens = {
        inputTokens: 1.5,
        outputTokens: 1,
        cacheReadTokens: 0,
        cacheWrite5mTokens: 0,
        cacheWrite1hTokens: 0,
        webSearches: 0,
      }
      const done = await sink.deliver(batch('one', [row(0), row(1, { tokens }), row(2)]))
      expect(done.added).toBe(2)
      expect(done.deadLetters).toMatchObject([{ offset: 100, reason: 'Its token counts are not whole numbers.' }])
      const letters = peer.inserts().find(({ table }) => table === 'dead_letter')
      expect(letters?.rows).toMatchObject([{ offset: 100, reason: 'Its token counts are not whole numbers.' }])
    },
  )
})

test('a store that a newer annals made is left alone', async () => {
  await withPeer(
    ({ sql }) => (/system\.tables/.test(sql) ? { body: '{"comment":"annals 999"}\n' } : undefined),
    async (sink, peer) => {
      const trouble = await troubleOf(sink.open(machine()))
      expect(trouble.message).toMatch(/was made by a newer annals/)
      expect(trouble.passes).toBe(false)
      expect(peer.requests.length).toBe(1)
    },
  )
})

test('the password goes in a header, and what is asked in the body or as a parameter, never in the text of a question', async () => {
  await withPeer(
    () => undefined,
    async (sink, peer) => {
      await sink.marks(`it's "a" machine`)
      const [asked] = peer.requests
      expect(asked?.headers.authorization).toBe(`Basic ${Buffer.from('box:pass-4711').toString('base64')}`)
      expect(asked?.settings.toString()).not.toContain('pass-4711')
      expect(asked?.sql).not.toContain('machine"')
    },
    { password: 'pass-4711' },
  )
})

test('a thousand names of files are asked for at once', async () => {
  await withPeer(
    () => undefined,
    async (sink) => {
      const rows = Array.from({ length: 1000 }, (_, n) => row(0, { file: `projects/-p/${'x'.repeat(80)}-${n}.jsonl` }))
      expect((await sink.deliver(batch('one', rows, { marks: marksOf(rows) }))).added).toBe(1000)
    },
  )
})

test.each([
  ['clickhouse://db.example.com', 'https://db.example.com:8443', 'annals', 'default'],
  ['clickhouse://ana@db.example.com:9443/logs', 'https://db.example.com:9443', 'logs', 'ana'],
  ['clickhouse://localhost/x', 'http://localhost:8123', 'x', 'default'],
  ['clickhouse://[::1]:9000', 'http://[::1]:9000', 'annals', 'default'],
])('%s is read', (text, url, database, user) => {
  expect(readClickHouseAddress(text)).toMatchObject({ url, database, user })
})

test.each([
  ['clickhouse://h/a;b', /database .* cannot have that name/],
  [`clickhouse://h/a?cluster=x'y`, /cluster .* cannot have that name/],
  ['clickhouse://', /cannot be read/],
  ['http://h/a', /cannot be read/],
  ['clickhouse://h/a?sslrootcert=/nowhere/ca.pem', /certificate authority at \/nowhere\/ca.pem cannot be read/],
])('%s is refused with a sentence', (text, words) => {
  expect(() => readClickHouseAddress(text)).toThrow(words)
})

test('a password in an address is not shown', () => {
  const { password, shown } = readClickHouseAddress('clickhouse://ana:s3cret@db.example.com/logs')
  expect(password).toBe('s3cret')
  expect(shown).toBe('clickhouse://ana@db.example.com/logs')
  expect(destinationOf('clickhouse://ana:s3cret@db/logs', '/', '/')).toMatchObject({
    kind: 'clickhouse',
    name: 'clickhouse://ana@db/logs',
  })
})

test.each([
  ['server.sql', schemaStatements({ database: 'annals' })],
  ['cluster.sql', schemaStatements({ database: 'annals', cluster: 'main' })],
  ['roles.sql', roleStatements({ database: 'annals' })],
  ['cluster-roles.sql', roleStatements({ database: 'annals', cluster: 'main' })],
  ['retain-90-days.sql', retentionStatements({ database: 'annals' }, 90)],
])('docs/clickhouse/%s says what the sink makes', async (name, statements) => {
  const text = `${statements.join(';\n\n')};\n`
  await expect(text).toMatchFileSnapshot(`../docs/clickhouse/${name}`)
})

test('on a cluster every table is replicated, and what is spread is one table over all servers', () => {
  const tables = schemaStatements({ database: 'annals', cluster: 'main' }).filter((one) => /^create table/.test(one))
  expect(tables.length).toBeGreaterThan(15)
  for (const one of tables) {
    expect(one).toMatch(/ on cluster 'main'/)
    expect(one).toMatch(
      /engine = (Replicated\w*MergeTree\('\/clickhouse\/tables\/|Distributed\('main', 'annals', '\w+_local', )/,
    )
  }
})
