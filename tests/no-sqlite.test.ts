import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { log } from '../src/testing/index.ts'
import { annals, temporaryFolder } from './cli/annals.ts'

const folder = temporaryFolder()
const root = join(folder.path, 'root')
const hidden = join(folder.path, 'hidden.cjs')
const made = log({ cwd: '/home/ana/api' })
  .user('hello')
  .edit('/home/ana/api/a.ts', { before: 'a', after: 'b' })
  .subagent({ type: 'Explore', description: 'look', prompt: 'look around', result: 'nothing here' })
  .todo(['write it down'])
  .assistant('hi')
  .title('Say hello')
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

test.each([
  ['check', file],
  ['tree', file],
  ['context', file],
  ['show', file],
  ['tail', file],
  ['outline', file],
  ['read', file],
  ['find', file, 'hello'],
  ['files', '--session', file],
  ['todos', file],
  ['export', file, '--to', 'md', '--out', '-'],
  ['export', file, '--to', 'json', '--out', '-'],
  ['receipt', file],
])('without SQLite, %s of one file works', (...args) => {
  const { code, stderr, stdout } = run(...args)
  expect(code).toBe(0)
  expect(stdout).not.toBe('')
  // Piped, what is said about the data goes to stderr; no trouble does.
  expect(stderr).not.toMatch(/SQLite|No Claude Code|bug in annals/)
})

test('without SQLite, one file tells of its session what the index would', () => {
  const told = (ran: ReturnType<typeof annals>) => JSON.parse(ran.stdout)
  const alone = told(run('show', file, '--json'))
  const known = told(
    annals(['show', file, '--json', '--root', root], { env: { ANNALS_HOME: join(folder.path, 'with') } }),
  )
  expect(alone).toEqual(known)
  expect(alone.session).toMatchObject({ title: 'Say hello', counts: { prompts: 1 }, agents: [{ type: 'Explore' }] })
  expect(alone.session.costUsd).toBeGreaterThan(0)
})

test('without SQLite, one file explains its cost as the index would', () => {
  const alone = JSON.parse(run('receipt', file, '--json').stdout)
  const known = annals(['receipt', file, '--json', '--root', root], { env: { ANNALS_HOME: join(folder.path, 'with') } })
  expect(alone).toEqual(JSON.parse(known.stdout))
  expect(alone).toMatchObject({ kind: 'session', title: 'Say hello' })
  expect(alone.sessions[0].turns[0]).toMatchObject({ turn: '1', asked: 'hello' })
  expect(alone.items.length).toBeGreaterThan(1)
  expect(alone.items[0].rows[0]).toMatchObject({ file, counted: true })
})

test.each([
  ['sessions'],
  ['usage'],
  ['search', 'hello'],
  ['index'],
  ['sessions', '--no-index'],
  ['receipt', 'yesterday'],
])('without SQLite, %s says that there is none', (...args) => {
  const { code, stderr, stdout } = run(...args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^There is no SQLite for this Node\.\n {2}Reinstall annals/)
})

test('without SQLite, doctor names it among the troubles', () => {
  const { code, stdout } = run('doctor')
  expect(code).toBe(1)
  expect(stdout).toContain('There is no SQLite for this Node.')
})
