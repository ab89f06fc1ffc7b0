import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Cluster } from '../src/collector/sinks/postgres/cluster.ts'
import { postgresSink } from '../src/collector/sinks/postgres.ts'
import { openStore } from '../src/collector/team/open-store.ts'
import { team } from '../src/ops/team.ts'
import { answer, batch, document, machine } from './collector/made-batches.ts'
import { hasPostgres, testCluster, withoutPostgres } from './postgres.ts'
import { ask } from './postgres-place.ts'

const PEOPLE = ['ana', 'ben', 'cem'] as const
const projectOf = (person: string) => `/home/${person}/work`
const sessionOf = (number: number) => `cccc${number}000-0000-4000-8000-000000000001`

let cluster: Cluster
let cache: string

/** Runs `annals team …` as somebody. */
const run = (user: string, input: Parameters<typeof team.run>[1]) => {
  const access = {}
  const context = { store: { url: cluster.url('postgres', user), access }, access }
  return team.run(context as unknown as Parameters<typeof team.run>[0], input)
}

/** Whose rows somebody sees, in every table that has some. */
async function seenBy(user: string): Promise<readonly unknown[]> {
  const tables = ['record', 'response', 'tool_call', 'session', 'document', 'my_log']
  const found = await Promise.all(
    tables.map((table) =>
      ask(cluster.url('postgres', user), `select distinct person from annals.${table} order by person`),
    ),
  )
  const seen = found.map((rows) => rows.map(({ person }) => person))
  for (const one of seen) expect(one).toEqual(seen[0])
  return seen[0] ?? []
}

/** The sessions that somebody is told of. */
async function listedFor(user: string): Promise<readonly string[]> {
  const store = await openStore({ url: cluster.url('postgres', user), access: {} }, cache, ({ message }) =>
    expect.unreachable(message),
  )
  const ids = [...(await store.remote.queries.sessions.infos()).values()].map(({ id }) => id)
  expect(store.library.sessions().map(({ id }) => id)).toEqual(ids)
  store.remote.close()
  return ids.sort()
}

describe.skipIf(!hasPostgres)(`who sees what of a team store${withoutPostgres}`, () => {
  beforeAll(async () => {
    cluster = testCluster()
    cache = mkdtempSync(join(tmpdir(), 'annals-cache-'))
    await run('postgres', { action: 'migrate' })
    cluster.psql(`create role boss login in role annals_admin; create role lena login in role annals_reader;
      create role ana_login login in role annals_reader`)
    for (const [at, person] of PEOPLE.entries()) {
      cluster.psql(`create role ${person}_box login in role annals_collector`)
      const sink = postgresSink(cluster.url('postgres', `${person}_box`))
      const who = { ...machine(at + 1), user: person }
      const whose = { machine: who.id, user: person, project: projectOf(person), session: sessionOf(at) }
      // One day apart: the first of them worked on the 12th.
      const timestamp = `2026-11-1${at + 2}T10:00:00.000Z`
      await sink.open(who)
      const rows = [answer(0, { ...whose, timestamp, messageId: `msg ${person}` })]
      const documents = [document(`${person}.meta.json`, '{}', whose)]
      await sink.deliver(batch(person, rows, { machine: who, documents }))
      await sink.close()
    }
  })
  afterAll(() => {
    cluster?.remove()
    if (cache) rmSync(cache, { recursive: true, force: true })
  })

  test('a reader to whom nothing was granted sees nothing', async () => {
    expect(await seenBy('lena')).toEqual([])
    expect(await listedFor('lena')).toEqual([])
  })

  test('grant shows a project, revoke takes it away, also from lists', async () => {
    const granted = await run('boss', { action: 'grant', names: ['lena', projectOf('ben')] })
    expect(granted.message).toBe('lena sees /home/ben/work.')
    expect(await seenBy('lena')).toEqual(['ben'])
    expect(await listedFor('lena')).toEqual([sessionOf(1)])
    // Twice is once.
    await run('boss', { action: 'grant', names: ['lena', projectOf('ben')] })
    await run('boss', { action: 'grant', names: ['lena', projectOf('cem')] })
    expect(await seenBy('lena')).toEqual(['ben', 'cem'])
    const revoked = await run('boss', { action: 'revoke', names: ['lena', projectOf('ben')] })
    expect(revoked.message).toBe('lena no longer sees /home/ben/work.')
    expect(await seenBy('lena')).toEqual(['cem'])
    expect(await listedFor('lena')).toEqual([sessionOf(2)])
    await run('boss', { action: 'grant', names: ['lena', '*'] })
    expect(await seenBy('lena')).toEqual([...PEOPLE])
    for (const project of ['*', projectOf('cem')]) await run('boss', { action: 'revoke', names: ['lena', project] })
    expect(await seenBy('lena')).toEqual([])
    expect(await listedFor('lena')).toEqual([])
  })

  test('a member sees their own rows with the role they read with, and what was granted beside', async () => {
    expect(await seenBy('ana_login')).toEqual([])
    const told = await run('boss', { action: 'member', names: ['ana', 'gate', 'ana_login'] })
    expect(told.message).toBe('ana is in gate and logs in as ana_login.')
    expect(await seenBy('ana_login')).toEqual(['ana'])
    await run('boss', { action: 'grant', names: ['ana_login', projectOf('cem')] })
    expect(await seenBy('ana_login')).toEqual(['ana', 'cem'])
    await run('boss', { action: 'revoke', names: ['ana_login', projectOf('cem')] })
    expect(await seenBy('ana_login')).toEqual(['ana'])
    // Without a role nobody reads as this person.
    expect((await run('boss', { action: 'member', names: ['ana', 'gate'] })).message).toBe('ana is in gate.')
    expect(await seenBy('ana_login')).toEqual([])
    expect((await run('boss', { action: 'member', names: ['ana'] })).message).toBe('ana is in no team.')
  })

  test('usage of a group is told only where it has people enough', async () => {
    for (const [person, name] of [
      ['ana', 'gate'],
      ['ben', 'gate'],
      ['cem', 'shop'],
    ] as const)
      await run('boss', { action: 'member', names: [person, name] })
    const teams = async () =>
      (await run('lena', { action: 'usage', by: 'team' })).usage.map(({ key, people, isRest, responses }) => {
        return { key, people, isRest, responses }
      })
    // Five are asked for, and there are three.
    expect(await teams()).toEqual([])
    cluster.psql(`update annals.setting set value = '2' where name = 'minimum_group'`)
    // One alone in a team is not told, and not to be reckoned from the total either: the other team is told with them.
    expect(await teams()).toEqual([{ key: null, people: 3, isRest: true, responses: 3 }])
    expect((await run('lena', { action: 'usage', by: 'project' })).usage).toMatchObject([
      { key: null, people: 3, isRest: true, responses: 3 },
    ])
    cluster.psql(`update annals.setting set value = '1' where name = 'minimum_group'`)
    expect((await teams()).map(({ key }) => key).sort()).toEqual(['gate', 'shop'])
    cluster.psql(`update annals.setting set value = '5' where name = 'minimum_group'`)
  })

  test('names that the store does not know are refused, with the nearest that it does', async () => {
    const told = (action: 'grant' | 'revoke' | 'member' | 'collector' | 'set', ...names: string[]) =>
      Promise.resolve(run('boss', { action, names })).then(
        ({ message }) => message,
        (error: Error) => error.message,
      )
    expect(await told('grant', 'lenna', projectOf('ben'))).toBe(
      'This team store knows no role "lenna". Did you mean "lena"?',
    )
    expect(await told('grant', 'lena', '/home/ben/wrok')).toBe(
      'This team store knows no project "/home/ben/wrok". Did you mean "/home/ben/work"?',
    )
    expect(await told('revoke', 'lena', projectOf('ben'))).toBe(
      `This team store knows no project "${projectOf('ben')}".`,
    )
    expect(await told('member', 'anna', 'gate')).toBe('This team store knows no person "anna". Did you mean "ana"?')
    expect(await told('member', 'ana', 'gate', 'ana_logn')).toMatch(/no role "ana_logn"\. Did you mean "ana_login"\?/)
    expect(await told('collector', 'ana_bx', 'ana')).toMatch(/no role "ana_bx"\. Did you mean "ana_box"\?/)
    expect(await told('set', 'minimum_grup', '4')).toBe(
      'This team store knows no setting "minimum_grup". Did you mean "minimum_group"?',
    )
    expect(await told('set', 'minimum_group', 'four')).toBe('minimum_group is a number of people, 1 or more.')
    expect(
      cluster.psql('select count(*) from annals.granted; select count(*) from annals.person where role is not null'),
    ).toBe('0\n0\n')
    expect(await told('set', 'minimum_group', '6')).toBe('minimum_group is 6.')
    expect(cluster.psql('select value from annals.setting')).toBe('6\n')
    expect(await told('set', 'minimum_group', '5')).toBe('minimum_group is 5.')
  })

  test('a login speaks for another person when an administrator says so', async () => {
    const open = async () => {
      const sink = postgresSink(cluster.url('postgres', 'cem_box'))
      await sink.open({ ...machine(9), user: 'carla' }).finally(() => sink.close())
    }
    await expect(open()).rejects.toThrow(/speaks for "cem", not for "carla"; .*annals team collector cem_box carla/)
    expect((await run('boss', { action: 'collector', names: ['cem_box', 'carla'] })).message).toBe(
      'cem_box speaks for carla.',
    )
    await open()
    await run('boss', { action: 'collector', names: ['cem_box', 'cem'] })
    await expect(run('lena', { action: 'collector', names: ['cem_box', 'lena'] })).rejects.toThrow(/does not allow/)
  })

  test('only an administrator says who sees what, and what is missing is asked for', async () => {
    const grant = { action: 'grant', names: ['lena', '*'] } as const
    await expect(run('lena', { ...grant, names: [...grant.names] })).rejects.toThrow(/does not allow/)
    await expect(run('ana_box', { action: 'member', names: ['ana', 'gate'] })).rejects.toThrow(/does not allow/)
    await expect(run('boss', { action: 'grant', names: ['lena'] })).rejects.toThrow(/needs a role and a project/)
    await expect(run('boss', { action: 'member' })).rejects.toThrow(/needs a person/)
    expect(await seenBy('lena')).toEqual([])
  })
})
