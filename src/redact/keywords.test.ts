import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keywordScanner } from './keywords.ts'

function found(keywords: readonly string[], text: string): [number, string][] {
  const hits = [...(keywordScanner(keywords).scan(text) as number[])]
  return hits.flatMap((at, i) => (i % 2 === 0 ? [[at, keywords[hits[i + 1] as number] as string]] : []))
}

test('finds every keyword where it begins, whatever its case', () => {
  expect(found(['ghp_', 'token'], 'a TOKEN, a Ghp_ and tokeghp_')).toEqual([
    [2, 'token'],
    [11, 'ghp_'],
    [24, 'ghp_'],
  ])
})

test('finds keywords that lie inside each other', () => {
  expect(found(['sk-', 'sk-ant-', 'ant'], 'sk-ant-')).toEqual([
    [0, 'sk-'],
    [3, 'ant'],
    [0, 'sk-ant-'],
  ])
})

test('finds a keyword that was wrapped, once', () => {
  expect(found(['token'], 'x to\r\nken\n\n y')).toEqual([[2, 'token']])
})

test('finds what a plain search finds', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'C', '-', 'é'), maxLength: 60 })
  const words = fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', 'b', 'c', '-'), minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 6,
  })
  fc.assert(
    fc.property(words, letters, (keywords, text) => {
      const expected = keywords.flatMap((word) =>
        [...text].flatMap((_, at) => (text.slice(at).toLowerCase().startsWith(word) ? [`${at} ${word}`] : [])),
      )
      expect(
        found(keywords, text)
          .map(([at, word]) => `${at} ${word}`)
          .sort(),
      ).toEqual(expected.sort())
    }),
  )
})
