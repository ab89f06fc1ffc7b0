import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatStatusline } from './statusline.ts'

const { statusline } = samples

test('the status line is one line, and every amount has its name', () => {
  expect(formatStatusline(statusline, viewOf())).toEqual([
    'opus-4-8 · context 42% · session $32.50 · today $32.50 · block $32.50, 3h12m left',
  ])
  const bare = { ...statusline, model: null, context: null, session: null, block: null }
  expect(formatStatusline(bare, viewOf())).toEqual(['today $32.50'])
})

test('the status line says where the cost is not known, and where a limit is passed', () => {
  const bare = { ...statusline, model: null, context: null, session: null, block: null }
  const today = { ...statusline.today, costUsd: null }
  expect(formatStatusline({ ...bare, today }, viewOf())).toEqual(['today unpriced'])
  const warn = { limitUsd: 20, per: 'day', spentUsd: 32.5, isOver: true } as const
  expect(formatStatusline({ ...bare, warn }, viewOf())).toEqual(['today $32.50 · over $20/day'])
})

test('a template says it in its own words', () => {
  const view = viewOf({ input: { template: '[{model}] {context} of the window, {left} left {nonsense}' } })
  expect(formatStatusline(statusline, view)).toEqual(['[opus-4-8] 42% of the window, 3h12m left {nonsense}'])
})

test('the settings are printed as they stand in the file', () => {
  const settings = '{\n  "statusLine": {}\n}'
  expect(formatStatusline({ ...statusline, settings }, viewOf())).toEqual([
    '{',
    '  "statusLine": {}',
    '}',
    '',
    'Add this to ~/.claude/settings.json. Nothing was written.',
  ])
})
