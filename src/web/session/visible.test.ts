import { expect, test } from 'vitest'
import { oneLine } from './visible.ts'

test('a line of a list has no marks of prose', () => {
  expect(oneLine('Let me check `stop()`,\n**then** go on.')).toBe('Let me check stop(), then go on.')
})

test('signs that are no marks stay', () => {
  expect(oneLine('2 ** 3 and a ` alone')).toBe('2 ** 3 and a ` alone')
})

test('what would turn a text round is written out', () => {
  expect(oneLine('a\u202eb')).toBe('a⟨202E⟩b')
})
