import { expect, test } from 'vitest'
import { viewOf } from '../../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../../tests/support/format-samples.ts'
import { formatTimeline } from './timeline.ts'

test('tells where the time of each turn went, and that the part of the API is an estimate', () => {
  expect(formatTimeline(samples.timeline, viewOf())).toEqual([
    '                                                  took  tools  API ≈  for you',
    '1 › why are users logged out with two tabs open?   42s    12s    30s       4m',
    '2 › fix it, with a test                             2m     2m    30s      20s',
    '',
    'tools 1 min 47 s · waiting for you 4 min 20 s · API about 1 min (the rest)',
    '2 calls · 1 agent · 1 task in the background',
    '',
    'annals show 3f9a1b2c --outline   annals show 3f9a1b2c --context',
  ])
})
