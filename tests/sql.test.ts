import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Library } from '../src/disk/library.ts'
import type { Context } from '../src/history/context.ts'
import { VIEWS } from '../src/index/sql/views.ts'
import { sessions } from '../src/ops/sessions.ts'
import { sql } from '../src/ops/sql.ts'
import { usage } from '../src/ops/usage.ts'
import { servedOps } from '../src/server/op-runner.ts'
import { type AnswerOptions, log, root, writeDemoRoot } from '../src/testing/index.ts'

// `localtime` of SQLite asks the process.
process.env.TZ = 'UTC'

const folder = mkdtempSync(join(tmpdir(), 'annals-sql-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Tokens of claude-opus-5-5, in dollars for a million: 4 in, 20 out, 0.2 read, 5 written for five minutes. */
function opus(inputTokens: number, cacheReadTokens = 0, cacheWrite5mTokens = 0): AnswerOptions {
  const usage = { inputTokens, outputTokens: 100, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens: 0 }
  return { model: 'claude-opus-5-5', usage }
}
const SIX_THOUSANDTHS = opus(1000)
const MISSED = opus(0, 0, 50_000)
const READ = opus(0, 50_000)
/** Claude-haiku-4-5 costs 1 in and 5 out. */
const TWO_CENTS: AnswerOptions = {
  model: 'claude-haiku-4-5',
  usage: { inputTokens: 10_000, outputTokens: 2000, cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 },
}

const API = 'aaaaaaaa-0000-4000-8000-000000000001'
const WEB = 'aaaaaaaa-0000-4000-8000-000000000002'
const AUTH = '/home/ana/api/src/auth.ts'

root()
  .add(
    // A Monday in the tenth week.
    log({ sessionId: API, cwd: '/home/ana/api', startedAt: '2026-03-02T09:00:00.000Z' })
      .user('why are users logged out?')
      .assistant('I look.', SIX_THOUSANDTHS)
      .tool('Bash', { command: 'npm test' }, { exitCode: 1, output: '1 failing', durationMs: 90_000 })
      .assistant('I mend it.', SIX_THOUSANDTHS)
      .edit(AUTH, { before: 'a\n', after: 'b\nc\n' })
      .assistant('The refresh token was spent twice.', SIX_THOUSANDTHS)
      .user('now the docs')
      .assistant('An agent looks.', SIX_THOUSANDTHS)
      .subagent({
        type: 'Explore',
        description: 'find docs',
        prompt: 'Find the docs.',
        steps: (agent) => agent.assistant('They are here.', TWO_CENTS),
      })
      .assistant('Done.', SIX_THOUSANDTHS)
      .title('Logged out'),
    // A Monday in the eleventh, in the evening.
    log({ sessionId: WEB, cwd: '/home/ana/web', startedAt: '2026-03-09T20:00:00.000Z' })
      .user('make it')
      .assistant('I run make.', MISSED)
      .tool('Bash', { command: 'make' }, { output: 'ok', durationMs: 5000 })
      .assistant('I edit.', READ)
      .edit(AUTH, { before: 'b\nc\n', after: 'd\n' })
      .assistant('Done.', READ)
      .user('no, not so')
      .assistant('Undone.', SIX_THOUSANDTHS)
      .rewind({ to: 2 })
      .user('another way')
      .assistant('As you like.', opus(500))
      .title('Make'),
  )
  .write(folder)

function contextOf(cacheDir: string | undefined, told: string[] = []): Context {
  return {
    library: new Library({ roots: [folder] }),
    now: new Date('2026-03-10T12:00:00Z'),
    cwd: folder,
    home: folder,
    cacheDir,
    currentSession: undefined,
    openWatchdog: () => ({ begin() {}, close() {} }),
    warn: ({ message }) => told.push(message),
    progress: () => {},
  }
}
const state = join(folder, 'state')
const select = async (query: string, context = contextOf(state)) => sql.run(context, { query: [query] })

const docs = readFileSync('docs/index.md', 'utf8')

test.each(VIEWS)('docs/index.md tells of every column of $name', ({ name, about, columns }) => {
  const rows = columns.map((column) => `| \`${column.name}\` | ${column.about} |`)
  expect(docs).toContain(`## ${name}\n\n${about}\n\n| Column | Meaning |\n|---|---|\n${rows.join('\n')}\n\n`)
})

/** What each question of the docs gives, made by hand. */
const ANSWERS: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  'most expensive prompts': [
    // 0.252 for what was written to the cache, twice 0.012 for what was read from it.
    [0.276, 3, 'Make', 'make it'],
    // Twice 0.006, and 0.02 of the agent.
    [0.032, 3, 'Logged out', 'now the docs'],
    [0.018, 3, 'Logged out', 'why are users logged out?'],
    [0.006, 1, 'Make', 'no, not so'],
    [0.004, 1, 'Make', 'another way'],
  ],
  'slowest commands': [
    [90, 1, expect.stringContaining('npm test')],
    [5, 0, expect.stringContaining('make')],
  ],
  'tools fail': [
    ['2026-W10', 'Bash', 1, 100],
    ['2026-W10', 'Agent', 1, 0],
    ['2026-W10', 'Edit', 1, 0],
    ['2026-W11', 'Bash', 1, 0],
    ['2026-W11', 'Edit', 1, 0],
  ],
  'files that most': [[AUTH, 2, 3, 3]],
  'Cache misses': [[expect.stringMatching(/^2026-03-09T20:0/), 'claude-opus-5-5', 50_000, 0.252]],
  'agents cost': [['Explore', 1, 1, 0.02]],
  'each project cost': [
    ['2026-03', '/home/ana/web', 0.29],
    ['2026-03', '/home/ana/api', 0.05],
  ],
  'which hours': [
    ['09', 2],
    ['20', 2],
  ],
  'speak of something': [['Logged out', '/home/ana/api', 1, expect.stringMatching(/^2026-03-02T09:0/)]],
  'thrown away': [['Make', 1, 0.006]],
}

describe('the questions of docs/index.md', () => {
  const questions = [...docs.matchAll(/\n([^\n]+):\n\n```sql\n([^`]+)```/g)].map(([, asked, query]) => ({
    asked,
    query,
  }))

  test('are those that have answers here', () => {
    expect(questions.length).toBe(10)
    for (const part of Object.keys(ANSWERS))
      expect(questions.filter(({ asked }) => asked?.includes(part))).toHaveLength(1)
  })

  test.each(questions)('$asked', async ({ asked, query }) => {
    const [, expected] = Object.entries(ANSWERS).find(([part]) => asked?.includes(part)) as [string, unknown[][]]
    const { rows, total } = await select(query as string)
    expect(rows).toEqual(expected)
    expect(total).toBe(expected.length)
  })
})

test('every view tells of each column what it is named for', async () => {
  for (const { name, columns } of VIEWS) {
    const { columns: named, rows } = await select(`select * from ${name}`)
    expect(named).toEqual(columns.map((column) => column.name))
    expect(rows.length, name).toBeGreaterThan(0)
  }
})

test('what sessions, prompts and responses cost is what usage says, over a history with forks and agents', async () => {
  const demo = join(folder, 'demo')
  writeDemoRoot(demo, new Date('2026-03-10T12:00:00Z'))
  const context = { ...contextOf(join(folder, 'demo-state')), library: new Library({ roots: [demo] }) }
  const { rows } = await usage.run(context, { all: true, by: 'turn' })
  const turns = new Map(rows.map(({ key, costUsd }) => [key, expect.closeTo(costUsd ?? 0, 9)]))
  const asked = await select(
    "select session || '#' || coalesce(turn, 0), sum(cost_usd) from responses group by 1 order by sum(cost_usd) desc",
    context,
  )
  expect(new Map(asked.rows as [string, number][])).toEqual(turns)
  const prompts = 'select sum(cost_usd) from responses where turn is null'
  const sums = await select(
    `select sum(cost_usd), (select sum(cost_usd) from prompts) + coalesce((${prompts}), 0) from sessions`,
    context,
  )
  const total = rows.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)
  expect(sums.rows).toEqual([[expect.closeTo(total, 9), expect.closeTo(total, 9)]])
})

test('sessions are those that lists show', async () => {
  const { items } = await sessions.run(contextOf(state), { all: true })
  const listed = items.map((item) => [item.id, item.title, item.createdAt, item.counts?.prompts, item.agents?.length])
  const { rows } = await select('select id, title, created_at, prompts, agents from sessions order by updated_at desc')
  expect(rows).toEqual(listed)
  expect(rows).toHaveLength(2)
})

test('what a fork has taken over counts with the session that made it', async () => {
  const made = join(folder, 'forked')
  const first = log({ seed: 'first' })
    .user('one')
    .assistant('a', SIX_THOUSANDTHS)
    .tool('Bash', { command: 'x' }, { output: 'y' })
  const fork = first.branched({ startedAt: '2026-03-03T09:00:00.000Z' }).user('two').assistant('b', SIX_THOUSANDTHS)
  root().add(first, fork).write(made)
  const context = () => ({ ...contextOf(undefined), library: new Library({ roots: [made] }) })
  const { rows } = await select('select session, count(*) from calls group by 1', context())
  expect(rows).toEqual([[first.sessionId, 1]])
  const prompts = await select(`select text, is_inherited from prompts where session = '${fork.sessionId}'`, context())
  expect(prompts.rows).toEqual([
    ['one', 1],
    ['two', 0],
  ])
})

test('without a kept index there are facts and calls, and it is said that there are no texts', async () => {
  const told: string[] = []
  const context = contextOf(undefined, told)
  expect((await select('select count(*) from calls', context)).rows).toEqual([[5]])
  expect(told).toEqual([])
  // The same history is asked twice: what a query makes beside the tables is gone after it.
  expect((await select('select count(*) from texts', context)).rows).toEqual([[0]])
  expect(told).toEqual(['Without a kept index this view is empty.'])
})

test('values that JSON cannot hold are texts', async () => {
  const { rows } = await select("select 9223372036854775807, 9007199254740991, 1e999, x'00ff', null, 1.5, 'a'")
  expect(rows).toEqual([['9223372036854775807', 9007199254740991, 'Infinity', '00ff', null, 1.5, 'a']])
})

test.each(['"open', 'a AND', '*', 'a:b', '^', 'NEAR('])('words that cannot be matched are told: %s', async (words) => {
  await expect(select(`select text from texts where words match '${words}'`)).rejects.toThrow(
    /words to match cannot be/,
  )
})

test('what fails while it runs is told as a mistake of the query', async () => {
  await expect(select("select json_extract('{', '$.a')")).rejects.toThrow('SQLite says: malformed JSON.')
  await expect(select('select abs(-9223372036854775808)')).rejects.toThrow('SQLite says: integer overflow.')
})

test('columns of one name are all there', async () => {
  expect(await select('select 1 as a, 2 as a')).toEqual({ columns: ['a', 'a'], rows: [[1, 2]], total: 1 })
})

test('without a query the views and their columns are listed, and no log is read', async () => {
  const context = { ...contextOf(state), library: undefined as never }
  const { columns, rows, total } = await sql.run(context, {})
  expect(columns).toEqual(['view', 'column', 'meaning'])
  expect(total).toBe(rows.length)
  expect(rows.filter(([, column]) => column === null).map(([view]) => view)).toEqual(VIEWS.map(({ name }) => name))
})

test('what would be too much to hold is refused', async () => {
  const endless = 'with recursive c(n) as (select 1 union all select n + 1 from c) select n from c'
  await expect(select(endless)).rejects.toThrow('The query gives more rows than can be held.')
}, 30_000)

test('a query that is wrong is told before a log is read', async () => {
  const context = { ...contextOf(state), library: { close() {} } as never }
  await expect(select('select titel from sessions', context)).rejects.toThrow('Did you mean title?')
})

test('the server has no route for it', async () =>
  expect((await servedOps()).map(({ name }) => name)).not.toContain('sql'))
