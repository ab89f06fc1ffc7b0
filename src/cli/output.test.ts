import { expect, test } from 'vitest'
import { broken } from './output.ts'

test('a sentence is broken between words, its rest as far in as it began; tables and long words are left alone', () => {
  expect(broken('one two three\n  four five six\n', 9)).toBe('one two\nthree\n  four\n  five\n  six\n')
  expect(broken('id  a long title  $1.00', 9)).toBe('id  a long title  $1.00')
  expect(broken('/a/very/long/path', 9)).toBe('/a/very/long/path')
})
