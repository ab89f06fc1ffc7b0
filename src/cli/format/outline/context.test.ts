import { expect, test } from 'vitest'
import { viewOf } from '../../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../../tests/support/format-samples.ts'
import { formatContext } from './context.ts'

test('draws how full the window was after each turn, and what filled it', () => {
  expect(formatContext(samples.context, viewOf())).toEqual([
    `1 › why are users logged out with two tabs open?  ${'█'.repeat(7)}${'░'.repeat(17)}  29 %  57.2k`,
    `2 › fix it, with a test                           ${'█'.repeat(2)}${'░'.repeat(22)}   7 %  14.4k`,
    '    ── compacted (auto) · 154k → 6.41k tokens ──',
    '',
    '3 responses · at most 154k of 200k tokens in the window',
    'tool results 31.4k · answers 414 · tool calls 221 · prompts 22',
    'what filled it is estimated from its length',
    'the cache was lost 1 time: 56k tokens read again, $0.32 more',
    '',
    'annals show 3f9a1b2c --outline',
  ])
})
