import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseQuery } from '../../core/search/query.ts'
import { Library } from '../../disk/library.ts'
import type { RawSought } from '../../index/search/raw-search.ts'
import type { SearchFilter } from '../../index/search/searched-logs.ts'
import { log, root as newRoot } from '../../testing/index.ts'
import { History } from '../history.ts'
import { searchHistory } from './search.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-history-search-'))
const root = join(folder, 'root')
const first = log({ cwd: '/home/ana/api', seed: 'first', startedAt: '2026-11-01T10:00:00.000Z' })
let states = 0

beforeAll(() => {
  first
    .user('where do zebrafish live')
    .tool('Bash', { command: 'grep zebrafish notes' }, { output: 'zebrafish: in rivers' })
    .tool('Read', { file_path: '/home/ana/api/zebrafish.md' }, { output: 'Zebrafish are small.' })
    .assistant('Zebrafish live in slow waters; naïve ones in tanks.')
  const second = log({ cwd: '/home/ana/web', seed: 'second', startedAt: '2026-11-02T10:00:00.000Z' })
  second.user('a zebra and a fish').assistant('No zebrafish then: drawZebrafish(2)')
  newRoot().add(first, first.forked().user('zebrafish again'), second).write(root)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A history over the root: its index is kept in a folder of its own, or there is none. */
function openHistory(isKept: boolean, cacheDir = join(folder, `state-${states++}`)) {
  const library = new Library({ roots: [root] })
  const history = new History({ library, ...(isKept && { cacheDir }), warn: ({ message }) => expect.fail(message) })
  const find = async (sought: RawSought, filter: SearchFilter = {}, isIndexing = false) =>
    searchHistory(history, { sought, filter, sort: 'time', limit: 50, isIndexing, progress: () => {} })
  const close = () => {
    history.close()
    library.close()
  }
  return { history, find, close }
}

const words = (text: string) => ({ query: parseQuery(text) })

/** What does not depend on how it was found. */
function shape({ hits, total, isMore, sessions }: Awaited<ReturnType<typeof searchHistory>>) {
  return {
    hits: hits.map(({ log, offset, line, role, kind, uuid, snippet }) => [
      log.path,
      offset,
      line,
      role,
      kind,
      uuid,
      snippet,
    ]),
    total,
    isMore,
    sessions,
  }
}

const FILTERS: readonly SearchFilter[] = [
  {},
  { tool: 'Bash' },
  { file: 'zebrafish.md' },
  { role: 'user' },
  { kind: 'tool-result' },
  { error: true },
  { session: first.sessionId.slice(0, 8) },
  { inProject: ({ path }) => path === '/home/ana/web' },
  { sinceMs: Date.parse('2026-11-02T00:00:00Z') },
  { untilMs: Date.parse('2026-11-02T00:00:00Z'), role: 'tool' },
  { model: 'claude' },
]

describe('the same is found with an index, without one, and while it is behind', () => {
  test.each(['zebrafish', '"zebrafish live"', 'zebra*', 'zebrafish -rivers', 'naive OR tanks', 'draw 2'])(
    '%s',
    async (text) => {
      const [kept, none, behind] = [openHistory(true), openHistory(false), openHistory(true)]
      for (const filter of FILTERS) {
        const expected = shape(await kept.find(words(text), filter))
        expect(shape(await none.find(words(text), filter))).toEqual(expected)
        expect(shape(await behind.find(words(text), filter, true))).toEqual(expected)
      }
      for (const one of [kept, none, behind]) one.close()
    },
  )

  test('there is something to be found', async () => {
    const one = openHistory(true)
    expect((await one.find(words('zebrafish'))).total).toBe(8)
    one.close()
  })
})

describe('words, texts and patterns are filtered alike', () => {
  test.each([true, false])('an answer has the tool of its call, index kept: %s', async (isKept) => {
    const one = openHistory(isKept)
    for (const sought of [words('zebrafish'), { exact: 'zebrafish' }, { regex: 'zebra[f]ish' }]) {
      const { hits, total } = await one.find(sought, { tool: 'Bash' })
      expect(hits.map(({ kind }) => kind).sort()).toEqual(['tool', 'tool-result'])
      expect(total).toBe(2)
    }
    one.close()
  })

  test('every filter', async () => {
    const one = openHistory(true)
    for (const filter of FILTERS) {
      const found = await Promise.all([
        one.find(words('zebrafish'), filter),
        one.find({ regex: '(?i)zebra[f]ish' }, filter),
      ])
      expect(found[1].hits.map(({ uuid }) => uuid)).toEqual(found[0].hits.map(({ uuid }) => uuid))
    }
    one.close()
  })
})

test('what the index does not know yet is looked through, and said to be unknown', async () => {
  const one = openHistory(true)
  const before = await one.find(words('zebrafish'))
  expect(before).toMatchObject({ isComplete: true, behindBytes: 0 })
  const row = { type: 'user', uuid: '00000000-0000-4000-8000-00000000000f', message: { content: 'a late zebrafish' } }
  const path = one.history.library.logs().find((entry) => entry.path.includes(first.sessionId))?.path as string
  const line = `${JSON.stringify({ ...row, timestamp: '2026-11-03T10:00:00.000Z' })}\n`
  appendFileSync(path, line)
  one.history.library.refresh()
  const behind = await one.find(words('zebrafish'), {}, true)
  expect(behind).toMatchObject({ total: before.total + 1, isComplete: false, behindBytes: line.length })
  expect(behind.hits[0]).toMatchObject({ snippet: 'a late zebrafish' })
  // One who waits for it has it in the index.
  const after = await one.find(words('zebrafish'))
  expect(after).toMatchObject({ total: before.total + 1, isComplete: true, behindBytes: 0 })
  expect(shape(after)).toEqual(shape(behind))
  one.close()
})

test('a log that has vanished is still found, without its text, until the index is begun anew', async () => {
  const state = join(folder, 'gone-state')
  log({ cwd: '/home/ana/gone', seed: 'gone' }).user('a vanishing axolotl').write(root)
  const one = openHistory(true, state)
  expect((await one.find(words('axolotl'))).hits).toMatchObject([{ snippet: 'a vanishing axolotl' }])
  rmSync(join(root, 'projects/-home-ana-gone'), { recursive: true })
  one.history.library.refresh()
  const { hits, sessions } = await one.find(words('axolotl'))
  expect(hits).toMatchObject([{ snippet: null, uuid: null, log: { state: 'lost' } }])
  expect(sessions).toMatchObject([{ count: 1 }])
  expect(one.history.index?.rebuild()).toEqual({ forgotten: 1 })
  expect((await one.find(words('axolotl'))).total).toBe(0)
  one.close()
})
