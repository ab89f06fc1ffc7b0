import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { diskSource } from '../../disk/disk-source.ts'
import { log, root as newRoot } from '../../testing/index.ts'
import { ingestFacts } from '../ingest.ts'
import { ingestTexts } from '../ingest-text.ts'
import { openIndex } from '../open.ts'
import { MOST_COUNTED } from './matching-docs.ts'
import { searchDocs } from './search.ts'
import type { SearchFilter } from './searched-logs.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-search-'))
const root = join(folder, 'root')
const { database } = openIndex(undefined, [root])
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
  newRoot().add(api, api.forked().user('another question').assistant('fine'), web).write(root)
  ingestFacts(database, diskSource([root]))
  ingestTexts(database, diskSource([root]))
})
afterAll(() => {
  database.close()
  rmSync(folder, { recursive: true, force: true })
})

const find = (filter: SearchFilter = {}, match = '"walnut"', limit = 50) =>
  searchDocs(database, { match }, filter, { sort: 'time', limit })

test('copies of one message in a fork are one hit', () => {
  const { found, total } = find({ kind: 'prompt', role: 'user' }, '"kept"')
  expect(total).toBe(1)
  expect(found).toHaveLength(1)
})

test('copies are shown in the log that made them, unless only the copy is searched', () => {
  const fork = database.prepare('select session from log where agent is null and session <> ? and project = ?')
  const copy = fork.get(api.sessionId, '-home-ana-api')?.session as string
  const where = (filter: SearchFilter, match: string) =>
    [
      ...find(filter, match).found,
      ...searchDocs(database, { match }, filter, { sort: 'relevance', limit: 9 }).found,
    ].map(({ log }) => log.session)
  for (const match of ['"kept"', '"pantry"', '"such"']) expect(where({}, match)).toEqual([api.sessionId, api.sessionId])
  expect(where({ session: copy }, '"kept"')).toEqual([copy, copy])
  expect(where({}, '"another"')).toEqual([copy, copy])
})

test('the newest hit of a session is the latest by time, whatever its place in the log', () => {
  const late = { timestamp: '2026-12-01T00:00:00.000Z', message: { role: 'user', content: 'quince late' } }
  const early = { timestamp: '2026-11-01T00:00:00.000Z', message: { role: 'user', content: 'quince early' } }
  const rows = [late, early].map((row, i) => ({
    type: 'user',
    uuid: `00000000-0000-4000-8000-00000000000${i}`,
    ...row,
  }))
  const dir = join(folder, 'unordered', 'projects', '-q')
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'q.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const { database: other } = openIndex(undefined, [join(folder, 'unordered')])
  ingestFacts(other, diskSource([join(folder, 'unordered')]))
  ingestTexts(other, diskSource([join(folder, 'unordered')]))
  const { sessions } = searchDocs(other, { match: '"quince"' }, {}, { sort: 'time', limit: 5 })
  expect(sessions.map(({ newestMs }) => newestMs)).toEqual([Date.parse(late.timestamp)])
  other.close()
})

test('newest first', () => {
  const times = find().found.map((hit) => hit.timeMs ?? 0)
  expect(times).toEqual(times.toSorted((a, b) => b - a))
  expect(find().found[0]?.log.project.path).toBe('/home/ana/web')
})

test('the limit limits, the total does not', () => {
  expect(find({}, '"walnut"', 2).found).toHaveLength(2)
  expect(find({}, '"walnut"', 2).total).toBe(find().total)
})

describe('filters', () => {
  test('by project', () => {
    const { found } = find({ inProject: ({ path }) => path === '/home/ana/web' })
    expect(found.map((hit) => hit.log.project.key)).toEqual(['-home-ana-web'])
    expect(find({ inProject: () => false }).total).toBe(0)
  })
  test('by time', () => {
    expect(find({ sinceMs: Date.parse('2026-11-05') }).total).toBe(1)
    expect(
      find({ untilMs: Date.parse('2026-11-05') }).found.every((hit) => hit.log.project.path === '/home/ana/api'),
    ).toBe(true)
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
    const [one] = find({}, '"look"').found.filter((hit) => hit.log.agent !== null)
    expect(find({ agent: one?.log.agent ?? '-' }).total).toBeGreaterThan(0)
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

describe('sessions with a hit', () => {
  test('are all there, with how many each has and when the newest was', () => {
    const { sessions } = find({}, '"walnut"', 1)
    expect(sessions.map(({ project }) => project.path)).toEqual(['/home/ana/web', '/home/ana/api', '/home/ana/api'])
    expect(sessions[0]).toMatchObject({ count: 1, newestMs: find().found[0]?.timeMs })
    expect(sessions.find(({ session }) => session === api.sessionId)?.count).toBeGreaterThan(6)
  })

  test('are counted by the same filters', () => {
    expect(find({ tool: 'Bash', session: api.sessionId }).sessions).toMatchObject([
      { session: api.sessionId, count: 2 },
    ])
    expect(find({ agent: 'zzz' }).sessions).toEqual([])
  })
})

describe('the newest are found whatever their session and place in it', () => {
  const mixed = join(folder, 'mixed')
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 1, 10, minute)).toISOString()
  const row = (session: string, minute: number) => ({
    type: 'user',
    uuid: `${session}-0000-4000-8000-${String(minute).padStart(12, '0')}`,
    timestamp: at(minute),
    message: { role: 'user', content: `pecan ${minute}` },
  })
  // Times of both sessions interleave, and those of the first are not even in order.
  const minutes = { aaaaaaaa: [9, 1, 3, 7, 5], bbbbbbbb: [2, 4, 6, 8] }

  beforeAll(() => {
    mkdirSync(join(mixed, 'projects/-p'), { recursive: true })
    for (const [session, own] of Object.entries(minutes)) {
      const lines = own.map((minute) => `${JSON.stringify(row(session, minute))}\n`)
      writeFileSync(join(mixed, `projects/-p/${session}-0000-4000-8000-000000000000.jsonl`), lines.join(''))
    }
  })

  test.each([1, 3, 9, 20])('%i of them', (limit) => {
    const { database } = openIndex(undefined, [mixed])
    ingestFacts(database, diskSource([mixed]))
    ingestTexts(database, diskSource([mixed]))
    const { found, total, isMore } = searchDocs(database, { match: '"pecan"' }, {}, { sort: 'time', limit })
    expect(found.map(({ timeMs }) => (timeMs ?? 0) - Date.parse(at(0)))).toEqual(
      [9, 8, 7, 6, 5, 4, 3, 2, 1].slice(0, limit).map((minute) => minute * 60_000),
    )
    expect({ total, isMore }).toEqual({ total: 9, isMore: false })
    database.close()
  })
})

test('more hits than are counted are said to be more', () => {
  const many = join(folder, 'many')
  mkdirSync(join(many, 'projects/-p'), { recursive: true })
  const line = (n: number) =>
    `${JSON.stringify({ type: 'user', uuid: `u${n}`, message: { role: 'user', content: n === 0 ? 'hazel almond' : 'hazel' } })}\n`
  const lines = Array.from({ length: MOST_COUNTED + 1 }, (_, n) => line(n))
  writeFileSync(join(many, 'projects/-p/cccccccc-0000-4000-8000-000000000000.jsonl'), lines.join(''))
  const { database } = openIndex(undefined, [many])
  ingestFacts(database, diskSource([many]))
  ingestTexts(database, diskSource([many]))
  const count = (match: string) => {
    const { total, isMore, sessions } = searchDocs(database, { match }, {}, { sort: 'time', limit: 5 })
    return { total, isMore, inSession: sessions[0]?.count }
  }
  expect(count('"hazel"')).toEqual({ total: MOST_COUNTED, isMore: true, inSession: MOST_COUNTED + 1 })
  expect(count('"hazel" NOT "almond"')).toEqual({ total: MOST_COUNTED, isMore: false, inSession: MOST_COUNTED })
  database.close()
})
