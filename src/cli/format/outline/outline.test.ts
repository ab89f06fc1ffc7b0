import { expect, test } from 'vitest'
import { agentOf, viewOf } from '../../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../../tests/support/format-samples.ts'
import { formatOutline } from './outline.ts'

test('gives a line to every turn, and to what happened in it', () => {
  expect(formatOutline(samples.outline, viewOf()).slice(3)).toEqual([
    '1 › why are users logged out with two tabs open?   5 rows  3 calls       1 min 1 s  $0.61',
    '2 › fix it, with a test                           15 rows  3 calls  ✗ 2  1 min 1 s  $3.51',
    '    ▸ Let me look. · 3 calls · row 6',
    '    ◆ Explore: find callers · row 6',
    '    ✗ Bash · row 8',
    '    ☰ Rate limits · row 12',
    '    ■ interrupted · row 15',
    '    ── compacted auto, 154000 → 6410 tokens · row 18',
    '',
    'annals show 3f9a1b2c --rows   annals show 3f9a1b2c --context',
  ])
})

test('names the agent, and a branch that was left', () => {
  const lines = formatOutline({ ...samples.outline, agent: agentOf(), branch: 'other' }, viewOf())
  expect(lines).toContain('↶ This branch was abandoned')
  expect(lines.at(-1)).toContain('annals show agent-a1b2c3d4e5f60718 --rows')
})

test('cuts what happened where it is too long, never the row that one types', () => {
  const text = 'a long sentence about what the model did here '.repeat(4)
  const marks = samples.outline.marks.map((mark) => (mark.kind === 'step' ? { ...mark, text } : mark))
  const line = formatOutline({ ...samples.outline, marks }, viewOf({ width: 60 })).find((one) => one.includes('▸'))
  expect(line).toMatch(/^ {4}▸ a long sentence .*… · 3 calls · row 6$/)
  expect(line).toHaveLength(60)
})
