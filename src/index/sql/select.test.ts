import { describe, expect, test } from 'vitest'
import { Failure } from '../../core/failure.ts'
import { needsOf } from './select.ts'

/** What is said of a query: its sentence and its hint. */
function told(sql: string): string {
  try {
    needsOf(sql)
    return 'allowed'
  } catch (error) {
    return error instanceof Failure ? `${error.message} ${error.hint ?? ''}`.trim() : String(error)
  }
}

describe('a query may only read the views', () => {
  test.each([
    'delete from sessions',
    'update sessions set title = 1',
    'insert into log (id) values (1)',
    'drop table log',
    'drop view sessions',
    'create table x (a)',
    'create temp table x (a)',
    'create temp view x as select 1',
    'create virtual table x using fts5(a)',
    'create trigger t after insert on log begin select 1; end',
    'alter table log rename to x',
    "attach '/tmp/x.db' as x",
    'detach main',
    'vacuum',
    "vacuum into '/tmp/x.db'",
    'reindex',
    'analyze',
    'begin',
    'commit',
    'explain vacuum',
    'savepoint x',
    'pragma journal_mode = delete',
    'pragma user_version',
    'pragma writable_schema = 1',
    'with x as (select 1) insert into log (id) select * from x',
    'replace into meta values (1, 2)',
    "insert into sessions (id) values ('x') returning id",
  ])('%s', (sql) => expect(told(sql)).toMatch(/only reads|Only one select/))

  test.each([
    'log',
    'fact',
    'words',
    'words_data',
    'sqlite_master',
    'sqlite_schema',
    'temp.family',
    'main.response',
    'dbstat',
  ])('not the table %s', (table) =>
    expect(told(`select * from ${table}`)).toMatch(/^There is no view "[\w.]+"\. .*The views are sessions, /),
  )

  test.each(["pragma_table_info('log')", 'pragma_database_list', "pragma_journal_mode('delete')"])('nor %s', (table) =>
    expect(told(`select * from ${table}`)).toMatch(/^There is no view/),
  )

  test.each(['cost_usd()', 'read_text(1)'])('nor call %s, which is for the views', (call) =>
    expect(told(`select ${call}`)).toMatch(/is refused\./),
  )

  test('nor load an extension', () => expect(told("select load_extension('x')")).toMatch(/is refused\./))

  test.each(['select 1; select 2', "select ';'; delete from log", 'select 1 /* ; */ ; select 2', 'select 1;;x'])(
    'one at a time: %s',
    (sql) => expect(told(sql)).toBe('Only one select at a time can be asked.'),
  )

  test.each(['', ' ', ';', '-- nothing', '/* nothing'])('and there must be one: "%s"', (sql) =>
    expect(told(sql)).toMatch(/^There is no query\./),
  )

  test.each([
    'select 1;',
    "select ';' -- ; x",
    'select count(*) from sessions',
    'with recent as (select * from sessions) select title from recent',
    'with recursive c(n) as (select 1 union all select n + 1 from c where n < 9) select n from c',
    'select value from sessions, json_each(models)',
    'select * from responses r join calls c using (session) where r.turn = c.turn',
    'values (1, 2)',
    'explain query plan select * from prompts',
    'select at, row_number() over (partition by session order by at) from responses',
    "select text from texts where words match 'a' and file in (select file from texts where words match 'b')",
  ])('this is allowed: %s', (sql) => expect(told(sql)).toBe('allowed'))
})

describe('a mistake is told with what may have been meant', () => {
  test.each([
    ['select titel from sessions', 'There is no column "titel". Did you mean title? sessions has id, title,'],
    ['select s.cost from sessions s', 'There is no column "cost".'],
    ['select tool from sessions', 'There is no column "tool". It is in calls and texts.'],
    ['select * from session', 'There is no view "session". Did you mean sessions?'],
    ['select * from main.sessions', 'Write sessions alone.'],
    ['select * form sessions', 'The query cannot be read at "form". Did you mean from?'],
    ['selec 1', 'The query cannot be read at "selec". Did you mean select?'],
    ['select * from sessions where title = "x"', 'There is no column "x". A text stands in single quotes: \'x\'.'],
    ['select (select', 'The query ends too early.'],
    ['select locked from sessions', 'There is no column "locked".'],
    ['select nofunction(1)', 'SQLite has no function "nofunction".'],
    ['select session from calls join responses', 'SQLite says: ambiguous column name: session.'],
  ])('%s', (sql, sentence) => expect(told(sql)).toContain(sentence))
})

test('only what a query reads has to be there for it', () => {
  expect([...needsOf('select count(*) from sessions')]).toEqual([])
  expect([...needsOf('select project from sessions where title is null')]).toEqual(['told'])
  expect([...needsOf('select path from files')]).toEqual(['calls'])
  expect([...needsOf('select count(*) from texts')]).toEqual(['words'])
  expect([...needsOf('select 1 where exists (select 1 from calls)')]).toEqual(['calls'])
  expect([...needsOf('select sum(cost_usd) from responses')]).toEqual([])
  expect([
    ...needsOf('select p.text from prompts p order by (select cost_usd from prompts x where x.turn = p.turn)'),
  ]).toEqual(['turns'])
})
