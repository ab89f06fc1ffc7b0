import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TeamRow } from '../src/collector/row.ts'
import type { Cluster } from '../src/collector/sinks/postgres/cluster.ts'
import { postgresSink } from '../src/collector/sinks/postgres.ts'
import { answer, batch, document, machine, row, SESSION } from './collector/made-batches.ts'
import { holdsTheContract } from './collector/sink-contract.ts'
import { hasPostgres, newDatabase, testCluster, withoutPostgres } from './postgres.ts'
import { documentsIn, postgresPlace, rowsIn } from './postgres-place.ts'

let cluster: Cluster
beforeAll(() => {
  if (hasPostgres) cluster = testCluster()
})
afterAll(() => cluster?.remove())

describe.skipIf(!hasPostgres)(`postgres${withoutPostgres}`, () => {
  holdsTheContract('postgres', async () => postgresPlace(cluster))

  test('texts that a column cannot hold lose only NUL and lone surrogates; the content keeps all', async () => {
    const url = cluster.url(newDatabase(cluster))
    const sink = postgresSink(url)
    const odd = row(1, { gitBranch: 'a\0b', uuid: '\ud800x', content: Buffer.from([0x7b, 0x00, 0xff, 0xfe, 0x7d]) })
    await sink.open(machine())
    expect(await sink.deliver(batch('odd', [row(0), odd]))).toEqual({ added: 2, deadLetters: [], refused: [] })
    await sink.close()
    const found = (await rowsIn(url)).find(({ offset }) => offset === 100)
    expect(found).toMatchObject({ gitBranch: 'a\ufffdb', uuid: '\ufffdx', content: odd.content })
  })

  test('a row that no table takes goes to the dead letters with its reason, and the rest goes through (T25)', async () => {
    const database = newDatabase(cluster)
    const sink = postgresSink(cluster.url(database))
    await sink.open(machine())
    cluster.psql(`alter table annals.record add constraint no_plugh check (version <> 'plugh')`, database)
    const rows = Array.from({ length: 20 }, (_, at) => row(at))
    const poison = [
      row(20, { version: 'plugh' }),
      row(21, { file: `projects/-p/${'x'.repeat(1100)}.jsonl` }),
      row(22, { generation: 1e12 }),
      row(23, { messageId: '漢'.repeat(400) }),
    ]
    const one = batch('poison', [...rows.slice(0, 7), ...poison, ...rows.slice(7)])
    const done = await sink.deliver(one)
    expect(done.added).toBe(20)
    expect(Object.fromEntries(done.deadLetters.map(({ offset, reason }) => [offset, reason]))).toEqual({
      2000: 'It breaks a rule of the table (no_plugh); PostgreSQL says 23514.',
      2100: 'Its file is longer than 1000 bytes.',
      2200: 'Its place is no place in a file.',
      2300: 'Its messageId is longer than 1000 bytes.',
    })
    expect(await sink.deliver({ ...one, id: 'again' })).toMatchObject({ added: 0, deadLetters: done.deadLetters })
    await sink.close()
    const letters = cluster.psql('select "offset", reason from annals.dead_letter order by 1', database)
    expect(letters).toBe(
      '2000|It breaks a rule of the table (no_plugh); PostgreSQL says 23514.\n2100|Its file is longer than 1000 bytes.\n2300|Its messageId is longer than 1000 bytes.\n',
    )
  })

  test('rows that no mark tells of are known by their keys, also within one batch', async () => {
    const url = cluster.url(newDatabase(cluster))
    const sink = postgresSink(url)
    await sink.open(machine())
    const rows = [row(0), answer(1), row(2)]
    expect(await sink.deliver(batch('unmarked', rows, { marks: [] }))).toMatchObject({ added: 3 })
    expect(await sink.deliver(batch('again', rows, { marks: [] }))).toMatchObject({ added: 0, deadLetters: [] })
    expect(await sink.deliver(batch('more', [...rows, row(3), row(3)]))).toMatchObject({ added: 1, deadLetters: [] })
    // Behind the mark, and yet new: a batch that was cut differently.
    expect(await sink.deliver(batch('between', [row(0, { offset: 50 })], { marks: [] }))).toMatchObject({ added: 1 })
    await sink.close()
    expect((await rowsIn(url)).map(({ offset }) => offset).sort((a, b) => a - b)).toEqual([0, 50, 100, 200, 300])
    expect((await rowsIn(url)).find(({ offset }) => offset === 100)?.tools).toEqual(answer(1).tools)
  })

  test('words of every text are found, however long it is; a row of 20,000 levels is a row', async () => {
    const database = newDatabase(cluster)
    const sink = postgresSink(cluster.url(database))
    await sink.open(machine())
    const many = Array.from({ length: 400_000 }, (_, at) => `w${at.toString(36)}`).join(' ')
    const said = (text: string) =>
      Buffer.from(JSON.stringify({ type: 'user', message: { role: 'user', content: text } }))
    const deep = Buffer.from(`{"type":"user","message":{"content":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`)
    const cjk = Array.from({ length: 60_000 }, (_, at) => String.fromCodePoint(0x4e00 + (at % 20_000))).join(' ')
    const rows = [
      row(0, { content: said(`xyzzy ${many}`) }),
      row(1, { content: said('x'.repeat(5_000_000)) }),
      row(2, { content: deep }),
      row(3, { content: said(cjk) }),
      row(4, { content: said('café PLUGH') }),
    ]
    expect(await sink.deliver(batch('long', rows))).toMatchObject({ added: 5, deadLetters: [] })
    await sink.close()
    const find = (word: string) => cluster.psql(`select number from annals.search('${word}')`, database)
    expect([find('xyzzy'), find('plugh'), find('cafe'), find('w1')]).toEqual(['0\n', '2\n', '2\n', '0\n'])
  })

  test('rows fall into the partition of their month, those without a time into the one for the rest', async () => {
    const database = newDatabase(cluster)
    const sink = postgresSink(cluster.url(database))
    await sink.open(machine())
    const thisMonth = new Date().toISOString()
    const old = new Date()
    old.setUTCMonth(old.getUTCMonth() - 15, 3)
    const rows = [
      row(0, { timestamp: thisMonth }),
      row(1, { timestamp: null }),
      row(2, { timestamp: old.toISOString() }),
      row(3, { timestamp: '+275760-09-13T00:00:00.000Z' }),
    ]
    const partition = (time: string) => `annals.record_${time.slice(0, 7).replace('-', '_')}\n`
    const where = () => cluster.psql('select tableoid::regclass from annals.record order by "offset"', database)
    expect(await sink.deliver(batch('months', rows))).toMatchObject({ added: 4 })
    expect(where()).toBe(partition(thisMonth) + 'annals.record_rest\n'.repeat(3))
    cluster.psql('select annals.make_partitions(16, 6)', database)
    const rest = 'annals.record_rest\n'
    expect(where()).toBe(partition(thisMonth) + rest + partition(old.toISOString()) + rest)
    expect(await sink.deliver(batch('months again', rows))).toMatchObject({ added: 0 })
    await sink.close()
  })

  test('a response is counted once, from the row with the most output, for whom it came first (T22)', async () => {
    const database = newDatabase(cluster)
    const sink = postgresSink(cluster.url(database))
    const copy = machine(2)
    const tokens = (outputTokens: number) => ({ ...(answer(0).tokens as object), outputTokens }) as TeamRow['tokens']
    const at = (hour: number) => `2026-11-14T${hour}:00:00.000Z`
    await sink.open(machine())
    await sink.deliver(
      batch('first', [
        answer(0, { messageId: 'm1', tokens: tokens(2), timestamp: at(10) }),
        answer(1, { messageId: 'm1', tokens: tokens(40), timestamp: at(11) }),
        answer(2, { messageId: 'm2', requestId: 'req_a', tokens: tokens(7), timestamp: at(12) }),
        answer(3, { messageId: 'm2', requestId: 'req_b', tokens: tokens(9), timestamp: at(13) }),
        answer(4, { messageId: 'm2', requestId: null, tokens: tokens(8), timestamp: at(14) }),
        answer(5, { messageId: 'm3', model: '<synthetic>', timestamp: at(15) }),
      ]),
    )
    await sink.open(copy)
    const theirs = { machine: copy.id, user: 'ben', timestamp: at(16) }
    await sink.deliver(
      batch('copied', [answer(1, { messageId: 'm1', tokens: tokens(41), ...theirs })], { machine: copy }),
    )
    await sink.close()
    const once = cluster.psql(
      'select message_id, request_id, person, output_tokens from annals.response_once order by 1, 2',
      database,
    )
    expect(once).toBe('m1|req_1|ana|41\nm2|req_a|ana|8\nm2|req_b|ana|9\n')
  })

  test('what a new generation no longer has is no record of now, and still in the table', async () => {
    const database = newDatabase(cluster)
    const sink = postgresSink(cluster.url(database))
    await sink.open(machine())
    await sink.deliver(batch('one', [answer(0, { messageId: 'old' })]))
    await sink.deliver(batch('two', [answer(0, { messageId: 'new', generation: 2 })]))
    await sink.close()
    expect(cluster.psql('select count(*) from annals.record_now; select count(*) from annals.record', database)).toBe(
      '1\n2\n',
    )
  })

  test('ten collectors deliver at once while a migration waits among them', async () => {
    const database = newDatabase(cluster)
    const url = cluster.url(database)
    const collectors = Array.from({ length: 10 }, (_, at) => machine(at + 1))
    const rowsOf = (id: string) => Array.from({ length: 60 }, (_, at) => row(at, { machine: id }))
    const migration = { number: 900, name: 'later', sql: 'alter table annals.record add column later text' }
    const { migratePostgres } = await import('../src/collector/sinks/postgres/store.ts')
    // All of them find an empty database: one makes the tables.
    await Promise.all([
      ...collectors.map(async (who) => {
        const sink = postgresSink(url)
        await sink.open(who)
        const rows = rowsOf(who.id)
        for (let at = 0; at < 60; at += 6) {
          const part = batch(`${who.id} ${at}`, rows.slice(at, at + 6), { machine: who })
          expect((await sink.deliver(part)).added).toBe(6)
        }
        await sink.close()
      }),
      migratePostgres(url).then(() => migratePostgres(url, {}, [migration])),
    ])
    const found = await rowsIn(url)
    expect(found.length).toBe(600)
    expect(new Set(found.map(({ machine, offset }) => `${machine} ${offset}`)).size).toBe(600)
    expect(cluster.psql('select name from annals.annals_migration order by number', database)).toBe('schema\nlater\n')
  })

  test('a collector that comes, delivers and goes leaves nothing in the catalog', async () => {
    const database = newDatabase(cluster)
    const visit = async (at: number) => {
      const sink = postgresSink(cluster.url(database))
      await sink.open(machine())
      await sink.deliver(batch(String(at), [row(at), answer(at + 100)]))
      await sink.close()
    }
    // The first makes the tables.
    await visit(0)
    // Counted when a connection has gone: what is made for a while and removed again counts too.
    const written = () =>
      cluster.psql(
        `select relname, n_tup_ins + n_tup_upd + n_tup_del from pg_stat_sys_tables
          where relname in ('pg_class', 'pg_type', 'pg_attribute', 'pg_depend', 'pg_proc') order by 1`,
        database,
      )
    const before = written()
    cluster.psql('create temp table looked_for (a int)', database)
    await expect.poll(written).not.toBe(before)
    const then = written()
    for (let at = 1; at < 6; at++) await visit(at)
    await new Promise((done) => setTimeout(done, 200))
    expect(written()).toBe(then)
    expect(cluster.psql('select count(*) from annals.record', database)).toBe('12\n')
  })

  test('a document may be of no session, binary, and as it was before', async () => {
    const url = cluster.url(newDatabase(cluster))
    const sink = postgresSink(url)
    await sink.open(machine())
    const a = document('a.meta.json', 'A')
    const bytes = { ...document('b', ''), content: Buffer.from([0, 1, 255]), contentHash: 'b', session: null }
    await sink.deliver(batch('1', [], { documents: [a, bytes] }))
    await sink.deliver(batch('2', [], { documents: [document('a.meta.json', 'B')] }))
    await sink.deliver(batch('3', [], { documents: [a] }))
    await sink.close()
    expect(await documentsIn(url)).toEqual([a, bytes])
    expect(SESSION).toBe(a.session)
  })
})
