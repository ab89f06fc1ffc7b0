import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Cluster } from '../src/collector/sinks/postgres/cluster.ts'
import { openStore } from '../src/collector/team/open-store.ts'
import type { Context } from '../src/history/context.ts'
import { purge } from '../src/ops/purge.ts'
import { sessions } from '../src/ops/sessions.ts'
import { show } from '../src/ops/show.ts'
import { team } from '../src/ops/team.ts'
import { log, root } from '../src/testing/index.ts'
import { hasPostgres, testCluster, withoutPostgres } from './postgres.ts'
import { type MadeMachine, madeMachine } from './postgres-machines.ts'

const DAY = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * DAY).toISOString()
const OLD = log({ seed: 'old', cwd: '/home/ana/shop', startedAt: ago(100) })
  .user('Why does the turnstile count twice?')
  .tool('Bash', { command: 'ls' }, { output: 'gate.ts' })
  .assistant('Both edges.')
const NEW = log({ seed: 'new', cwd: '/home/ana/shop', startedAt: ago(3) })
  .user('And the gate?')
  .assistant('It waits.')
const BENS = log({ seed: 'ben', cwd: '/home/ben/shop', startedAt: ago(2) })
  .user('Is the lamp lit?')
  .assistant('It is.')
/** The times of the records of a log. */
const timesOf = (made: typeof OLD) =>
  made.rows().flatMap((row) => (typeof row.timestamp === 'string' ? [row.timestamp] : []))
/** Every table that holds something of sessions. */
const TABLES = ['record', 'response', 'tool_call', 'session', 'log', 'held', 'doc']

describe.skipIf(!hasPostgres)(`what a team store keeps${withoutPostgres}`, () => {
  let cluster: Cluster
  let ana: MadeMachine
  let ben: MadeMachine
  let cache: string
  const access = {}
  const as = (user: string) =>
    ({ ...ana.context(), store: { url: cluster.url('postgres', user), access }, access }) as Context
  const count = (table: string, where = 'true') =>
    Number(cluster.psql(`select count(*) from annals.${table} where ${where}`))
  const collect = (machine: MadeMachine, name: string) =>
    machine.collect(cluster.url('postgres', `${name}_box`), { content: 'all', user: 'real', paths: 'real' })

  /** The sessions that a reader lists, after they read one, and what lies in their folder. */
  async function read(id?: string) {
    const store = await openStore({ url: cluster.url('postgres', 'lena'), access }, cache, () => {})
    const context = { ...ana.context(), library: store.library, remote: store.remote }
    const { items } = await sessions.run(context, { all: true } as never)
    if (id !== undefined) await show.run(context, { session: id } as never)
    store.remote.close()
    const here = readdirSync(store.folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.jsonl'),
    )
    return { listed: items.map((one) => one.id).sort(), here: here.map((path) => path.replace(/^.*\/|\.jsonl$/g, '')) }
  }

  beforeAll(async () => {
    cluster = testCluster()
    cache = mkdtempSync(join(tmpdir(), 'annals-keeping-'))
    ana = madeMachine((folder) => root().add(OLD, NEW).write(folder))
    ben = madeMachine((folder) => root().add(BENS).write(folder))
    await team.run(as('postgres'), { action: 'migrate' })
    cluster.psql(`create role ana_box login in role annals_collector; create role ben_box login in role annals_collector;
      create role lena login in role annals_reader; create role boss login in role annals_admin;
      insert into annals.granted values ('lena', '*')`)
    await collect(ana, 'ana')
    // Both of them are one person by the name of whoever runs this.
    cluster.psql(`insert into annals.login select 'ben_box', person from annals.login`)
    await collect(ben, 'ben')
  })
  afterAll(() => {
    for (const one of [ana, ben]) one?.remove()
    cluster?.remove()
    if (cache) rmSync(cache, { recursive: true, force: true })
  })

  test('a session goes so many days after its last record, from all tables and from what readers fetched', async () => {
    const before = await read(OLD.sessionId)
    expect(before.listed).toEqual([OLD.sessionId, NEW.sessionId, BENS.sessionId].sort())
    expect(before.here).toEqual([OLD.sessionId])
    for (const table of TABLES) expect(count(table), table).toBeGreaterThan(0)
    await expect(team.run(as('lena'), { action: 'retain', names: ['90d'] })).rejects.toThrow(/does not allow/)
    await expect(team.run(as('boss'), { action: 'retain', names: ['soon'] })).rejects.toThrow(/no number of days/)
    const shown = await team.run(as('boss'), { action: 'retain', names: ['90d'] })
    expect(shown.message).toMatch(
      /^A session is kept for 90 days after its last record, if you add --yes: .* Nothing was changed\.$/,
    )
    const person = cluster.psql('select distinct person from annals.login').trim()
    const months = [...new Set([ago(100).slice(0, 7), ...timesOf(OLD).map((time) => time.slice(0, 7))])]
    expect(shown.expiring.filter(({ month }) => month !== null)).toEqual(
      months.map((month) => ({
        month,
        person,
        sessions: 1,
        records: timesOf(OLD).filter((time) => time.startsWith(month)).length,
      })),
    )
    expect(count('record', `session = '${OLD.sessionId}'`)).toBeGreaterThan(0)
    expect(count('setting', `name = 'retain_days'`)).toBe(0)
    const { message } = await team.run(as('boss'), { action: 'retain', names: ['90d'], yes: true })
    expect(message).toMatch(/^A session is kept for 90 days after its last record; \d+ rows were older and are gone\.$/)
    const cutoff = `now() - interval '90 days'`
    for (const table of ['record', 'response', 'tool_call']) expect(count(table, `at < ${cutoff}`), table).toBe(0)
    expect(cluster.psql(`select count(*) from annals.search('turnstile')`)).toBe('0\n')
    for (const table of ['held', 'doc']) expect(count(table, `log not in (select id from annals.log)`), table).toBe(0)
    expect(await read()).toEqual({ listed: [NEW.sessionId, BENS.sessionId].sort(), here: [] })
    // Its machine does not send it again.
    await collect(ana, 'ana')
    expect((await read()).listed).not.toContain(OLD.sessionId)
    expect((await team.run(as('boss'), { action: 'retain', names: ['off'] })).message).toBe('Everything is kept.')
  })

  test('rows without a time go with their session, and prompts of the history by their own time', async () => {
    const id = 'aaaa1111-0000-4000-8000-000000000009'
    const row = (file: string, type: string, session: string, at: string | null) =>
      `insert into annals.record (machine, file, generation, "offset", month, line, length, session, type, content, content_hash, is_error, at)
        select id, '${file}', 1, (random() * 1e9)::int, '1970-01-01', 1, 1, '${session}', '${type}', '', '', false, ${at === null ? 'null' : `'${at}'`} from annals.machine where role = 'ben_box';
       insert into annals.session (machine, file, generation, session, project, first_at, last_at)
        select id, '${file}', 1, '${session}', '', ${at === null ? 'null, null' : `'${at}', '${at}'`} from annals.machine where role = 'ben_box';`
    cluster.psql(row('timed', 'user', id, ago(100)))
    cluster.psql(row('untimed', 'summary', id, null))
    cluster.psql(row('untimed-of-new', 'summary', BENS.sessionId, null))
    cluster.psql(row('history.jsonl', 'history', 'one', ago(100)) + row('history.jsonl', 'history', 'two', ago(1)))
    const { expiring } = await team.run(as('boss'), { action: 'retain', names: ['90d'] })
    expect(expiring.map(({ records }) => records)).toEqual([2, 1])
    await team.run(as('boss'), { action: 'retain', names: ['90d'], yes: true })
    const left = cluster.psql(
      `select file, session from annals.record where file in ('timed', 'untimed', 'untimed-of-new', 'history.jsonl') order by 1`,
    )
    expect(left.trim().split('\n')).toEqual(['history.jsonl|two', `untimed-of-new|${BENS.sessionId}`])
    cluster.psql(
      `delete from annals.record where file in ('untimed-of-new', 'history.jsonl'); delete from annals.session where file in ('untimed-of-new', 'history.jsonl')`,
    )
    await team.run(as('boss'), { action: 'retain', names: ['off'] })
  })

  test('all that was sent of a person goes, and is not taken from their machines again', async () => {
    const name = cluster.psql('select distinct person from annals.login').trim()
    const machines = `(select id from annals.machine where role = 'ana_box')`
    for (const table of ['record', 'response', 'tool_call', 'session', 'document', 'log'])
      cluster.psql(`update annals.${table} set person = 'ana' where machine in ${machines}`)
    cluster.psql(
      `update annals.machine set person = 'ana' where role = 'ana_box'; delete from annals.login where role = 'ana_box'`,
    )
    await expect(purge.run(as('boss'), { session: 'anna', person: true, yes: true })).rejects.toThrow(
      /Did you mean "ana"\?/,
    )
    await expect(purge.run(as('boss'), { session: 'ana', person: true })).rejects.toThrow(
      /This would forget person ana/,
    )
    const { removed } = await purge.run(as('boss'), { session: 'ana', person: true, yes: true })
    expect(removed.map(({ what }) => what)).toEqual(expect.arrayContaining(['1 rows of log', '1 rows of machine']))
    for (const table of ['record', 'response', 'tool_call', 'session', 'log', 'document', 'machine', 'login', 'person'])
      expect(count(table, `person = 'ana'`), table).toBe(0)
    expect((await read()).listed).toEqual([BENS.sessionId])
    cluster.psql(`insert into annals.login values ('ana_box', '${name}')`)
    await collect(ana, 'ana')
    expect((await read()).listed).toEqual([BENS.sessionId])
  })
})
