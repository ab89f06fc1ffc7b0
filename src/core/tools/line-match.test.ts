import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchLines } from './line-match.ts'

const match = (before: string, after: string) => [...matchLines([...before], [...after])]

test.each([
  ['abc', 'abc', [0, 1, 2]],
  ['', 'ab', [-1, -1]],
  ['ab', '', []],
  ['abc', 'axc', [0, -1, 2]],
  ['abc', 'abxc', [0, 1, -1, 2]],
  ['abcd', 'ad', [0, 3]],
  // Lines that stand once on both sides hold the rest: the braces belong to what is around them.
  ['f{}g{}', 'f{}h{}g{}', [0, 1, 2, -1, -1, -1, 3, 4, 5]],
  ['aXbYc', 'YaXb', [-1, 0, 1, 2]],
])('of %j, %j keeps what both have', (before, after, expected) => {
  expect(match(before, after)).toEqual(expected)
})

const letters = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 30 })

/** The length of the longest common subsequence, by the book. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0)
  for (const x of a) {
    const next = [0]
    for (const [j, y] of b.entries()) {
      next.push(x === y ? (row[j] as number) + 1 : Math.max(next[j] as number, row[j + 1] as number))
    }
    row = next
  }
  return row.at(-1) as number
}

test('what is matched is the same text, once and in order, and never more than there can be', () => {
  fc.assert(
    fc.property(letters, letters, (before, after) => {
      const matched = matchLines(before, after)
      const kept = [...matched].flatMap((line, at) => (line === -1 ? [] : [[line, at] as const]))
      for (const [line, at] of kept) expect(before[line]).toBe(after[at])
      for (const [i, [line]] of kept.entries()) if (i > 0) expect(line).toBeGreaterThan(kept[i - 1]?.[0] ?? -1)
      expect(kept.length).toBeLessThanOrEqual(longestCommon(before, after))
    }),
  )
})

test('without lines that stand once, it is the longest there is', () => {
  fc.assert(
    fc.property(letters, letters, (before, after) => {
      const twice = [...before, ...before].flatMap((line) => [line, line])
      const made = [...after, ...after].flatMap((line) => [line, line])
      const kept = [...matchLines(twice, made)].filter((line) => line !== -1).length
      expect(kept).toBe(longestCommon(twice, made))
    }),
  )
})

test('texts of many lines that have little in common are compared in no time', () => {
  const before = Array.from({ length: 20_000 }, (_, i) => `x${i % 7}`)
  const after = Array.from({ length: 20_000 }, (_, i) => `y${i % 5}`)
  expect(matchLines(before, after).every((line) => line === -1)).toBe(true)
})
