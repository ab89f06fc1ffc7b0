import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findFolded, fold } from './folded-text.ts'

const rangesOf = (text: string, wanted: string) => findFolded(text, wanted, 1000).ranges
const foundIn = (text: string, wanted: string) => rangesOf(text, fold(wanted)).map(([from, to]) => text.slice(from, to))

test('any case, with accents or without, any white space', () => {
  expect(foundIn('Café CAFE cafe\u0301 caf', 'café')).toEqual(['Café', 'CAFE', 'cafe\u0301'])
  expect(foundIn('one\n\ttwo', 'ONE  TWO')).toEqual(['one\n\ttwo'])
  expect(foundIn('ΣΙΣΥΦΟΣ Σισυφος', 'σισυφοσ')).toEqual(['ΣΙΣΥΦΟΣ', 'Σισυφος'])
})

test('what has another length when it is folded keeps its place', () => {
  expect(foundIn('İstanbul, İzmir', 'izmir')).toEqual(['İzmir'])
  expect(foundIn('😀 naïve 😀', 'naive 😀')).toEqual(['naïve 😀'])
})

test('finds every piece of any text, where it stands or before', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(), fc.nat({ max: 9 }), (text, at, length) => {
      const units = [...text]
      const from = units.length === 0 ? 0 : at % units.length
      const piece = units.slice(from, from + length).join('')
      if (fold(piece) === '') return
      const ranges = rangesOf(text, fold(piece))
      expect(ranges.length).toBeGreaterThan(0)
      for (const [start, end] of ranges) expect(fold(text.slice(start, end))).toContain(fold(piece))
    }),
  )
})

test('counts what it does not place', () => {
  expect(findFolded('a b a', 'a', 1)).toEqual({ count: 2, ranges: [[0, 1]] })
  expect(findFolded('a b a', 'a', 0)).toEqual({ count: 2, ranges: [] })
})
