import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatReceipt } from './receipt.ts'

test('a receipt shows the sum, the price with its source, and every row', () => {
  const lines = formatReceipt(samples.receipt, viewOf({ width: Number.POSITIVE_INFINITY, input: { lines: true } }))
  const log = '~/.claude/projects/-code-api/log.jsonl'
  expect(lines).toEqual([
    '2026-11-11 · Europe/Berlin · $0.0189',
    '',
    '$0.0189 · claude-opus-5-5 · 2026-11-15 12:00:00 UTC · agent-a1b2c3d4e5f60718 · abandoned branch · counted too low: cut short · msg_1',
    '  1.1 × (11 in × $4 + 142 out × $20 + 11,800 cache read × $0.20 + 549 cache write (5 min) × $5 + 20 cache write (1 h) × $8) + 1 web search × $0.01',
    "  per million tokens at prices of 2026-11: the client's own list, 2.1.325",
    `  ✓ ${log}:12 @3455  it has the most output tokens`,
    `  · ${log}:13 @3455  written before it was complete`,
    '',
    '1 response copied from 88aa0000: counted there',
    '',
    '1 response · 1 repeated row counted once · API prices, not your invoice',
  ])
})

test('a receipt says where a price is not known', () => {
  const items = samples.receipt.items.map((item) => ({ ...item, price: null, costUsd: null }))
  const text = formatReceipt({ ...samples.receipt, items }, viewOf({ input: { lines: true } })).join('\n')
  expect(text).toContain('unpriced · claude-opus-5-5')
  expect(text).toContain('No price is known for this model: it is not in any total.')
})

test('a day is told by sessions, turns and models, with the multiplication', () => {
  expect(formatReceipt(samples.receipt, viewOf({ width: 80 }))).toEqual([
    '2026-11-11 · Europe/Berlin · $0.0189',
    '',
    'Fix token refresh race · api · 3f9a1b2c                                  $0.0116',
    '  2 › fix it, with a test                                                $0.0116',
    '      claude-opus-5-5 · 2 responses · $0.0116',
    '        1,200 in × $4 + 340 out × $20 per million',
    '',
    '1 response copied from 88aa0000: counted there',
    '',
    '1 response · 1 repeated row counted once · API prices, not your invoice',
    'annals receipt 2026-11-11 --lines',
  ])
})

test('a long title gives way to the project, the id and the amount', () => {
  const sessions = samples.receipt.sessions.map((session) => ({ ...session, title: 'word '.repeat(40) }))
  const lines = formatReceipt({ ...samples.receipt, sessions }, viewOf({ width: 60 }))
  expect(lines[2]).toBe(`${'word '.repeat(40).slice(0, 33)}… · api · 3f9a1b2c  $0.0116`)
})

test('days that are put together are told as one day is, and a turn as its session is', () => {
  const key = '2026-11-09..2026-11-11'
  const period = formatReceipt({ ...samples.receipt, kind: 'period', key, title: key }, viewOf({ width: 80 }))
  expect(period.slice(0, 4)).toEqual([
    `${key} · Europe/Berlin · $0.0189`,
    '',
    'Fix token refresh race · api · 3f9a1b2c                                  $0.0116',
    '  2 › fix it, with a test                                                $0.0116',
  ])
  expect(period.at(-1)).toBe(`annals receipt ${key} --lines`)
  const id = '3f9a1b2c-0000-4000-8000-000000000000'
  const turn = formatReceipt({ ...samples.receipt, kind: 'turn', key: id, title: 'Fix it' }, viewOf({ width: 80 }))
  expect(turn[0]).toBe('Fix it · 3f9a1b2c:2 · $0.0189')
  expect(turn[2]).toContain('2 › fix it, with a test')
  expect(turn.at(-1)).toBe('annals receipt 3f9a1b2c:2 --lines')
})
