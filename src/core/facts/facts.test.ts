import { describe, expect, test } from 'vitest'
import { log } from '../../testing/index.ts'
import type { JsonObject } from '../json.ts'
import { readLog } from '../log/log.ts'
import { isRecordType } from '../log/record-types.ts'
import { FactsFold, type LogKind, logKind } from './facts.ts'

function factsOf(input: Uint8Array | readonly JsonObject[]) {
  const bytes =
    input instanceof Uint8Array
      ? input
      : new TextEncoder().encode(input.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const fold = new FactsFold()
  for (const record of readLog(bytes).records) fold.add(record)
  return fold.facts()
}

test('gathers what a list of sessions shows', () => {
  const made = log({
    version: '2.1.325',
    cwd: '/home/ana/api',
    gitBranch: 'main',
    startedAt: '2026-03-02T09:00:00.000Z',
  })
  const facts = factsOf(
    made.user('one').assistant('a').cd('/home/ana/api/sub', 'topic').user('two').assistant('b').title('T').content(),
  )
  expect(facts).toMatchObject({
    cwd: '/home/ana/api',
    gitBranch: 'topic',
    version: '2.1.325',
    sessionIds: [made.sessionId],
  })
  expect(facts.customTitle?.text).toBe('T')
  expect(facts.firstAt?.startsWith('2026-03-02T09:0')).toBe(true)
  expect(facts.usage).toHaveLength(2)
  expect(facts.types).toContain('user')
})

test('the version is that of the last row', () => {
  expect(factsOf(log({ version: '2.1.112' }).user('x').upgrade('2.1.325').user('y').content()).version).toBe('2.1.325')
})

test('session ids are those of the first ten records', () => {
  const rows = Array.from({ length: 12 }, (_, i) => ({ type: 'mode', sessionId: `s${i}` }))
  expect(factsOf(rows).sessionIds).toEqual(rows.slice(0, 10).map((row) => row.sessionId))
  expect(
    factsOf(log({ version: '1.0.128' }).user('x').continued({ sessionId: 'new' }).user('y').content()).sessionIds,
  ).not.toContain('new')
})

test('a session that was branched knows where from', () => {
  const made = log().user('x').assistant('a')
  expect(factsOf(made.branched().user('y').content()).forkedFrom).toBe(made.sessionId)
  expect(factsOf(made.content()).forkedFrom).toBeNull()
})

test.each<[string, readonly JsonObject[], object]>([
  ['a title', [{ type: 'custom-title', customTitle: 'A' }], { customTitle: { text: 'A', line: 1 } }],
  [
    'a title taken back',
    [
      { type: 'custom-title', customTitle: 'A' },
      { type: 'custom-title', customTitle: '' },
    ],
    { customTitle: null },
  ],
  [
    'a summary',
    [{ type: 'summary', summary: 'S', leafUuid: 'u' }],
    { summaries: [{ text: 'S', leafUuid: 'u', line: 1 }] },
  ],
  ['a summary of nothing', [{ type: 'summary', summary: 'S' }], { summaries: [] }],
  ['where it goes on', [{ type: 'continued-in', continuedInSessionId: 's2' }], { continuedIn: 's2' }],
  ['a move', [{ type: 'relocated', relocatedCwd: '/w' }], { relocatedCwd: '/w' }],
  [
    'a worktree',
    [{ type: 'worktree-state', worktreeSession: { worktreePath: '/w', originalCwd: '/o' } }],
    { relocatedCwd: '/w' },
  ],
  [
    'the ledger, last one',
    [
      { type: 'cost-state', totalCostUSD: 1 },
      { type: 'cost-state', totalCostUSD: 2 },
    ],
    { costState: { totalCostUSD: 2 } },
  ],
])('%s', (_, rows, expected) => expect(factsOf(rows)).toMatchObject(expected))

test('the span is from the first to the last record that tells a time', () => {
  const rows = [
    '2026-03-02T09:02:00.000Z',
    '2026-03-02T09:01:00.000Z',
    '2026-03-02T09:03:00.000Z',
    '2026-03-02T09:02:30.000Z',
  ].map((timestamp) => ({ type: 'queue-operation', timestamp }))
  expect(factsOf(rows)).toMatchObject({ firstAt: '2026-03-02T09:02:00.000Z', lastAt: '2026-03-02T09:02:30.000Z' })
  expect(factsOf([{ type: 'mode' }])).toMatchObject({ firstAt: null, lastAt: null })
})

describe('the kind of a log', () => {
  test.each<[readonly string[], LogKind]>([
    [[], 'empty'],
    [['user'], 'conversation'],
    [['mode', 'assistant'], 'conversation'],
    [['summary'], 'summary-only'],
    [['summary', 'file-history-snapshot'], 'summary-only'],
    [['file-history-snapshot'], 'snapshot-only'],
    [['file-history-snapshot', 'file-history-delta'], 'snapshot-only'],
    [['queue-operation', 'custom-title'], 'metadata-only'],
    [['system'], 'metadata-only'],
    [['mode', 'novel'], 'unknown'],
    [['none'], 'unknown'],
    [['constructor'], 'unknown'],
  ])('%j', (types, kind) => expect(logKind(types, isRecordType)).toBe(kind))
})
