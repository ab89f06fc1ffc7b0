import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLibrary } from '../../history/compose.ts'
import { log, root as newRoot } from '../../testing/index.ts'
import { type Answers, createAnswers, newestPage } from './answers.ts'
import type { Listed } from './model.ts'
import { openEnded } from './search-sessions.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-picker-'))
const api = join(folder, 'api')
const root = join(folder, 'root')
const id = (number: number) => `aaaaaaaa-0000-4000-8000-00000000000${number}`

beforeAll(() => {
  mkdirSync(join(api, '.git'), { recursive: true })
  newRoot()
    .add(
      log({ cwd: api, sessionId: id(1), startedAt: '2026-03-01T09:00:00.000Z' })
        .user('the first question')
        .assistant('the quagga answer')
        .user('the second question')
        .assistant('an abandoned okapi answer')
        .rewind({ to: 2 })
        .user('another second question')
        .edit(join(api, 'src/a.ts'), { before: 'a', after: 'numbat' })
        .assistant('the last answer')
        .subagent({ type: 'Explore', description: 'look', prompt: 'find the bongo', result: 'found' }),
      log({ cwd: '/home/ana/web', sessionId: id(2), startedAt: '2026-03-02T09:00:00.000Z' })
        .user('b')
        .assistant('capybara'),
    )
    .file(
      'projects/-home-ana-web/sessions-index.json',
      `{"version":1,"entries":[{"sessionId":"${id(3)}","summary":"Swept","modified":"2026-01-01T00:00:00.000Z"}]}`,
    )
    .write(root)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function contextAt(cwd: string) {
  return {
    library: openLibrary([root], () => {}),
    now: new Date('2026-03-03T00:00:00Z'),
    cwd,
    home: '/home/ana',
    cacheDir: join(folder, 'cache'),
    currentSession: undefined,
    warn: () => {},
    progress: () => {},
  }
}

describe('the list', () => {
  test('has all conversations newest first, and those that are gone', async () => {
    const listed = await createAnswers(contextAt(api)).list(null)
    expect(listed.map((session) => [session.id, session.isHere, session.kind])).toEqual([
      [id(2), false, 'conversation'],
      [id(1), true, 'conversation'],
      [id(3), false, 'gone'],
    ])
  })

  test('begins with a page of this place, else of all places', async () => {
    await createAnswers(contextAt(api)).list(null)
    expect((await newestPage(contextAt(api), 10)).map((session) => session.id)).toEqual([id(1)])
    expect((await newestPage(contextAt('/home/ana/elsewhere'), 1)).map((session) => session.id)).toEqual([id(2)])
  })
})

describe('a search', () => {
  test('takes the last word for the beginning of one', async () => {
    const answers = createAnswers(contextAt(api))
    expect(answers.index(null)).toBe(0)
    const found = await answers.search({ query: 'the quag', scope: 'all' })
    expect(found).toMatchObject({ query: 'the quag', scope: 'all', total: 1, behindBytes: 0 })
    expect(await answers.search({ query: 'capyb', scope: 'here' })).toMatchObject({ total: 0 })
    expect(await answers.search({ query: 'capyb', scope: 'all' })).toMatchObject({ total: 1 })
  })

  test('is narrowed by words that filter, as by the flags of that name', async () => {
    const answers = createAnswers(contextAt(api))
    const fitting = async (query: string) => [...((await answers.search({ query, scope: 'all' })).fitting ?? [])].sort()
    expect(await fitting('project:we')).toEqual([id(2)])
    expect(await fitting('project:/home/ana/web')).toEqual([id(2), id(3)])
    expect(await fitting(`project:${api}`)).toEqual([id(1)])
    expect(await fitting('since:2026-03-02')).toEqual([id(2)])
    expect(await fitting('until:2026-03-01 since:2026-02-01')).toEqual([id(1)])
    expect(await fitting('cost:>1000')).toEqual([])
    expect(await fitting('has:agent')).toEqual([id(1)])
    expect(await fitting('cost:>=0')).toEqual([id(1), id(2)])
    expect(await answers.search({ query: 'role:assistant quagga', scope: 'all' })).toMatchObject({ total: 1 })
    expect(await answers.search({ query: 'role:user quagga', scope: 'all' })).toMatchObject({ total: 0 })
  })

  test.each([
    ['since:yesteryear', /"yesteryear" is not a (time|period)/],
    ['has:fun', /^has: takes one of /],
    ['cost:much', /^cost: takes an amount, such as cost:>5/],
    ['tool:Bash', /^tool: filters what a search finds\. Type a word too\.$/],
  ])('for %j says what is wrong with it', async (query, problem) => {
    const { problem: told } = await createAnswers(contextAt(api)).search({ query, scope: 'all' })
    expect(told).toMatch(problem)
  })

  test('for nothing finds nothing', async () => {
    expect(await createAnswers(contextAt(api)).search({ query: '"', scope: 'all' })).toMatchObject({
      hits: [],
      total: 0,
    })
  })

  test.each([
    ['refr', 'refr*'],
    ['a', 'a'],
    ['two wor', 'two wor*'],
    ['done ', 'done '],
    ['"a phra', '"a phra'],
    ['"a phrase" wor', '"a phrase" wor*'],
    ['not -thi', 'not -thi'],
    ['this OR', 'this OR'],
    ['word*', 'word*'],
  ])('for %j looks for %j', (typed, sought) => expect(openEnded(typed)).toBe(sought))
})

test('the index is brought up to date', () => {
  expect(createAnswers(contextAt(api)).index(null)).toBe(0)
})

describe('details', () => {
  test('tell how a session began and ended', async () => {
    const answers: Answers = createAnswers(contextAt(api))
    const file = ((await answers.list(null)).find((session) => session.id === id(1)) as Listed).file as string
    expect(answers.details({ file })).toEqual({ firstPrompt: 'the first question', lastAnswer: 'the last answer' })
  })

  test('are none of a log that is not there', async () => {
    expect(createAnswers(contextAt(api)).details({ file: '/nowhere.jsonl' })).toBeNull()
    expect(await createAnswers(contextAt(api)).price({ file: '/nowhere.jsonl' })).toBeNull()
  })
})
