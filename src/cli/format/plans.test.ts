import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatPlans } from './plans.ts'

test('lists plans', () => {
  expect(formatPlans(samples.plans, viewOf())).toEqual([
    'plan         state       when      session',
    'Rate limits  ✓ accepted  just now  3f9a1b2c',
    'Pictures     file        just now  calm-otter',
    '',
    '2 plans · to read those of one session: annals plans <session>',
  ])
})

test('reads a single plan, and those of one session', () => {
  const items = samples.plans.items.slice(0, 1)
  const whole = [
    'Rate limits',
    '✓ accepted · just now · 3f9a1b2c · ~/.claude/projects/-code-api/log.jsonl:12',
    '',
    '  # Rate limits',
    '',
    '  First the window.',
  ]
  expect(formatPlans({ items, total: 1 }, viewOf())).toEqual(whole)
  expect(formatPlans(samples.plans, viewOf({ input: { session: 'last' } })).slice(0, 6)).toEqual(whole)
})
