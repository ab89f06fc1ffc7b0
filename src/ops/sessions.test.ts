import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Static } from '../core/schema.ts'
import { Library } from '../disk/library.ts'
import { log, root as newRoot } from '../testing/index.ts'
import { sessions } from './sessions.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-sessions-op-'))
const none = { cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0, webSearches: 0 }
/** 1000 in and 100 out of claude-opus-5-5: 1000 × 4 + 100 × 20 millionths of a dollar. */
const SIX = { model: 'claude-opus-5-5', usage: { inputTokens: 1000, outputTokens: 100, ...none } }
const begun = (seed: string, day: number, options = {}) =>
  log({ seed, startedAt: `2026-03-0${day}T09:00:00.000Z`, ...options })

const moved = begun('moved', 1)
  .user('one')
  .assistant('first', SIX)
  .cd('/home/ana/api', 'topic')
  .user('two')
  .assistant('second', SIX)
  .title('Moved')
const failed = begun('failed', 2)
  .user('run it')
  .tool('Bash', { command: 'false' }, { output: 'no', isError: true })
  .assistant('It failed.', SIX)
  .title('Failed')
const seen = begun('seen', 3).image('look').assistant('A picture.', SIX).title('Seen')
const asked = begun('asked', 4).user('hello').title('Asked')
const planned = begun('planned', 5)
  .user('plan it')
  .plan('# A plan', { approved: true })
  .subagent({ description: 'Look', prompt: 'Look around', type: 'Explore', result: 'Done.' })
  .compact()
  .user('go on')
  .assistant('On it.', SIX)
  .title('Planned')

beforeAll(() => newRoot().add(moved, failed, seen, asked, planned).write(folder))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function list(input: Static<typeof sessions.input> = {}) {
  const library = new Library({ roots: [folder] })
  const now = new Date('2026-03-08T12:00:00Z')
  const context = { library, now, cwd: '/', home: '/', currentSession: undefined, warn: () => {}, progress: () => {} }
  const result = await sessions.run(context, input)
  library.close()
  return result
}
const titles = async (input: Static<typeof sessions.input>) => (await list(input)).items.map(({ title }) => title)

test('a session is found by any git branch it was on', async () => {
  expect(await titles({ 'git-branch': 'topic' })).toEqual(['Moved'])
  expect(await titles({ 'git-branch': 'main' })).toContain('Moved')
  expect((await list()).items.find(({ title }) => title === 'Moved')).toMatchObject({
    gitBranch: 'topic',
    gitBranches: ['main', 'topic'],
  })
})

test.each([
  ['error', ['Failed']],
  ['image', ['Seen']],
  ['plan', ['Planned']],
  ['agent', ['Planned']],
  ['compaction', ['Planned']],
] as const)('--has %s', async (feature, expected) => {
  expect(await titles({ has: [feature] })).toEqual(expected)
})

test('several features mean all of them', async () => {
  expect(await titles({ has: ['plan', 'agent'] })).toEqual(['Planned'])
  expect(await titles({ has: ['plan', 'error'] })).toEqual([])
})

test('trivial ones are counted, never hidden by themselves, and left out where that is asked', async () => {
  const all = await list()
  expect(all).toMatchObject({ total: 5, trivial: 2, hidden: {} })
  expect(await titles({ trivial: true })).toEqual(['Asked', 'Seen'])
  const rest = await list({ 'no-trivial': true })
  expect(rest).toMatchObject({ total: 3, trivial: 0, hidden: { trivial: 2 } })
})

test('by what they cost', async () => {
  expect((await titles({ sort: 'cost' }))[0]).toBe('Planned')
  // Two responses of $0.006.
  expect(await titles({ 'min-cost': 0.0119, sort: 'time' })).toEqual(['Planned', 'Moved'])
})
