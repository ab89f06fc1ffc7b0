import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatStatusline } from './statusline.ts'

test('the status line is one line: today and the session', () => {
  // 91,000 + 340,000 + 12,000,000 + 40,000 + 900,000 tokens.
  expect(formatStatusline(samples.statusline, viewOf())).toEqual(['today $32.50 13.4M · session $32.50 13.4M'])
})

test('the status line says where the cost is not known', () => {
  const today = { ...samples.statusline.today, costUsd: null }
  expect(formatStatusline({ ...samples.statusline, today, session: null }, viewOf())).toEqual(['today unpriced 13.4M'])
})
