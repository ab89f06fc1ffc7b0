import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatRead } from './read.ts'

test('shows the rows as turns, and where they stand', () => {
  const lines = formatRead(samples.read, viewOf())
  expect(lines[0]).toBe('1 › why are users logged out with two tabs open?')
  expect(lines).toContain('    edit  src/auth/refresh.ts  +2 −1')
  expect(lines.slice(-2)).toEqual(['rows 4 to 7 of 21 · yours is 5', 'annals show 3f9a1b2c --rows --from 8'])
})

test('begins in the middle of a turn where the page does', () => {
  const lines = formatRead({ ...samples.read, at: null, rows: samples.read.rows.slice(1, 2) }, viewOf())
  expect(lines[0]).toBe('    read 2 files · searched refresh')
  expect(lines.at(-2)).toBe('rows 4 to 4 of 21')
})

test('says where the last row is to one who goes too far', () => {
  expect(formatRead({ ...samples.read, from: 21, rows: [] }, viewOf())).toEqual([
    'There are no rows after that.',
    'The last one is 20.',
  ])
})
