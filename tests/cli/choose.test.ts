import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { log, root as newRoot } from '../../src/testing/index.ts'
import { annals, temporaryFolder } from './annals.ts'
import { openTerminal } from './terminal.ts'

const folder = temporaryFolder()
const root = join(folder.path, 'root')
const env = { HOME: folder.path, ANNALS_HOME: join(folder.path, 'state') }
const id = (number: number) => `aaaaaaaa-0000-4000-8000-00000000000${number}`

beforeAll(() => {
  const agent = (task: string) => ({ type: 'Explore', description: task, prompt: task, result: 'ok' })
  newRoot()
    .add(
      log({ cwd: '/home/ana/api', sessionId: id(1), startedAt: '2026-03-01T09:00:00.000Z' })
        .user('first')
        .subagent(agent('Trace the callers'))
        .assistant('One answer.')
        .title('Fix the race'),
      log({ cwd: '/home/ana/web', sessionId: id(2), startedAt: '2026-03-02T09:00:00.000Z' })
        .user('second')
        .subagent(agent('Measure the photos'))
        .assistant('Another answer.')
        .title('Slow photos'),
    )
    .write(root)
})
afterAll(folder.remove)

test('agents that begin alike are told with task, session, project, day and cost', () => {
  const { code, stderr, stdout } = annals(['show', 'agent-a', '--root', root], { env })
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain('2 agents match "agent-a":\n')
  expect(stderr).toMatch(/\n +agent-\w+ +Measure the photos +Slow photos +web +2 Mar +\$\d/)
  expect(stderr).toMatch(/\n +agent-\w+ +Trace the callers +Fix the race +api +1 Mar +\$\d/)
  expect(stderr).toContain('Give more of the id.')
})

test.each([
  ['an agent', 'agent-a', /Which one\?/, 'Trace the callers'],
  ['a session', 'aaaaaaaa', /Which one\?/, 'One answer.'],
  ['a point', 'aaaaaaaa:1', /Which one\?/, 'One answer.'],
])('on a terminal one of several is chosen by its number: %s', async (_, name, question, shown) => {
  const terminal = openTerminal({
    args: ['show', name, '--no-pager', '--root', root],
    cwd: folder.path,
    env: { PATH: process.env.PATH ?? '', ...env },
  })
  try {
    await terminal.shows(question)
    terminal.type('2\r')
    await terminal.shows(shown)
    expect(await terminal.exit()).toBe(0)
  } finally {
    terminal.close()
  }
})

test('copies of one session, which have one id, are told by their paths', () => {
  const roots = ['one', 'two'].map((name) => join(folder.path, name))
  const copied = log({ cwd: '/home/ana/api', sessionId: id(1) })
    .user('first')
    .assistant('One answer.')
  for (const place of roots) newRoot().add(copied).write(place)
  const args = roots.flatMap((place) => ['--root', place])
  const { code, stderr } = annals(['show', 'aaaaaaaa', ...args], { env })
  expect(code).toBe(2)
  expect(stderr).toContain('They have the same id. Name the log: ')
  const [, named = ''] = / or (\S+\.jsonl)$/m.exec(stderr.replace(/\s+/g, ' ').trim()) ?? []
  expect(annals(['show', named, ...args], { env })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('One answer.'),
  })
})

test('agents --limit lists the newest, and says how many there are', () => {
  const { stdout, stderr } = annals(['agents', '--limit', '1', '--root', root], { env })
  expect(stdout.trimEnd().split('\n')).toEqual([expect.stringContaining('Measure the photos')])
  expect(stderr).toContain('1 of 2 agents')
})
