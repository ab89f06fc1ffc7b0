import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { log } from '../src/testing/index.ts'
import { annals, temporaryFolder } from './cli/annals.ts'

const folder = temporaryFolder()
const root = join(folder.path, 'root')
beforeAll(() => void log({ cwd: '/home/ana/api' }).user('hello, "you"').assistant('\u001b[31mhi\u001b[0m').write(root))
afterAll(folder.remove)

const sql = (...args: readonly string[]) =>
  annals(['sql', ...args, '--root', root], { env: { ANNALS_HOME: folder.path } })

const ENDLESS = 'with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c'

test('a query takes one argument, or many words', () => {
  const answer = { columns: ['n'], rows: [[1]], total: 1, warnings: [], schema: 'annals/sql/1' }
  const { code, stdout } = sql('select count(*) as n from sessions', '--json')
  expect([code, JSON.parse(stdout)]).toEqual([0, answer])
  expect(JSON.parse(sql('select', 'turns', 'as', 'n', 'from', 'sessions', '--json').stdout)).toEqual(answer)
})

test('CSV has quotes and line ends as RFC 4180 says, and nothing that a terminal obeys', () => {
  expect(sql('select kind, text from texts order by line', '--csv').stdout).toBe(
    'kind,text\r\nprompt,"hello, ""you"""\r\ntext,hi\r\n',
  )
})

test('a query may be as long as people keep in files', () => {
  const query = `select count(*) as n from sessions where turns in (${[...Array(2000).keys()]})`
  expect(query.length).toBeGreaterThan(8000)
  expect(JSON.parse(sql(query, '--json').stdout).rows).toEqual([[1]])
})

test('no rows are nothing found', () => {
  const { code, stderr } = sql('select id from sessions where false')
  expect([code, stderr]).toEqual([1, 'No rows.\n'])
})

test.each([
  'delete from sessions',
  "vacuum into 'x.db'",
  "attach 'x.db' as x",
  'select * from log',
  'select titel from sessions',
])('%s is refused in a sentence', (query) => {
  const { code, stdout, stderr } = sql(query)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^[A-Z`].*[.?]\n {2}.*\n$/)
})

test('a query that takes too long is ended, and the next one works', () => {
  const { code, stdout, stderr } = sql(ENDLESS, '--timeout', '1')
  // Ended by a signal, of which shells make 130.
  expect([code, stdout]).toEqual([null, ''])
  expect(stderr).toBe(
    'The query took longer than 1 s and was ended.\n  Ask for less, or give it more time with --timeout.\n',
  )
  expect(sql('select count(*) from sessions').code).toBe(0)
})

test('without an index it says that there are no texts', () => {
  const { code, stdout, stderr } = sql('select count(*) as n from texts', '--no-index')
  expect([code, stdout, stderr]).toEqual([0, 'n\n0\n', 'texts: Without a kept index this view is empty.\n'])
})

test('without a query it lists what can be asked', () => {
  const { code, stdout } = sql()
  expect(code).toBe(0)
  for (const name of ['sessions', 'prompts', 'responses', 'calls', 'files', 'texts'])
    expect(stdout).toContain(`${name}  `)
})
