import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeDemoRoot } from '../src/testing/index.ts'
import { annals, temporaryFolder } from './cli/annals.ts'
import { clickhousePlace, type Engine, noClickHouse, startClickHouse } from './support/clickhouse.ts'
import { answersFrom } from './support/store-answers.ts'

const cli = join(import.meta.dirname, '../dist/cli.cjs')

describe.skipIf(noClickHouse !== undefined)('the command line and ClickHouse', () => {
  const folder = temporaryFolder()
  const demo = join(folder.path, 'demo')
  let engine: Engine
  beforeAll(async () => {
    mkdirSync(demo)
    writeDemoRoot(demo, new Date('2026-11-15T12:00:00.000Z'))
    engine = await startClickHouse()
  }, 300_000)
  afterAll(async () => {
    await engine?.stop()
    folder.remove()
  })

  test('what is collected to clickhouse:// answers as the logs on disk do', async () => {
    const { url } = clickhousePlace(engine)
    const flags = ['--to', url, '--root', demo, '--content', 'all', '--paths', 'real', '--user', 'real']
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: '/nonexistent',
      ANNALS_HOME: join(folder.path, 'state'),
      TZ: 'UTC',
    }
    const done = spawnSync(process.execPath, [cli, 'collect', ...flags, '--json'], { env, encoding: 'utf8' })
    expect({ status: done.status, stderr: done.stderr }).toEqual({ status: 0, stderr: '' })
    const [ours, theirs] = [join(folder.path, 'ours'), join(folder.path, 'theirs')]
    const listed = annals(['sessions', '--all', '--root', demo, '--json'], { env: { ANNALS_HOME: ours } })
    const { id } = JSON.parse(listed.stdout).items.find(({ title }: { title: string }) => title !== null)
    const stored = answersFrom(['--store', url], theirs, id)
    const logged = answersFrom(['--root', demo], ours, id)
    for (const name of Object.keys(logged)) expect({ [name]: stored[name] }).toEqual({ [name]: logged[name] })
  }, 600_000)
})
