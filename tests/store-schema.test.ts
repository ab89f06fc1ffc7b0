import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Cluster } from '../src/collector/sinks/postgres/cluster.ts'
import { ensureSchema } from '../src/collector/sinks/postgres/migrate.ts'
import { MIGRATIONS } from '../src/collector/sinks/postgres/migrations.ts'
import { migratePostgres, withStore } from '../src/collector/sinks/postgres/store.ts'
import { openStore } from '../src/collector/team/open-store.ts'
import { log, root } from '../src/testing/index.ts'
import { hasPostgres, newDatabase, testCluster, withoutPostgres } from './postgres.ts'
import { type MadeMachine, madeMachine } from './postgres-machines.ts'

const SAID = log({ seed: 'schema', cwd: '/home/ana/shop' })
  .user('Why does the turnstile count twice?')
  .assistant('Both edges.')

describe.skipIf(!hasPostgres)(`the schema of a team store${withoutPostgres}`, () => {
  let cluster: Cluster
  let ana: MadeMachine
  let cache: string
  beforeAll(() => {
    cluster = testCluster()
    cache = mkdtempSync(join(tmpdir(), 'annals-schema-'))
    ana = madeMachine((folder) => root().add(SAID).write(folder))
  })
  afterAll(() => {
    ana?.remove()
    cluster?.remove()
    if (cache) rmSync(cache, { recursive: true, force: true })
  })

  const listed = async (url: string) => {
    const store = await openStore({ url, access: {} }, cache, () => {})
    try {
      return [...(await store.remote.queries.sessions.infos()).values()].map(({ id }) => id)
    } finally {
      store.remote.close()
    }
  }

  const later = {
    number: 1 + (MIGRATIONS.at(-1)?.number ?? 0),
    name: 'later',
    sql: `alter table annals.record add column later text; alter table annals.log add column later text default 'x';
      create table annals.later (x int)`,
  }

  test('a migration is run once, and only those that are missing', async () => {
    const url = cluster.url(newDatabase(cluster))
    expect(await migratePostgres(url)).toEqual({ ran: ['schema'], version: 1 })
    expect(await migratePostgres(url)).toEqual({ ran: [], version: 1 })
    expect(await migratePostgres(url, {}, [...MIGRATIONS, later])).toEqual({ ran: ['later'], version: 2 })
    expect(await migratePostgres(url, {}, [...MIGRATIONS, later])).toEqual({ ran: [], version: 2 })
  })

  test('an older client goes on with a newer store: it collects and reads', async () => {
    const url = cluster.url(newDatabase(cluster))
    await migratePostgres(url, {}, [...MIGRATIONS, later])
    await ana.collect(url, { content: 'all', user: 'real' })
    expect(await listed(url)).toEqual([SAID.sessionId])
  })

  test('a newer client names what an older store lacks, and who brings it there', async () => {
    const database = newDatabase(cluster)
    await migratePostgres(cluster.url(database))
    cluster.psql(
      'create role box login in role annals_collector; create role eve login in role annals_reader',
      database,
    )
    const ensure = (url: string) =>
      withStore(url, (store, { shown }) => ensureSchema(store, shown, true, [...MIGRATIONS, later]))
    await expect(ensure(cluster.url(database, 'box'))).rejects.toMatchObject({
      message: expect.stringMatching(/is older than this annals/),
      hint: expect.stringMatching(/annals team migrate/),
    })
    await ensure(cluster.url(database))
    expect(cluster.psql('select max(number) from annals.annals_migration', database)).toBe('2\n')
    cluster.psql('drop view annals.my_log cascade', database)
    await expect(listed(cluster.url(database, 'eve'))).rejects.toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/lacks a table/),
        hint: expect.stringMatching(/team migrate/),
      }),
    )
  })

  test('a reader finds words by the index of the store, whoever they are', async () => {
    const database = newDatabase(cluster)
    const url = cluster.url(database)
    await ana.collect(url, { content: 'all', user: 'real' })
    cluster.psql(
      `create role rita login in role annals_reader; insert into annals.granted values ('rita', '/home/ana/shop')`,
      database,
    )
    const plan = cluster.psql(
      `set role rita; set enable_seqscan = off; set annals.query = $$'turnstile'$$; explain select * from annals.found where role = 'user'`,
      database,
    )
    expect(plan).toMatch(/Bitmap Index Scan on doc_\w+_words_idx/)
    // Rights are looked up, not joined: a plan never begins with the logs that one may see.
    expect(plan).not.toMatch(/^(Nested Loop|Hash|Merge)/m)
    expect(plan).not.toMatch(/Seq Scan on doc_/)
    const own = cluster.psql(
      `set role rita; set enable_seqscan = off; explain select * from annals.my_held where month = '2026-11-01' and not shared`,
      database,
    )
    expect(own).toMatch(/on held_2026_11/)
    expect(own).not.toMatch(/held_2026_10/)
    expect(cluster.psql(`set role rita; select count(*) from annals.search('turnstile')`, database)).toBe('1\n')
    cluster.psql('delete from annals.granted', database)
    expect(cluster.psql(`set role rita; select count(*) from annals.search('turnstile')`, database)).toBe('0\n')
  })
})
