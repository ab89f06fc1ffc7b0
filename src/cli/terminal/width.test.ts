import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { expandTabs, padEnd, padStart, truncate, width, wrap } from './width.ts'

const RED = '\u001b[31m'
const BOLD = '\u001b[1m'
const PLAIN = '\u001b[39m'
const LIGHT = '\u001b[22m'

test('counts columns, not characters', () => {
  expect(width('abc')).toBe(3)
  expect(width('日本')).toBe(4)
  expect(width('e\u0301')).toBe(1)
  expect(width('👩‍👩‍👧')).toBe(2)
  expect(width(`${RED}ab${PLAIN}`)).toBe(2)
  expect(width('a\tb')).toBe(5)
})

test('cuts a line with an ellipsis, only when it must', () => {
  expect(truncate('abcdef', 6)).toBe('abcdef')
  expect(truncate('abcdef', 5)).toBe('abcd…')
  expect(truncate('abcdef', 1)).toBe('…')
  expect(truncate('abcdef', 0)).toBe('')
  expect(truncate('abcdef', Number.POSITIVE_INFINITY)).toBe('abcdef')
})

test('never splits a character', () => {
  expect(truncate('日本語', 6)).toBe('日本語')
  expect(truncate('日本語', 5)).toBe('日本…')
  expect(truncate('日本語', 4)).toBe('日…')
  expect(truncate('👩‍👩‍👧👩‍👩‍👧', 3)).toBe('👩‍👩‍👧…')
  expect(truncate('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301…')
})

test('closes the colours of what it cuts', () => {
  expect(truncate(`${RED}abcdef${PLAIN}`, 3)).toBe(`${RED}ab…${PLAIN}`)
  expect(truncate(`${RED}ab${BOLD}cd${LIGHT}ef${PLAIN}`, 4)).toBe(`${RED}ab${BOLD}c…${LIGHT}${PLAIN}`)
  expect(truncate(`${RED}abc${PLAIN}`, 3)).toBe(`${RED}abc${PLAIN}`)
})

test('pads by columns', () => {
  expect(padEnd('日', 4)).toBe('日  ')
  expect(padStart('日', 4)).toBe('  日')
  expect(padEnd('long', 2)).toBe('long')
  expect(padStart(`${RED}1${PLAIN}`, 3)).toBe(`  ${RED}1${PLAIN}`)
})

test('expands tabs to the next stop, by columns', () => {
  expect(expandTabs('\ta\tb\n日\tc')).toBe('    a   b\n日  c')
})

test('wraps at words, breaks words only when they do not fit', () => {
  expect(wrap('the quick brown fox', 10)).toEqual(['the quick', 'brown fox'])
  expect(wrap('abcdefgh', 3)).toEqual(['abc', 'def', 'gh'])
  expect(wrap('a\n\nb', 10)).toEqual(['a', '', 'b'])
  expect(wrap('one two', Number.POSITIVE_INFINITY)).toEqual(['one two'])
})

test('indents every line, and goes on as a line began', () => {
  expect(wrap('one two\nthree', 6, '  ')).toEqual(['  one', '  two', '  thre', '  e'])
  expect(wrap('  one two three', 10)).toEqual(['  one two', '  three'])
  expect(wrap('a\n\nb', 10, '│ ')).toEqual(['│ a', '│', '│ b'])
})

test('carries colours from row to row', () => {
  expect(wrap(`${RED}ab cd${PLAIN}`, 2)).toEqual([`${RED}ab${PLAIN}`, `${RED}cd${PLAIN}`])
})

const line = fc.string({ unit: fc.constantFrom('a', ' ', '日', 'e\u0301', '👩‍👩‍👧', 'ｶﾞ', `${RED}x${PLAIN}`, '\t') })

test('truncates to at most the columns asked for, and keeps what fits', () => {
  fc.assert(
    fc.property(line, fc.integer({ min: 0, max: 30 }), (text, columns) => {
      const cut = truncate(text, columns)
      expect(width(cut)).toBeLessThanOrEqual(columns)
      if (columns > 0 && width(text) <= columns) expect(cut).toBe(expandTabs(text))
    }),
  )
})

test('wraps to at most the columns asked for', () => {
  fc.assert(
    fc.property(line, fc.integer({ min: 4, max: 30 }), (text, columns) => {
      for (const row of wrap(text, columns, ' ')) expect(width(row)).toBeLessThanOrEqual(columns)
    }),
  )
})

test('every character alone is as wide as the library says', () => {
  const wrong: string[] = []
  for (let code = 0x20; code <= 0xffff; code++) {
    const text = String.fromCodePoint(code)
    if (width(text) !== stringWidth(text)) wrong.push(code.toString(16))
  }
  expect(wrong).toEqual([])
})
