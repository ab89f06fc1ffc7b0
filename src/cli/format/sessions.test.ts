import { expect, test } from 'vitest'
import { NOW, sessionOf, viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatSessions } from './sessions.ts'

const counts = { rows: 9, prompts: 2, messages: 6, turns: 2, toolCalls: 3 }

test('under a heading, by day, one line a session; then what is marked, and what is not listed', () => {
  expect(formatSessions(samples.sessions, viewOf({ width: 90 }))).toEqual([
    'id           title                   project   time  active  turns  cost',
    'Today · Sun 15 Nov',
    '88aa0000  ●  Migrate queue           api      12:00     25m',
    'Yesterday · Sat 14 Nov',
    '3f9a1b2c     Fix token refresh race  api      09:48     25m',
    '11bb0000  !  (untitled)              api      09:48     25m',
    '',
    '1 of these expires within 7 days. Run `annals keep` to keep your history.',
    '3 of 40 sessions · 96 kB · 2 trivial',
    'Not listed: 3 empty, 1 summary-only (see --all)',
    '● running   ! expires within 7 days',
  ])
})

test('the columns depend on the width alone, and stand in one order', () => {
  const items = [
    sessionOf({
      counts,
      costUsd: 4.119,
      models: ['claude-opus-4-8-20260101', 'claude-haiku-4-5'],
      agents: [{ id: 'a1', class: 'task', type: null, description: null }],
      updatedAt: NOW,
    }),
  ]
  const bare = [sessionOf({ gitBranch: null, project: { key: '-x', path: '/x' }, updatedAt: NOW })]
  const heads = (width: number) =>
    [items, bare].map((one) =>
      formatSessions({ items: one, total: 1, trivial: 0, hidden: {} }, viewOf({ width }))[0]?.split(/\s+/),
    )
  for (const [width, head] of [
    [50, 'id title time cost'],
    [80, 'id title project time active turns cost'],
    [120, 'id title project time active turns agents cost model'],
    [200, 'id title project branch time active turns agents cost model'],
  ] as const) {
    expect(heads(width)).toEqual([head.split(' '), head.split(' ')])
  }
  expect(formatSessions({ items, total: 1, trivial: 0, hidden: {} }, viewOf({ width: 120 }))[2]).toBe(
    '3f9a1b2c    Fix token refresh race  api      12:00     25m      2     ◆ 1  $4.12  opus-4-8 +1',
  )
})

test('forks stand under their original, on the day of the newest of them', () => {
  const original = sessionOf({ costUsd: 137.79, updatedAt: '2026-11-03T10:00:00.000Z' })
  const inherited = { responses: 40, costUsd: 103.57 }
  const fork = sessionOf({ id: '5c0a1b2c', title: 'Another way', forkedFrom: original.id, costUsd: 34.22, inherited })
  const lone = sessionOf({ id: '77aa0000', title: 'Left alone', forkedFrom: 'eeee0000-0000', costUsd: 1 })
  const items = [fork, lone, original]
  const lines = formatSessions({ items, total: 3, trivial: 0, hidden: {} }, viewOf({ width: 160 }))
  expect(lines.slice(1, 5)).toEqual([
    'Yesterday · Sat 14 Nov',
    '3f9a1b2c     Fix token refresh race  api      main    3 Nov     25m                 $137.79',
    '5c0a1b2c  ⑂  └ Another way           api      main    09:48     25m                  $34.22         fork of 3f9a1b2c · $103.57 inherited',
    '77aa0000  ⑂  Left alone              api      main    09:48     25m                   $1.00         fork of eeee0000',
  ])
})

test('in another order every row says its day', () => {
  const items = [sessionOf({ id: '5c0a1b2c', updatedAt: '2025-11-03T10:00:00.000Z' }), sessionOf()]
  const view = viewOf({ width: 80, input: { sort: 'cost' } })
  expect(formatSessions({ items, total: 2, trivial: 0, hidden: {} }, view).slice(0, 3)).toEqual([
    'id          title                   project        time  active  turns  cost',
    '5c0a1b2c    Fix token refresh race  api      3 Nov 2025     25m',
    '3f9a1b2c    Fix token refresh race  api          14 Nov     25m',
  ])
})

test('where nobody looks on, rows alone, with tabs and whole days', () => {
  const items = [sessionOf({ counts, costUsd: 1 })]
  const lines = formatSessions({ items, total: 1, trivial: 0, hidden: {} }, viewOf({ width: Number.POSITIVE_INFINITY }))
  expect(lines[0]).toBe('3f9a1b2c\t\tFix token refresh race\tapi\tmain\t2026-11-14 09:48\t25m\t2\t\t$1.00\t\t')
})

test('a star stands with the other marks, a tag before the title, a note behind it all', () => {
  const starred = sessionOf({ starred: true, tags: ['auth'], note: 'ask Ben', updatedAt: NOW })
  const both = sessionOf({ id: '5c0a1b2c', status: 'live', starred: true, updatedAt: NOW })
  const result = { items: [starred, both], total: 2, trivial: 0, hidden: {} }
  expect(formatSessions(result, viewOf({ width: 80 }))).toEqual([
    'id            title                         project   time  active  turns  cost',
    'Today · Sun 15 Nov',
    '3f9a1b2c  ★   #auth Fix token refresh race  api      12:00     25m',
    '5c0a1b2c  ●★  Fix token refresh race        api      12:00     25m',
    '',
    '2 sessions · 64 kB',
    '● running   ★ starred',
  ])
  expect(formatSessions(result, viewOf({ width: 160 }))[2]).toMatch(/ask Ben$/)
  const piped = formatSessions(result, viewOf({ width: Number.POSITIVE_INFINITY }))[0]?.split('\t')
  expect([piped?.[1], piped?.[2], piped?.at(-1)]).toEqual(['★', 'Fix token refresh race', '#auth · ask Ben'])
})

test('names logs that are none', () => {
  const items = [sessionOf({ id: 'notes', title: null, kind: 'snapshot-only', counts: { ...counts, turns: 0 } })]
  const lines = formatSessions({ items, total: 1, trivial: 0, hidden: {} }, viewOf({ width: 80 }))
  expect(lines[2]).toBe('notes    (snapshot only)  api      09:48     25m      0')
})

test('tells that there are others where none fits', () => {
  const lines = formatSessions({ items: [], total: 0, trivial: 0, hidden: { empty: 2 } }, viewOf())
  expect(lines).toEqual(['No session matches.', '2 empty hidden: --all shows them.'])
})
