import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { log, root as newRoot } from '../testing/index.ts'
import type { SearchFilter } from './search.ts'
import { Store } from './store.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-search-'))
const store = new Store({ roots: [join(folder, 'root')], folder: undefined })
const api = log({ cwd: '/home/ana/api', gitBranch: 'fix', seed: 'api', startedAt: '2026-11-01T10:00:00.000Z' })

beforeAll(() => {
  api
    .user('where is the walnut kept')
    .assistant('The walnut is in the pantry.', { model: 'claude-opus-5-5' })
    .tool('Bash', { command: 'ls walnut' }, { output: 'walnut: no such file', isError: true })
    .readFile('/home/ana/api/src/walnut.ts', 'export const walnut = 1')
    .subagent({
      description: 'Look',
      prompt: 'look for the walnut',
      result: 'found the walnut',
      steps: (b) => b.assistant('a walnut'),
    })
  const web = log({ cwd: '/home/ana/web', gitBranch: 'main', seed: 'web', startedAt: '2026-11-10T10:00:00.000Z' })
  web.user('no nuts here but one walnut').assistant('Right.')
  newRoot().add(api, api.forked().user('another question').assistant('fine'), web).write(join(folder, 'root'))
  store.update()
})
afterAll(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const find = (filter: SearchFilter = {}, match = '"walnut"', limit = 50) =>
  store.search(match, filter, { sort: 'time', limit })

test('copies of one message in a fork are one hit', () => {
  const { found, total } = find({ kind: 'prompt', role: 'user' }, '"kept"')
  expect(total).toBe(1)
  expect(found).toHaveLength(1)
})

test('newest first', () => {
  const times = find().found.map((hit) => hit.timeMs ?? 0)
  expect(times).toEqual(times.toSorted((a, b) => b - a))
  expect(find().found[0]?.cwd).toBe('/home/ana/web')
})

test('the limit limits, the total does not', () => {
  expect(find({}, '"walnut"', 2).found).toHaveLength(2)
  expect(find({}, '"walnut"', 2).total).toBe(find().total)
})

describe('filters', () => {
  test('by project', () => {
    const { found } = find({ inProject: ({ path }) => path === '/home/ana/web' })
    expect(found.map((hit) => hit.project)).toEqual(['-home-ana-web'])
    expect(find({ inProject: () => false }).total).toBe(0)
  })
  test('by time', () => {
    expect(find({ sinceMs: Date.parse('2026-11-05') }).total).toBe(1)
    expect(find({ untilMs: Date.parse('2026-11-05') }).found.every((hit) => hit.cwd === '/home/ana/api')).toBe(true)
  })
  test('by role and kind', () => {
    expect(find({ role: 'assistant', kind: 'text' }, '"pantry"').total).toBe(1)
    expect(find({ role: 'user' }, '"pantry"').total).toBe(0)
  })
  test('by tool: the call and its answer', () => {
    expect(
      find({ tool: 'Bash' })
        .found.map((hit) => hit.kind)
        .sort(),
    ).toEqual(['tool', 'tool-result'])
    expect(find({ tool: 'Nothing' }).total).toBe(0)
  })
  test('by what failed', () => expect(find({ error: true }).found.map((hit) => hit.kind)).toEqual(['tool-result']))
  test('by model', () => expect(find({ model: 'opus' }, '"pantry"').total).toBe(1))
  test('by git branch', () => expect(find({ gitBranch: 'main' }).total).toBe(1))
  test('by agent', () => {
    const [one] = find({}, '"look"').found.filter((hit) => hit.agent !== null)
    expect(find({ agent: one?.agent ?? '-' }).total).toBeGreaterThan(0)
    expect(find({ agent: 'zzz' }).total).toBe(0)
  })
  test('by file', () => expect(find({ file: 'src/walnut.ts' }).total).toBeGreaterThan(0))
  test('by session', () => expect(find({ session: api.sessionId.slice(0, 8) }).total).toBeGreaterThan(0))
  test('hostile values are values', () => {
    for (const evil of ["'; drop table doc; --", '%', '_', '" or 1=1', '\0']) {
      expect(find({ role: evil, tool: evil, model: evil, gitBranch: evil, file: evil, session: evil }).total).toBe(0)
    }
    expect(find().total).toBeGreaterThan(0)
  })
})

test('roots are kept apart, and none is taken for gone because another is asked for', () => {
  const state = join(folder, 'state')
  const other = join(folder, 'other')
  log({ seed: 'other' }).user('a lone walnut').assistant('yes').write(other)
  const count = (root: string) => {
    const one = new Store({ roots: [root], folder: state })
    one.update()
    const { found, total } = one.search('"walnut"', {}, { sort: 'time', limit: 50 })
    one.close()
    return { total, gone: found.filter((hit) => hit.isGone).length }
  }
  const first = count(join(folder, 'root'))
  expect(count(other)).toEqual({ total: 1, gone: 0 })
  expect(count(join(folder, 'root'))).toEqual(first)
})
