import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Static } from '../core/schema.ts'
import { Library } from '../disk/library.ts'
import { log, root as newRoot } from '../testing/index.ts'
import { recap } from './recap.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-recap-'))
const none = { cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0, webSearches: 0 }
/** 1000 in and 100 out of claude-opus-5-5: 1000 × 4 + 100 × 20 millionths of a dollar. */
const SIX = { model: 'claude-opus-5-5', usage: { inputTokens: 1000, outputTokens: 100, ...none } }
const DAY_MS = 86_400_000

/** Begun on Monday, and gone on with on Tuesday. */
const long = log({ seed: 'long', cwd: '/home/ana/api', startedAt: '2026-03-02T09:00:00.000Z' })
  .user('on monday')
  .tool('Bash', { command: 'git commit -m "chore: monday"' }, { output: '[main 1111111] chore: monday' })
  .assistant('Monday is done.', SIX)
  .wait(DAY_MS)
  .user('on tuesday')
  .writeFile('/home/ana/api/a.ts', 'one\ntwo\n')
  .tool('Bash', { command: 'npm test' }, { output: 'no', isError: true })
  .tool('Bash', { command: 'git commit -am "fix: a"' }, { output: '[main 2222222] fix: a\n 1 file changed' })
  .todo([
    { content: 'done', status: 'completed', activeForm: 'doing' },
    { content: 'left', status: 'pending', activeForm: 'leaving' },
  ])
  .assistant('Tuesday is done.', SIX)
  .title('Long')
const other = log({ seed: 'other', cwd: '/home/ana/web', startedAt: '2026-03-02T20:00:00.000Z' })
  .user('hello')
  .assistant('Hello.', SIX)
  .title('Other')

beforeAll(() => newRoot().add(long, other).write(folder))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function recapOf(input: Static<typeof recap.input>) {
  const library = new Library({ roots: [folder] })
  const now = new Date('2026-03-03T12:00:00Z')
  const context = { library, now, cwd: '/', home: '/', currentSession: undefined, warn: () => {}, progress: () => {} }
  const result = await recap.run(context, { timezone: 'UTC', ...input })
  library.close()
  return result
}

test('only what happened within the period is told of a session', async () => {
  const today = await recapOf({})
  expect(today).toMatchObject({ from: '2026-03-03T00:00:00.000Z', to: '2026-03-04T00:00:00.000Z', timezone: 'UTC' })
  expect(today.projects.map(({ path }) => path)).toEqual(['/home/ana/api'])
  const [session] = today.projects[0]?.sessions ?? []
  expect(session).toMatchObject({
    title: 'Long',
    turns: 1,
    files: [{ path: '/home/ana/api/a.ts', added: 2, removed: 0 }],
    commits: [{ hash: '2222222', branch: 'main', message: 'fix: a' }],
    failures: 1,
    openTodos: 1,
    lastAnswer: 'Tuesday is done.',
  })
  expect(session?.startedAt?.startsWith('2026-03-03T09:')).toBe(true)
  // Far from the day that passed in between.
  expect(session?.activeMs).toBeLessThan(10 * 60_000)
  expect(session?.activeMs).toBeGreaterThan(0)
})

test('days and weeks have names, and projects come in the order of their last work', async () => {
  const monday = await recapOf({ period: ['yesterday'] })
  expect(monday.projects.map(({ path }) => path)).toEqual(['/home/ana/web', '/home/ana/api'])
  expect(monday.projects[1]?.sessions[0]).toMatchObject({
    turns: 1,
    files: [],
    commits: [{ hash: '1111111' }],
    failures: 0,
    lastAnswer: 'Monday is done.',
  })
  const week = await recapOf({ period: ['this', 'week'] })
  expect(week.total).toMatchObject({ sessions: 2, turns: 3, files: 1, commits: 2, failures: 1 })
  const one = await recapOf({ period: ['week'], project: '/home/ana/web' })
  // One response of $0.006.
  expect(one.total.costUsd).toBeCloseTo(0.006, 10)
})

test('a day begins where the calendar says', async () => {
  // 20:00 in London is 05:00 on Tuesday in Tokyo.
  const tokyo = await recapOf({ timezone: 'Asia/Tokyo' })
  expect(tokyo.from).toBe('2026-03-02T15:00:00.000Z')
  expect(tokyo.projects.flatMap(({ sessions }) => sessions.map(({ title }) => title)).sort()).toEqual(['Long', 'Other'])
})

test('what is no period is refused', async () => {
  await expect(recapOf({ period: ['2026-13-45'] })).rejects.toThrow('"2026-13-45" is not a time.')
})
