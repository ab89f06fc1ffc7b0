import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Machine } from '../src/collector/sink.ts'
import type { Cluster } from '../src/collector/sinks/postgres/cluster.ts'
import { postgresReader } from '../src/collector/sinks/postgres/reader.ts'
import { migratePostgres } from '../src/collector/sinks/postgres/store.ts'
import { postgresSink } from '../src/collector/sinks/postgres.ts'
import { parseQuery } from '../src/core/search/query.ts'
import { batch, machine, row } from './collector/made-batches.ts'
import { hasPostgres, testCluster, withoutPostgres } from './postgres.ts'
import { hasPooler, type Pooler, startPooler, withoutPooler } from './support/pooler.ts'

const ANA = { ...machine(1), user: 'ana' }
const BEN = { ...machine(2), user: 'ben' }

/** Rows of somebody, each batch of which goes out by itself. */
function batchesOf(who: Machine, count: number) {
  const session = `${who.user === 'ana' ? 'aaaa' : 'bbbb'}1111-0000-4000-8000-000000000001`
  const whose = { machine: who.id, user: who.user, session, project: `/home/${who.user}/p` }
  return Array.from({ length: count }, (_, at) => batch(`${who.user} ${at}`, [row(at, whose)], { machine: who }))
}

describe.skipIf(!hasPostgres || !hasPooler)(`a pooler in transaction mode${withoutPostgres || withoutPooler}`, () => {
  let cluster: Cluster
  let pooler: Pooler

  beforeAll(async () => {
    cluster = testCluster()
    await migratePostgres(cluster.url())
    // Nobody may make a table for the time of a connection: the pooler would give it to somebody else.
    cluster.psql(`
      revoke temporary on database postgres from public;
      create role ana_box login in role annals_collector; create role ben_box nologin in role annals_collector;
      create role lena nologin in role annals_reader;
      create role service login noinherit; grant ana_box, ben_box, lena to service;
      insert into annals.granted values ('lena', '/home/ben/p')`)
    pooler = await startPooler(cluster, ['postgres', 'ana_box', 'service'])
  })
  afterAll(() => {
    pooler?.stop()
    cluster?.remove()
  })

  const inStore = (person: string) =>
    Number(cluster.psql(`select count(*) from annals.record where person = '${person}'`))
  const connectionsOf = (user: string) =>
    Number(cluster.psql(`select count(*) from pg_stat_activity where usename = '${user}'`))

  test('several collectors of one login share fewer connections', async () => {
    const sinks = [1, 2, 3, 4].map(() => postgresSink(pooler.url('ana_box')))
    for (const sink of sinks) await sink.open(ANA)
    const batches = batchesOf(ANA, 40)
    await Promise.all(
      sinks.flatMap((sink, at) => batches.filter((_, n) => n % 4 === at).map((one) => sink.deliver(one))),
    )
    expect(connectionsOf('ana_box')).toBeLessThanOrEqual(2)
    for (const sink of sinks) await sink.close()
    expect(inStore('ana')).toBe(40)
  })

  test('one login acts for several roles over shared connections, each with its own rights', async () => {
    const [ana, ben] = [postgresSink(pooler.url('service', 'ana_box')), postgresSink(pooler.url('service', 'ben_box'))]
    await ana.open(ANA)
    await ben.open(BEN)
    const more = batchesOf(ANA, 48).slice(40)
    const theirs = batchesOf(BEN, 8)
    await Promise.all(more.flatMap((one, at) => [ana.deliver(one), ben.deliver(theirs[at] as (typeof theirs)[0])]))
    expect(connectionsOf('service')).toBeLessThanOrEqual(2)
    await expect(ana.deliver(theirs[0] as (typeof theirs)[0])).rejects.toThrow(/does not allow this user/)
    await expect(ana.marks(BEN.id)).rejects.toThrow(/does not allow this user/)
    await ana.close()
    await ben.close()
    expect([inStore('ana'), inStore('ben')]).toEqual([48, 8])
    expect(cluster.psql('select id, role from annals.machine order by id')).toBe(
      'machine-0001|ana_box\nmachine-0002|ben_box\n',
    )
  })

  test('a reader sees what was granted to the role that it acts as, and finds words', async () => {
    const lena = postgresReader(pooler.url('service', 'lena'))
    try {
      expect((await lena.logs()).map((log) => log.machine)).toEqual([BEN.id])
      expect((await lena.find(parseQuery('word'), {}, undefined, 100)).docs).toHaveLength(8)
    } finally {
      lena.close()
    }
  })

  test('a login that acts for nobody, or for a role of a kind, is itself', async () => {
    const service = postgresReader(pooler.url('service'))
    await expect(service.logs()).rejects.toThrow(/does not allow this user/)
    service.close()
    const stranger = postgresSink(pooler.url('ana_box', 'annals_collector'))
    await stranger.open(ANA)
    await stranger.close()
    const other = postgresSink(pooler.url('ana_box', 'ben_box'))
    await expect(other.open(BEN)).rejects.toThrow(/does not allow this user.*role "ben_box"/)
    await other.close()
  })
})
