import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChangedLine } from './change.ts'
import { cutTokens, wordChanges } from './word-changes.ts'

const line = (sign: ChangedLine['sign'], text: string): ChangedLine => ({
  sign,
  text,
  oldNumber: null,
  newNumber: null,
})
const marked = (hunk: readonly ChangedLine[]) => {
  const changes = wordChanges(hunk)
  return hunk.map((one) => changes.get(one)?.map(([from, to]) => one.text.slice(from, to)) ?? null)
}

test('marks the words that changed, on both sides', () => {
  expect(marked([line('-', 'const a = 1'), line('+', 'const a = 2 // two')])).toEqual([['1'], ['2 // two']])
})

test('lines that have little in common, or are not as many, are other lines', () => {
  expect(marked([line('-', 'import x'), line('+', 'return 42')])).toEqual([null, null])
  expect(marked([line('-', 'a b c'), line('+', 'a b d'), line('+', 'more')])).toEqual([null, null, null])
})

test('each run of changes is compared by itself', () => {
  const hunk = [line('-', 'one two'), line('+', 'one 2'), line(' ', 'same'), line('-', 'x = y'), line('+', 'x = z')]
  expect(marked(hunk)).toEqual([['two'], ['2'], null, ['y'], ['z']])
})

test('what is cut is the same text', () => {
  const ranges = fc.uniqueArray(fc.nat(12), { maxLength: 6 }).map((all) => {
    const sorted = all.toSorted((a, b) => a - b)
    return Array.from(
      { length: sorted.length >> 1 },
      (_, i) => [sorted[2 * i] as number, sorted[2 * i + 1] as number] as const,
    )
  })
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 5 }), ranges, (texts, changed) => {
      const cut = cutTokens(
        texts.map((text) => ({ text })),
        changed,
      )
      expect(cut.map(({ text }) => text).join('')).toBe(texts.join(''))
      let at = 0
      for (const { text, isChanged } of cut) {
        for (let i = at; i < at + text.length; i++) expect(isChanged).toBe(changed.some(([a, b]) => i >= a && i < b))
        at += text.length
      }
    }),
  )
})
