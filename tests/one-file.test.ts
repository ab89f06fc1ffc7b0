import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { log } from '../src/testing/index.ts'
import { annals, temporaryFolder } from './cli/annals.ts'

const folder = temporaryFolder()
const file = join(folder.path, 'elsewhere', 'log.jsonl')
const made = log({ cwd: '/home/ana/api' }).user('hello').assistant('hi there')

beforeAll(() => {
  made.write(join(folder.path, 'root'))
  cpSync(join(folder.path, 'root/projects/-home-ana-api', `${made.sessionId}.jsonl`), file)
})
afterAll(folder.remove)

/** There is no root on this machine. */
const run = (...args: readonly string[]) =>
  annals([...args], { env: { HOME: folder.path, ANNALS_HOME: join(folder.path, 'state'), CLAUDE_CONFIG_DIR: '' } })

test.each([
  ['show', file],
  ['tail', file],
  ['outline', file],
  ['read', file],
  ['find', file, 'hello'],
  ['receipt', file],
  ['tree', file],
  ['context', file],
  ['path', '--session', file],
  ['export', file, '--to', 'md', '--out', '-'],
])('without any root, %s of a file works', (...args) => {
  const { code, stderr, stdout } = run(...args)
  // Piped, what to type next stands on stderr.
  expect(code).toBe(0)
  expect(stderr).not.toMatch(/No Claude Code folder|\n\s+at /)
  expect(stdout).not.toBe('')
})

test('without any root, lists say that there is none', () => {
  const { code, stderr } = run('sessions')
  expect(code).toBe(2)
  expect(stderr).toContain('No Claude Code folder at ')
})

test('a log outside of any root does not expire', () => {
  const told = (path: string, ...args: readonly string[]) =>
    JSON.parse(run('show', path, '--json', ...args).stdout).session
  expect(told(file).expiresAt).toBeNull()
  expect(told(made.sessionId, '--root', join(folder.path, 'root')).expiresAt).not.toBeNull()
})

test('path says that a folder is not there', () => {
  const root = join(folder.path, 'root')
  const { code, stdout, stderr } = run('path', '/no/where', '--root', root)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toContain('There is no folder /no/where, and there are no logs of it.')
  // That of the logs is gone, its logs are not.
  expect(run('path', '/home/ana/api', '--root', root).stdout.trim()).toBe(join(root, 'projects/-home-ana-api'))
})
