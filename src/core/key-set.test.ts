import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeySet } from './key-set.ts'

test('holds what was put in and nothing else', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.uuid(), fc.string())),
      fc.array(fc.oneof(fc.uuid(), fc.string())),
      (own, others) => {
        const set = KeySet.of(own)
        expect(own.every((text) => set.has(text))).toBe(true)
        expect(others.filter((text) => set.has(text))).toEqual(others.filter((text) => own.includes(text)))
        expect(new KeySet(set.keys).keys).toBe(set.keys)
      },
    ),
  )
})

test('a hundred thousand ids that differ in one letter are told apart', () => {
  const ids = Array.from({ length: 100_000 }, (_, i) => `0000${i}-0000-4000-8000-000000000000`)
  expect(KeySet.of(ids).keys).toHaveLength(ids.length)
})
