import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatSkills } from './skills.ts'

test('lists what is defined, by kind, with its use', () => {
  expect(formatSkills(samples.skills, viewOf())).toEqual([
    'Commands',
    '/review (team)    3 uses  just now  Reviews a branch.',
    '',
    'Agents',
    'reviewer        not used            green',
    '',
    '2 defined · 1 never used',
  ])
})

test('nothing unused is good news', () => {
  expect(formatSkills({ items: [], total: 0 }, viewOf({ input: { unused: true } }))).toEqual([
    'Everything that is defined has been used.',
  ])
})

test('piped, each is a row with its kind and no words around its figures', () => {
  const piped = formatSkills(samples.skills, viewOf({ width: Number.POSITIVE_INFINITY }))
  expect(piped.slice(0, 2)).toEqual([
    'command\t/review (team)\t3\t2026-11-15 12:00\t\tReviews a branch.',
    'agent\treviewer\t0\t\tgreen\t',
  ])
})
