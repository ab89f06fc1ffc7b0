import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatPrompts } from './prompts.ts'

test('lists what was typed, and marks what reached no log', () => {
  expect(formatPrompts(samples.prompts, viewOf())).toEqual([
    'when      project  prompt                  session',
    'just now  api        fix [Pasted text #1]  3f9a1b2c',
    '–         –        ✎ never mind',
    '',
    '2 of 40 prompts · ✎ typed, but in no log: 1',
  ])
})

test('piped, they are rows with tabs, without a heading', () => {
  const piped = formatPrompts(samples.prompts, viewOf({ width: Number.POSITIVE_INFINITY }))
  expect(piped.slice(0, 2)).toEqual(['2026-11-15 12:00\tapi\tfix [Pasted text #1]\t3f9a1b2c', '–\t–\tnever mind\t'])
})

test('counts by project', () => {
  const first = '2026-11-01T12:00:00.000Z'
  const items = [
    { path: '/home/ana/api', key: '-home-ana-api', count: 14, first, last: '2026-11-14T12:00:00.000Z' },
    { path: '/notes', key: '-notes', count: 1, first, last: first },
  ]
  expect(formatPrompts({ items, total: 2, known: 12 }, viewOf())).toEqual([
    '~/api   14 prompts  from 1 Nov · last yesterday',
    '/notes    1 prompt  last 1 Nov',
    '',
    '2 projects',
  ])
})
