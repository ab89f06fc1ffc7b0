import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { log } from '../src/testing/index.ts'
import { annals, temporaryFolder } from './cli/annals.ts'

const folder = temporaryFolder()
const root = join(folder.path, 'root')
const hidden = join(folder.path, 'hidden.cjs')
const made = log({ cwd: '/home/ana/api' }).user('hello').assistant('hi')
const file = join(root, 'projects/-home-ana-api', `${made.sessionId}.jsonl`)

beforeAll(() => {
  made.write(root)
  const load = "const load = require('node:module')._load"
  const hide = "if (/sqlite/.test(name)) throw new Error('hidden')"
  writeFileSync(
    hidden,
    `${load}\nrequire('node:module')._load = function (name, ...rest) { ${hide}; return load.call(this, name, ...rest) }`,
  )
})
afterAll(folder.remove)

const run = (...args: readonly string[]) =>
  annals([...args, '--root', root], { env: { NODE_OPTIONS: `--require=${hidden}`, ANNALS_HOME: folder.path } })

test.each(['check', 'tree', 'context'])('without SQLite, %s of one file works', (command) => {
  const { code, stderr } = run(command, file, '--json')
  expect([code, stderr]).toEqual([0, ''])
})

test.each([['sessions'], ['usage'], ['search', 'hello'], ['index'], ['sessions', '--no-index'], ['show', file]])(
  'without SQLite, %s says that there is none',
  (...args) => {
    const { code, stderr, stdout } = run(...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^There is no SQLite for this Node\.\n {2}Reinstall annals/)
  },
)

test('without SQLite, doctor names it among the troubles', () => {
  const { code, stdout } = run('doctor')
  expect(code).toBe(1)
  expect(stdout).toContain('There is no SQLite for this Node.')
})
