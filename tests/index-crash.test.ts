import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { indexName } from '../src/index/open.ts'
import { DOCS_OF_A_LOG } from '../src/index/schema.ts'
import { openDatabase } from '../src/index/sqlite.ts'
import { log } from '../src/testing/index.ts'
import { temporaryFolder } from './cli/annals.ts'

const cli = join(import.meta.dirname, '../dist/cli.cjs')
const folder = temporaryFolder()
const root = join(folder.path, 'root')
const canTrace = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0
const without = canTrace ? '' : ' (skipped: strace is not installed, or may not trace here)'
let states = 0

beforeAll(() => {
  for (let i = 0; i < 12; i++) {
    const made = log({ seed: `crash ${i}`, cwd: `/home/ana/p${i % 3}` })
    for (let k = 0; k < 6; k++)
      made
        .user(`question ${i} ${k}`)
        .assistant('answer')
        .tool('Bash', { command: 'ls' }, { output: 'x'.repeat(3000) })
    made.write(root)
  }
})
afterAll(folder.remove)

const newState = () => join(folder.path, `state-${states++}`)
const command = (state: string) => ({ env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ANNALS_HOME: state } })
const indexArgs = [cli, 'index', '--root', root, '--json']

function index(state: string) {
  const { stdout, status } = spawnSync(process.execPath, indexArgs, { encoding: 'utf8', ...command(state) })
  expect(status).toBe(0)
  return JSON.parse(stdout)
}

/** Every record the index knows, by place, and whether the words agree with it. */
function contents(state: string) {
  const database = openDatabase(join(state, indexName([root])))
  const places = database
    .prepare(`select path, offset from doc join log on log.id = doc.id / ${DOCS_OF_A_LOG} order by path, offset`)
    .all()
    .map(({ path, offset }) => `${path} ${offset}`)
  const found = Number(database.prepare(`select count(*) as n from words where words match '"question"'`).get()?.n)
  database.exec("insert into words (words, rank) values ('integrity-check', 0)")
  const check = database.prepare('pragma integrity_check').get()
  database.close()
  return { places, found, check: Object.values(check ?? {})[0] }
}

describe('an indexer that is killed loses and doubles nothing', () => {
  const whole = () => {
    const state = newState()
    index(state)
    return contents(state)
  }

  test.skipIf(!canTrace)(
    `at its writes${without}`,
    () => {
      const expected = whole()
      // All points by ANNALS_CRASH=all; a sample of them otherwise.
      const points =
        process.env.ANNALS_CRASH === 'all'
          ? Array.from({ length: 400 }, (_, i) => i + 1)
          : [1, 2, 3, 5, 8, 13, 21, 34, 55, 89]
      let fired = 0
      for (const point of points) {
        const state = newState()
        const inject = [
          '-f',
          '-o',
          '/dev/null',
          '-e',
          'trace=pwrite64',
          '-e',
          `inject=pwrite64:signal=KILL:when=${point}`,
        ]
        const { status } = spawnSync('strace', [...inject, process.execPath, ...indexArgs], command(state))
        if (status !== 0) fired += 1
        index(state)
        expect(contents(state), `killed at write ${point}`).toEqual(expected)
      }
      console.log(`index: ${fired} of ${points.length} kills fired`)
      expect(fired).toBeGreaterThan(0)
    },
    600_000,
  )

  test('at any time', async () => {
    const expected = whole()
    let fired = 0
    for (const afterMs of [60, 120, 160, 200, 240, 300]) {
      const state = newState()
      const child = spawn(process.execPath, indexArgs, { stdio: 'ignore', ...command(state) })
      const closed = new Promise((done) => child.once('close', done))
      await new Promise((done) => setTimeout(done, afterMs))
      child.kill('SIGKILL')
      await closed
      if (child.signalCode === 'SIGKILL') fired += 1
      index(state)
      expect(contents(state), `killed after ${afterMs} ms`).toEqual(expected)
    }
    console.log(`index: ${fired} of 6 kills came before the end`)
    expect(fired).toBeGreaterThan(0)
  })
})

test('four indexers at once: no error, no duplicate', async () => {
  const alone = newState()
  index(alone)
  for (let round = 0; round < 3; round++) {
    const state = newState()
    const children = Array.from({ length: 4 }, () => {
      const child = spawn(process.execPath, indexArgs, { stdio: ['ignore', 'ignore', 'pipe'], ...command(state) })
      let said = ''
      child.stderr.on('data', (data) => {
        said += data
      })
      return new Promise<{ code: number | null; said: string }>((done) =>
        child.once('close', (code) => done({ code, said })),
      )
    })
    expect(await Promise.all(children)).toEqual(Array(4).fill({ code: 0, said: '' }))
    expect(contents(state)).toEqual(contents(alone))
  }
})

test.skipIf(!canTrace)(`a full disk gives a sentence, and nothing is lost${without}`, () => {
  const state = newState()
  for (const error of ['ENOSPC', 'EIO', 'EACCES']) {
    const inject = ['-f', '-o', '/dev/null', '-e', 'trace=pwrite64', '-e', `inject=pwrite64:error=${error}:when=20+`]
    const { stderr } = spawnSync('strace', [...inject, process.execPath, ...indexArgs], {
      encoding: 'utf8',
      ...command(state),
    })
    expect(stderr, error).not.toMatch(/\n\s+at |This is a bug/)
    expect(stderr.trim(), error).not.toBe('')
  }
  const alone = newState()
  index(alone)
  index(state)
  expect(contents(state)).toEqual(contents(alone))
})
