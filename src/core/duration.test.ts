import { expect, test } from 'vitest'
import { duration } from './duration.ts'

test.each([
  [0, '0 ms'],
  [340, '340 ms'],
  [999.6, '1 s'],
  [4_200, '4.2 s'],
  [9_960, '10 s'],
  [59_499, '59 s'],
  [59_500, '1 min'],
  [90_000, '1 min 30 s'],
  [48 * 60_000, '48 min'],
  [59 * 60_000 + 59_000, '1 h'],
  [72 * 60_000, '1 h 12 min'],
  [27 * 3_600_000, '1 d 3 h'],
  [-5, '0 ms'],
  [Number.POSITIVE_INFINITY, '–'],
])('writes %d ms as %s', (ms, expected) => {
  expect(duration(ms)).toBe(expected)
})
