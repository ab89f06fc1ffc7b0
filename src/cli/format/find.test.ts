import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatFind } from './find.ts'

test('shows what was found by turn, marked in its place', () => {
  expect(formatFind(samples.find, viewOf())).toEqual([
    'turn 1',
    '  row 4 · text · just now',
    '    Both tabs spend the same «refresh» token.',
    '',
    'turn 2',
    '  row 9 · tool · just now · 5 times',
    '    …src/auth/«refresh».ts',
    '',
    'the first 2 shown of 3 rows · 7 times',
    'annals show 3f9a1b2c --rows --from 4',
  ])
})
