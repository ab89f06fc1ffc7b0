import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { formatSql } from './sql.ts'

const asked = { query: ['select'] }

test('numbers stand to the right, and what is not known is a dash', () => {
  const result = {
    columns: ['title', 'n', 'usd'],
    rows: [
      ['日本', 12, 0.1 + 0.2],
      ['b', null, 10],
    ],
    total: 2,
  }
  expect(formatSql(result, viewOf({ input: asked }))).toEqual(['title   n  usd', '日本   12  0.3', 'b       –   10'])
})

test('a long text gives way, and a line break in it is a space', () => {
  const result = { columns: ['n', 'text'], rows: [[1, `one\ntwo ${'x'.repeat(99)}`]], total: 1 }
  expect(formatSql(result, viewOf({ input: asked, width: 20 }))).toEqual(['n  text', '1  one two xxxxxxxx…'])
})

test('columns that do not fit beside each other stand below each other', () => {
  const columns = ['alpha', 'beta', 'gamma', 'delta']
  const result = {
    columns,
    rows: [
      ['a', 1, null, 'd'.repeat(40)],
      ['e', 2, 3, 'f'],
    ],
    total: 2,
  }
  expect(formatSql(result, viewOf({ input: asked, width: 24 }))).toEqual([
    'alpha  a',
    'beta   1',
    'gamma  –',
    'delta  dddddddddddddddd…',
    '',
    'alpha  e',
    'beta   2',
    'gamma  3',
    'delta  f',
  ])
})

test('CSV is that of RFC 4180: quotes where they are needed, lines that end with CR and LF', () => {
  const columns = ['a', 'b "c"', 'd']
  const rows = [
    ['x', 'y,z', 1.25],
    ['"', 'two\nlines', null],
    ['', ' ', 0.1 + 0.2],
  ]
  const lines = formatSql({ columns, rows, total: 3 }, viewOf({ input: { ...asked, csv: true }, width: 10 }))
  expect(`${lines.join('\n')}\n`).toBe(
    'a,"b ""c""",d\r\nx,"y,z",1.25\r\n"""","two\nlines",\r\n"", ,0.30000000000000004\r\n',
  )
})

test('nothing in CSV speaks to a terminal', () => {
  const rows = [['\u001b]0;owned\u0007a\u0000\u202eb', '\u001b[31m\r']]
  const [, line] = formatSql({ columns: ['a', 'b'], rows, total: 1 }, viewOf({ input: { ...asked, csv: true } }))
  expect(line).toBe('a␀⟨202E⟩b,␍\r')
})

test('the views are listed with all that is said of their columns', () => {
  const rows = [
    ['calls', null, 'Every call.'],
    ['calls', 'at', 'When it was called, which may be long ago'],
    ['calls', 'tool', 'Its tool'],
  ]
  const lines = formatSql({ columns: ['view', 'column', 'meaning'], rows, total: 3 }, viewOf({ width: 30 }))
  expect(lines.slice(0, 5)).toEqual([
    'calls  Every call.',
    '  at    When it was called,',
    '        which may be long ago',
    '  tool  Its tool',
    '',
  ])
})
