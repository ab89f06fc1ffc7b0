import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Static } from '../core/schema.ts'
import { Library } from '../disk/library.ts'
import { log } from '../testing/index.ts'
import { search } from './search.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-search-op-'))
const root = join(folder, 'root')
const made = log({ cwd: '/home/ana/api', seed: 'search' })

beforeAll(() => {
  made
    .user('Say "hello\\nworld" twice,\nthen stop: naïve 日本語テスト C:\\temp\\new')
    .assistant('He said "hello" and left.\nSecond line with getUserName().')
    .tool('Bash', { command: 'grep -n "a/b" file' }, { output: 'tab\there </script> 50% é' })
    .write(root)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function find(query: string, input: Partial<Static<typeof search.input>> = {}) {
  const library = new Library({ roots: [root] })
  const context = {
    library,
    now: new Date('2026-11-15T12:00:00Z'),
    cwd: '/',
    home: '/',
    currentSession: undefined,
    warn: ({ message }: { message: string }) => expect.fail(message),
    progress: () => {},
  }
  const result = await search.run(context, { query: [query], ...input })
  library.close()
  for (const { snippet, matches } of result.hits) {
    for (const [from, to] of matches) {
      expect(snippet?.slice(from, to)).not.toBe('')
      expect(to).toBeLessThanOrEqual(snippet?.length ?? 0)
    }
  }
  return result
}
const kinds = async (query: string, input = {}) => (await find(query, input)).hits.map((hit) => hit.kind).sort()

describe('words', () => {
  test.each([
    ['hello', ['prompt', 'text']],
    ['"said hello"', ['text']],
    ['hello -stop', ['text']],
    ['naive', ['prompt']],
    ['user name', ['text']],
    ['getUser*', ['text']],
    ['日本', ['prompt']],
    ['nothing OR stop', ['prompt']],
  ])('%s', async (query, expected) => expect(await kinds(query)).toEqual(expected))

  test('a query of nothing but negations is told', async () => {
    await expect(find('-x')).rejects.toThrow('nothing to search for')
  })
})

describe('--exact finds a text as it is read, however JSON wrote it', () => {
  test.each([
    ['said "hello" and', ['text']],
    ['left.\nSecond', ['text']],
    ['"hello\\nworld"', ['prompt']],
    ['C:\\temp\\new', ['prompt']],
    ['日本語テ', ['prompt']],
    ['tab\there </script> 50% é', ['tool-result']],
    ['"a/b"', ['tool']],
  ])('%j', async (query, expected) => expect(await kinds(query, { exact: true })).toEqual(expected))

  test.each(['Said', 'hello\nworld', '\\"hello', 'parentUuid', 'sessionId'])('%j is nowhere', async (query) => {
    expect((await find(query, { exact: true })).total).toBe(0)
  })
})

describe('--regex', () => {
  test.each([
    ['said "h\\w+"', ['text']],
    ['left\\.\\nSecond', ['text']],
    ['(?i)HELLO', ['prompt', 'text']],
    ['^Second', ['text']],
    ['\\p{Han}{3}', ['prompt']],
  ])('%s', async (query, expected) => expect(await kinds(query, { regex: true })).toEqual(expected))

  test('a pattern that would never end ends', async () => {
    expect((await find('(x+x+)+y', { regex: true })).total).toBe(0)
  })
  test('a bad pattern is told', async () => {
    await expect(find('(', { regex: true })).rejects.toThrow(/pattern/)
  })
})

test('a page that is not counted is the first hits, and whether there are more', async () => {
  expect(await find('hello', { uncounted: true })).toMatchObject({ total: 2, moreHits: false, sessions: 0, groups: [] })
  const { hits } = await find('hello', { limit: 1 })
  expect(await find('hello', { uncounted: true, limit: 1 })).toMatchObject({ hits, total: 1, moreHits: true })
  await expect(find('hello', { uncounted: true, 'per-session': 2 })).rejects.toThrow('cannot be used together')
})

test('filters hold for raw searches too', async () => {
  expect(await kinds('hello', { exact: true, role: 'assistant' })).toEqual(['text'])
  expect(await kinds('hello', { exact: true, since: '2030-01-01' })).toEqual([])
  expect(await kinds('hello', { exact: true, session: made.sessionId.slice(0, 6) })).toEqual(['prompt', 'text'])
})

describe('--context gives what stands around a hit in its log', () => {
  const texts = (around: readonly { readonly text: string }[] | undefined) => around?.map(({ text }) => text)

  test.each([{}, { exact: true }])('%o', async (input) => {
    const { hits } = await find('getUserName', { ...input, context: 2 })
    expect(hits).toHaveLength(1)
    expect(hits[0]?.before).toMatchObject([{ role: 'user', kind: 'prompt' }])
    expect(texts(hits[0]?.before)?.[0]).toMatch(/^Say "hello/)
    expect(hits[0]?.after).toMatchObject([
      { role: 'assistant', kind: 'tool' },
      { role: 'tool', kind: 'tool-result', text: 'tab\there </script> 50% é' },
    ])
    expect(hits[0]?.after?.every(({ timestamp }) => typeof timestamp === 'string')).toBe(true)
  })

  test('no more than asked for, nearest first kept, in file order', async () => {
    const { hits } = await find('script', { kind: 'tool-result', context: 2 })
    expect(hits[0]?.before?.map(({ kind }) => kind)).toEqual(['text', 'tool'])
    expect(hits[0]?.after).toEqual([])
    const one = await find('script', { kind: 'tool-result', context: 1 })
    expect(one.hits[0]?.before?.map(({ kind }) => kind)).toEqual(['tool'])
  })

  test('only their first words, and nothing unless it is asked for', async () => {
    const other = log({ cwd: '/home/ana/long', seed: 'long' }).user('🙂'.repeat(500)).assistant('zanzibar')
    other.write(root)
    const { hits } = await find('zanzibar', { context: 5 })
    expect(texts(hits[0]?.before)).toEqual(['🙂'.repeat(100)])
    expect((await find('zanzibar')).hits[0]).not.toHaveProperty('before')
  })
})

describe('where a hit leads', () => {
  const other = join(folder, 'places')
  const talk = log({ cwd: '/home/ana/api', seed: 'talk' })
    .user('what is a quokka')
    .assistant('A quokka is a small wallaby.')
    .user('list quokka files')
    .tool('Bash', { command: 'ls quokka' }, { output: 'quokka.txt' })
    .tool('Edit', { file_path: '/home/ana/api/src/quokka.ts', old_string: 'a', new_string: 'b' }, { output: 'ok' })
    .assistant('One quokka file.')
    .title('About a quokka')
    .title('About a quokka')

  beforeAll(() => {
    talk.write(other)
    const leaf = talk.rows().findLast((row) => row.type === 'assistant')
    const about = { type: 'summary', summary: 'Wallabies and quokka lore', leafUuid: leaf?.uuid as string }
    log({ cwd: '/home/ana/api', seed: 'summaries' }).raw(about).write(other)
  })

  async function ask(input: Partial<Static<typeof search.input>> = {}, cacheDir?: string) {
    const library = new Library({ roots: [other] })
    const now = new Date('2026-11-15T12:00:00Z')
    const warn = () => {}
    const context = { library, cacheDir, now, cwd: '/', home: '/', currentSession: undefined, warn, progress: () => {} }
    const result = await search.run(context, { query: ['quokka'], limit: 50, ...input })
    library.close()
    return result
  }

  test('who says it, in which turn, in which session', async () => {
    const { hits } = await ask({}, join(folder, 'cache'))
    const told = hits.map(({ who, turn, title }) => [who, turn, title])
    expect(told).toContainEqual(['prompt', 1, 'About a quokka'])
    expect(told).toContainEqual(['answer', 1, 'About a quokka'])
    expect(told).toContainEqual(['Bash · ls quokka', 2, 'About a quokka'])
    expect(told).toContainEqual(['output of Bash · ls quokka', 2, 'About a quokka'])
    expect(told).toContainEqual(['Edit · src/quokka.ts', 2, 'About a quokka'])
  })

  test('a summary leads to the conversation that it sums up', async () => {
    const hit = (await ask()).hits.find(({ who }) => who === 'summary')
    const leaf = talk.rows().findLast((row) => row.type === 'assistant')?.uuid as string
    expect(hit).toMatchObject({ session: talk.sessionId, point: `${talk.sessionId}:${leaf.slice(0, 8)}` })
  })

  test.each([undefined, join(folder, 'cache')])(
    'at most so many of a session, what was said first (%s)',
    async (cacheDir) => {
      const all = await ask({}, cacheDir)
      const few = await ask({ 'per-session': 3 }, cacheDir)
      expect(few.total).toBe(all.total)
      const own = few.hits.filter(({ who }) => who !== 'summary')
      expect(own.map(({ who }) => who)).toEqual(['answer', 'prompt', 'answer'])
    },
  )

  test('a session counts each message once, as the total does', async () => {
    const { groups, total } = await ask()
    expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(total)
  })
})
