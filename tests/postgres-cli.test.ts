import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Cluster } from '../src/collector/sinks/postgres/cluster.ts'
import { team } from '../src/ops/team.ts'
import { writeDemoRoot } from '../src/testing/index.ts'
import { annals, temporaryFolder } from './cli/annals.ts'
import { hasPostgres, newDatabase, testCluster, withoutPostgres } from './postgres.ts'

const cli = join(import.meta.dirname, '../dist/cli.cjs')
const folder = temporaryFolder()
const demo = join(folder.path, 'demo')
const now = new Date('2026-11-15T12:00:00.000Z')
/** How many runs are killed: more by ANNALS_ROUNDS. */
const KILLS = Number(process.env.ANNALS_ROUNDS ?? 8)

describe.skipIf(!hasPostgres)(`the command line and a team store${withoutPostgres}`, () => {
  let cluster: Cluster
  let store: string
  const state = join(folder.path, 'state')
  const reader = join(folder.path, 'reader')
  const flags = () => ['--to', store, '--root', demo, '--content', 'all', '--paths', 'real', '--user', 'real']
  const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ANNALS_HOME: state, TZ: 'UTC' }

  beforeAll(() => {
    mkdirSync(demo)
    writeDemoRoot(demo, now)
    cluster = testCluster()
    store = cluster.url(newDatabase(cluster))
    // The tables first, so that the runs below are killed while they deliver.
    const made = annals(['team', 'migrate', '--store', store], { env: { ANNALS_HOME: state } })
    expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: '' })
  })
  afterAll(() => {
    cluster?.remove()
    folder.remove()
  })

  test('a collector that is killed again and again delivers every record once (T4)', async () => {
    for (let round = 0; round < KILLS; round++) {
      const child = spawn(process.execPath, [cli, 'collect', ...flags(), '--json'], { env, stdio: 'ignore' })
      const ended = once(child, 'exit')
      await Promise.race([sleep(250 + 90 * round), ended])
      child.kill('SIGKILL')
      await ended
    }
    const last = spawnSync(process.execPath, [cli, 'collect', ...flags(), '--json'], { env, encoding: 'utf8' })
    expect({ status: last.status, stderr: last.stderr }).toEqual({ status: 0, stderr: '' })
    const theirs = listed(['--store', store], reader)
    const ours = listed(['--root', demo], join(folder.path, 'ours'))
    expect(theirs).toEqual(ours)
  })

  test('answers from the store are those of the logs', () => {
    const ours = { ANNALS_HOME: join(folder.path, 'ours') }
    const theirs = { ANNALS_HOME: reader }
    const total = (where: readonly string[], state: typeof ours) =>
      json(['usage', '--all', '--by', 'model', '--json', ...where], state)?.rows
    expect(total(['--store', store], theirs)).toEqual(total(['--root', demo], ours))
    const found = (where: readonly string[], state: typeof ours) =>
      json(['search', 'webhooks', '--json', ...where], state)?.total
    expect(found(['--store', store], theirs)).toEqual(found(['--root', demo], ours))
    expect(found(['--store', store], theirs)).toBeGreaterThan(0)
  })

  test('team tells what is in it, for people and as its schema says', () => {
    const { stdout, code } = annals(['team', 'status', '--store', store, '--json'], { env: { ANNALS_HOME: reader } })
    const { schema, warnings, ...result } = JSON.parse(stdout)
    expect({ code, schema, warnings }).toEqual({ code: 0, schema: 'annals/team/1', warnings: [] })
    expect([...Value.Errors(team.result, result)]).toEqual([])
    const told = annals(['team', 'status', '--store', store], { env: { ANNALS_HOME: reader } })
    expect(told.stdout.trim()).not.toBe('')
    expect(told.stdout).not.toMatch(/\bnull\b|undefined|\[object/)
  })

  test('where nobody answers, a sentence says so', () => {
    const { code, stderr } = annals(['sessions', '--store', 'postgres://ana@127.0.0.1:1/none'])
    expect(code).toBe(2)
    expect(stderr).toMatch(/127\.0\.0\.1/)
    expect(stderr).not.toMatch(/\n\s+at /)
  })
})

function json(args: readonly string[], env: Readonly<Record<string, string>>) {
  const { stdout, stderr, code } = annals(args, { env })
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as Record<string, unknown> & { items: Record<string, unknown>[]; total: number }
}

function listed(where: readonly string[], home: string) {
  const { items } = json(['sessions', '--full', '--all', '--json', ...where], { ANNALS_HOME: home })
  return items
    .map(({ id, title, kind, counts, agents, costUsd }) => {
      // Parts of a cost are added in the order of logs, which is that of their arrival there.
      return { id, title, kind, counts, agents, costUsd: costUsd === null ? null : Number(costUsd).toFixed(9) }
    })
    .sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1))
}
