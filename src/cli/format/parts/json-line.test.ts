import { expect, test } from 'vitest'
import type { JsonValue } from '../../../core/json.ts'
import { jsonLine } from './json-line.ts'

test('writes a value on one line', () => {
  expect(jsonLine('a\nb')).toBe('a b')
  expect(jsonLine({ a: [1, 'x', null], b: { c: true } })).toBe('{ a: [1, "x", null], b: { c: true } }')
})

test('only hints at what is nested too deep', () => {
  let deep: JsonValue = 'end'
  for (let i = 0; i < 100_000; i++) deep = [deep]
  expect(jsonLine(deep)).toBe('[[[[[[[…]]]]]]]')
})
