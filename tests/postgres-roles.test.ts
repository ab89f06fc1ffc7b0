import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Machine } from '../src/collector/sink.ts'
import type { Cluster } from '../src/collector/sinks/postgres/cluster.ts'
import { postgresSink } from '../src/collector/sinks/postgres.ts'
import { tombstoneOf } from '../src/collector/tombstone.ts'
import { purge } from '../src/ops/purge.ts'
import { answer, batch, document, machine, row, SESSION } from './collector/made-batches.ts'
import { hasPostgres, testCluster, withoutPostgres } from './postgres.ts'
import { ask, rowsIn } from './postgres-place.ts'

const OTHER = 'bbbb2222-0000-4000-8000-000000000002'
const GATE = 'cccc3333-0000-4000-8000-000000000003'
const LATER = 'dddd4444-0000-4000-8000-000000000004'
const BEN = { ...machine(2), user: 'ben' }

let cluster: Cluster

/** The code of the refusal, or the rows. */
async function tried(user: string, text: string): Promise<unknown> {
  try {
    return await ask(cluster.url('postgres', user), text)
  } catch (error) {
    return (error as { code?: string }).code
  }
}

describe.skipIf(!hasPostgres)(`roles${withoutPostgres}`, () => {
  beforeAll(async () => {
    cluster = testCluster()
    const owner = postgresSink(cluster.url())
    await owner.open(machine(9))
    await owner.close()
    cluster.psql(`
      create role ana_box login in role annals_collector; create role ben_box login in role annals_collector;
      create role ana login in role annals_reader; create role lena login in role annals_reader;
      create role boss login in role annals_admin; create role nobody_at_all login;
      insert into annals.person values ('ana', 'gate', 'ana'), ('ben', 'gate', 'ben_box'), ('p3', 'shop', null);
      insert into annals.granted values ('lena', '/home/ben/q')`)
    const ana = postgresSink(cluster.url('postgres', 'ana_box'))
    await ana.open(machine(1))
    await ana.deliver(
      batch('ana', [row(0), answer(1, { messageId: 'm1' })], { documents: [document('a.meta.json', '{}')] }),
    )
    await ana.close()
    const ben = postgresSink(cluster.url('postgres', 'ben_box'))
    await ben.open(BEN)
    const theirs = { machine: machine(2).id, user: 'ben', project: '/home/ben/q', session: OTHER }
    const rows = [row(0, theirs), answer(1, { ...theirs, messageId: 'm2' })]
    await ben.deliver(batch('ben', rows, { machine: BEN }))
    await ben.close()
  })
  afterAll(() => cluster?.remove())

  test('an insert-only collector delivers, and reads, changes and deletes nothing', async () => {
    for (const table of [
      'record',
      'response',
      'tool_call',
      'log',
      'held',
      'doc',
      'session',
      'document',
      'mark',
      'dead_letter',
      'machine',
    ]) {
      expect(await tried('ana_box', `select * from annals.${table}`), table).toBe('42501')
      expect(await tried('ana_box', `delete from annals.${table}`), table).toBe('42501')
    }
    expect(await tried('ana_box', `update annals.record set project = 'x'`)).toBe('42501')
    expect(await tried('ana_box', `select * from annals.tombstone`)).toBe('42501')
    expect(await tried('ana_box', `select * from annals.usage_by_model`)).toBe('42501')
    expect(await tried('ana_box', `create table annals.mine (x int)`)).toBe('42501')
    expect(await tried('ana_box', `insert into annals.granted values ('ana_box', '*')`)).toBe('42501')
    expect(await tried('ana_box', `select annals.purge('${OTHER}')`)).toBe('42501')
  })

  test('a collector cannot speak for a machine of another role, nor read its marks', async () => {
    const sink = postgresSink(cluster.url('postgres', 'ana_box'))
    await expect(sink.open(machine(2))).rejects.toThrow(/does not allow/)
    await expect(sink.marks(machine(2).id)).rejects.toThrow(/does not allow/)
    await sink.open(machine(1))
    const stolen = batch('stolen', [row(7, { machine: machine(2).id })], { marks: [] })
    await expect(sink.deliver(stolen)).rejects.toThrow(/does not allow/)
    await sink.close()
    expect((await rowsIn(cluster.url())).length).toBe(4)
  })

  test('a reader sees its own rows and granted projects, in every table, and no others', async () => {
    for (const table of ['record', 'response', 'session']) {
      const seen = (user: string) => tried(user, `select distinct person from annals.${table}`)
      expect(await seen('ana'), table).toEqual([{ person: 'ana' }])
      expect(await seen('lena'), table).toEqual([{ person: 'ben' }])
      expect(await seen('boss'), table).toHaveLength(2)
      expect(await seen('nobody_at_all'), table).toBe('42501')
    }
    expect(await tried('ana', `select distinct tool_id from annals.tool_call`)).toHaveLength(2)
    expect(await tried('lena', `select file from annals.document`)).toEqual([])
    expect(await tried('ana', `select file from annals.document`)).toEqual([{ file: 'a.meta.json' }])
    expect(await tried('lena', `select distinct machine from annals.mark`)).toEqual([{ machine: machine(2).id }])
    const mine = `select l.projects from annals.search('word') d join annals.my_log l on l.id = d.log group by 1`
    expect(await tried('lena', mine)).toEqual([{ projects: ['/home/ben/q'] }])
    for (const table of ['log', 'held', 'doc'])
      expect(await tried('lena', `select * from annals.${table}`)).toBe('42501')
    expect(await tried('lena', `select cursor from annals.mark`)).toBe('42501')
    for (const change of ['delete from annals.record', `insert into annals.granted values ('ana', '*')`]) {
      expect(await tried('ana', change)).toBe('42501')
    }
    expect(await tried('ana', 'select * from annals.record_rest')).toBe('42501')
  })

  test('views of groups need people enough; the small ones are one, or are not shown', async () => {
    const keys = async (view: string, key: string, user = 'ana') =>
      (await tried(user, `select ${key} as key, people, is_rest from annals.${view}`)) as readonly object[]
    expect(await keys('usage_by_project', 'project')).toEqual([])
    expect(await tried('ana', `update annals.setting set value = '1'`)).toBe('42501')
    expect(await tried('boss', `update annals.setting set value = '2' where name = 'minimum_group'`)).toEqual([])
    // Two projects of one person each are shown only together; the team of both is shown.
    expect(await keys('usage_by_project', 'project')).toEqual([{ key: null, people: '2', is_rest: true }])
    expect(await keys('usage_by_team', 'team')).toEqual([{ key: 'gate', people: '2', is_rest: false }])
    expect(await tried('boss', `insert into annals.setting values ('minimum_grup', '3')`)).toBe('23514')
    expect(await tried('boss', `update annals.setting set value = '0'`)).toBe('23514')
    expect(await keys('usage_by_model', 'model')).toEqual([{ key: 'claude-opus-5-5', people: '2', is_rest: false }])
    expect(await tried('ana', 'select person, output_tokens from annals.usage_by_person')).toEqual([
      { person: 'ana', output_tokens: '40' },
    ])
    expect(await tried('lena', 'select person from annals.usage_by_person')).toEqual([{ person: 'ben' }])
    expect(await tried('boss', 'select person from annals.usage_by_person')).toHaveLength(2)
    expect(await tried('ana', 'select * from annals.response_once')).toBe('42501')
    expect(await tried('ana', 'select people, responses from annals.usage_total')).toEqual([
      { people: '2', responses: '2' },
    ])
  })

  test('a login speaks for one person: nobody adds ghosts, nor records under the name of another', async () => {
    const sink = postgresSink(cluster.url('postgres', 'ana_box'))
    const ghost = { ...machine(5), user: 'ghost' }
    await expect(sink.open(ghost)).rejects.toThrow(/login ana_box speaks for "ana", not for "ghost"; an administrator/)
    await expect(sink.open({ ...ghost, user: null })).rejects.toThrow(/speaks for "ana", not for "nobody"/)
    await sink.open(machine(1))
    for (const user of ['ghost', 'ben', null]) {
      const rows = batch(`as ${user}`, [row(50, { user })])
      await expect(sink.deliver(rows)).rejects.toThrow(new RegExp(`speaks for "ana", not for "${user ?? 'nobody'}"`))
      const documents = batch(`of ${user}`, [], { documents: [document('x.meta.json', '{}', { user })] })
      await expect(sink.deliver(documents)).rejects.toThrow(/speaks for "ana"/)
    }
    await sink.close()
    // Also past our own client.
    const place = `'${machine(1).id}', 'f', 1, 0, '2026-11-01'`
    const insert = (person: string) =>
      tried(
        'ana_box',
        `insert into annals.record (machine, file, generation, "offset", month, line, length, person, type, is_error,
        content, content_hash) values (${place}, 1, 1, '${person}', 'user', false, '', '')`,
      )
    expect(await insert('ghost')).toBe('42501')
    expect(
      await tried(
        'ana_box',
        `select annals.put_sessions('${machine(1).id}', '{f}', '{1}', '{s}', '{p}', '{null}', '{ghost}',
      '{null}', '{null}')`,
      ),
    ).toBe('42501')
    expect(await tried('ana_box', `select annals.announce('machine-0077', 'ghost', null)`)).toBe('42501')
    expect(await tried('ana_box', `update annals.login set person = 'ghost'`)).toBe('42501')
    // A login that is new cannot take a name that another has, unless an administrator says so.
    cluster.psql('create role ana_desk login in role annals_collector')
    const desk = postgresSink(cluster.url('postgres', 'ana_desk'))
    await expect(desk.open(machine(6))).rejects.toThrow(
      /login ana_box speaks for "ana" already; .*annals team collector ana_desk ana/,
    )
    await tried('boss', `insert into annals.login values ('ana_desk', 'ana')`)
    await desk.open(machine(6))
    await desk.close()
  })

  test('people whose names do not leave count by their logins, however many machines they make known', async () => {
    cluster.psql('create role quiet login in role annals_collector')
    const sink = postgresSink(cluster.url('postgres', 'quiet'))
    for (const number of [21, 22, 23]) {
      const who = { ...machine(number), user: null }
      await sink.open(who)
      const of = { machine: who.id, user: null, project: '/q', messageId: `m${number}` }
      await sink.deliver(batch(`${number}`, [answer(number, of)], { machine: who }))
    }
    await sink.close()
    const [total] = (await tried('ana', 'select people from annals.usage_total')) as readonly { people: string }[]
    expect(total?.people).toBe('3')
    cluster.psql(`delete from annals.response where project = '/q'; delete from annals.record where project = '/q';
      delete from annals.billed where project = '/q'`)
  })

  test('a receiver speaks for many, and a purge that it passes on takes what one machine sent', async () => {
    cluster.psql('create role gate login in role annals_receiver')
    const sink = postgresSink(cluster.url('postgres', 'gate'))
    const [cem, dora] = [31, 32].map((number) => ({ ...machine(number), user: `person ${number}` })) as [
      Machine,
      Machine,
    ]
    const sent = (who: Machine, at: number) => row(at, { machine: who.id, user: who.user, session: GATE })
    for (const who of [cem, dora]) {
      await sink.open(who)
      await sink.deliver(batch('one', [sent(who, 0)], { machine: who }))
    }
    await expect(sink.deliver(batch('x', [sent(dora, 9)], { machine: cem }))).rejects.toThrow(/speaks for "person 31"/)
    const bury = (who: Machine, session: string) =>
      sink.deliver(batch('bury', [], { machine: who, tombstones: [tombstoneOf(session)], isOwnPurge: true }))
    expect((await bury(cem, GATE)).notices).toBe(undefined)
    // Of another's, sent before or not yet: nothing happens to it.
    for (const session of [SESSION, LATER]) {
      expect((await bury(cem, session)).notices).toEqual([expect.stringMatching(/other machines sent of it stays/)])
    }
    const late = row(3, { machine: dora.id, user: dora.user, session: LATER })
    expect(await sink.deliver(batch('two', [sent(dora, 1), late], { machine: dora }))).toMatchObject({
      added: 2,
      refused: [],
    })
    const refused = [tombstoneOf(GATE)]
    expect(await sink.deliver(batch('three', [sent(cem, 1)], { machine: cem }))).toMatchObject({ added: 0, refused })
    await sink.close()
    const left = (await rowsIn(cluster.url())).filter(({ session }) => [GATE, LATER].includes(session ?? ''))
    expect(left.map((one) => one.machine)).toEqual(Array(3).fill(dora.id))
    expect((await rowsIn(cluster.url())).some(({ session }) => session === SESSION)).toBe(true)
    for (const table of ['record', 'log', 'session', 'mark'])
      cluster.psql(`delete from annals.${table} where machine in ('${cem.id}', '${dora.id}')`)
  })

  test('a tombstone of a collector takes its own rows, not those of others', async () => {
    const sink = postgresSink(cluster.url('postgres', 'ana_box'))
    await sink.open(machine(1))
    await sink.deliver(batch('burial', [], { tombstones: [tombstoneOf(OTHER)] }))
    await sink.close()
    expect((await rowsIn(cluster.url())).filter(({ session }) => session === OTHER)).toHaveLength(2)
  })

  test('an administrator purges everywhere, and a machine that was offline is refused (X10, X12, X13)', async () => {
    const url = cluster.url('postgres', 'boss')
    const context = { store: { url, access: {} }, access: {} } as unknown as Parameters<typeof purge.run>[0]
    await expect(purge.run(context, { session: OTHER })).rejects.toThrow(
      /This would forget session bbbb2222.*for everyone/,
    )
    const done = await purge.run(context, { session: OTHER.slice(0, 6), yes: true })
    expect(done.session).toBe(OTHER)
    expect(done.removed.map(({ what }) => what)).toEqual(
      expect.arrayContaining([
        '2 rows of record',
        '1 rows of response',
        '2 rows of tool_call',
        '2 rows of doc',
        '1 rows of log',
      ]),
    )
    expect(done.left[0]).toMatch(/Backups/)
    // Not the owner: it says what is left to do.
    expect(done.problems[0]?.message).toMatch(/VACUUM/)
    const asOwner = { store: { url: cluster.url(), access: {} } } as unknown as Parameters<typeof purge.run>[0]
    expect((await purge.run(asOwner, { session: OTHER, yes: true })).problems).toEqual([])
    for (const table of ['record', 'response', 'tool_call', 'session', 'document', 'dead_letter']) {
      expect(cluster.psql(`select count(*) from annals.${table} where session = '${OTHER}'`), table).toBe('0\n')
    }
    expect(cluster.psql('select hash from annals.tombstone')).not.toContain(OTHER)
    for (let round = 0; round < 3; round++) {
      const ben = postgresSink(cluster.url('postgres', 'ben_box'))
      await ben.open(BEN)
      const late = [row(round, { machine: machine(2).id, user: 'ben', session: OTHER })]
      const answered = await ben.deliver(batch(`late ${round}`, late, { machine: BEN }))
      expect(answered).toEqual({ added: 0, deadLetters: [], refused: [tombstoneOf(OTHER)] })
      await ben.close()
    }
    const left = (await rowsIn(cluster.url())).map(({ session }) => session)
    expect(left).toEqual([SESSION, SESSION])
  })

  test('somebody without rights is told in a sentence that the store is not set up', async () => {
    cluster.psql('create database empty')
    const sink = postgresSink(cluster.url('empty', 'ana_box'))
    await expect(sink.open(machine())).rejects.toMatchObject({
      message: expect.stringMatching(/is not set up yet/),
      hint: expect.stringMatching(/annals team migrate/),
      passes: false,
    })
    await sink.close()
  })
})
