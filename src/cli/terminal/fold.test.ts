import { expect, test } from 'vitest'
import { foldLines, moreLines } from './fold.ts'
import { createStyle } from './style.ts'

const numbered = (n: number) => Array.from({ length: n }, (_, at) => `line ${at + 1}\n`).join('')

test('shows the head and the tail and counts the rest', () => {
  expect(foldLines(numbered(215), { head: 2, tail: 1, columns: 80 })).toEqual([
    'line 1',
    'line 2',
    '… 212 more lines',
    'line 215',
  ])
  expect(foldLines(numbered(5), { head: 2, columns: 80 })).toEqual(['line 1', 'line 2', '… 3 more lines'])
})

test('does not fold away a single line', () => {
  expect(foldLines(numbered(4), { head: 2, tail: 1, columns: 80 })).toHaveLength(4)
  expect(foldLines('', { head: 2, columns: 80 })).toEqual([''])
})

test('cuts wide lines, makes them plain and dims the count', () => {
  const style = createStyle({ colour: true })
  expect(foldLines('\u001b[31mabcdef\nb\nc\r\nd', { head: 1, columns: 4, style })).toEqual([
    'abc…',
    '\u001b[2m… 3…\u001b[22m',
  ])
})

test('says how many', () => {
  expect(moreLines(1)).toBe('… 1 more line')
  expect(moreLines(1234)).toBe('… 1,234 more lines')
})
