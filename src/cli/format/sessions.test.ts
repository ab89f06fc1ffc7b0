import { expect, test } from 'vitest'
import { sessionOf, viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatSessions } from './sessions.ts'

test('one line a session, and what is hidden', () => {
  expect(formatSessions(samples.sessions, viewOf())).toEqual([
    '88aa0000  ● Migrate queue           api · main  just now   32 kB',
    '3f9a1b2c    Fix token refresh race  api · main  yesterday  32 kB',
    '11bb0000    (untitled)              api · main  yesterday  expires in 3 d',
    '',
    '1 session expires within 7 days. `annals keep` keeps what there is.',
    '3 shown of 40 · 96 kB · 3 empty, 1 summary-only hidden: --all',
  ])
})

test('with room, size and warning stand side by side', () => {
  const lines = formatSessions(samples.sessions, viewOf({ width: 140 }))
  expect(lines[2]).toBe('11bb0000    (untitled)              api · main  yesterday  32 kB  expires in 3 d')
})

test('without room, only the warning stays', () => {
  const lines = formatSessions(samples.sessions, viewOf({ width: 60 }))
  expect(lines.slice(1, 3)).toEqual([
    '3f9a1b2c    Fix token refresh race  api  yesterday',
    '11bb0000    (untitled)              api  expires in 3 d',
  ])
})

test('forks stand under their original, with what they inherited; one without it names it', () => {
  const original = sessionOf({ costUsd: 137.79 })
  const inherited = { responses: 40, costUsd: 103.57 }
  const fork = sessionOf({ id: '5c0a1b2c', title: 'Another way', forkedFrom: original.id, costUsd: 34.22, inherited })
  const lone = sessionOf({ id: '77aa0000', title: 'Left alone', forkedFrom: 'eeee0000-0000', costUsd: 1 })
  const lines = formatSessions({ items: [fork, lone, original], total: 3, hidden: {} }, viewOf({ width: 140 }))
  expect(lines.slice(0, 3)).toEqual([
    '3f9a1b2c  Fix token refresh race         api · main  yesterday  32 kB                     $137.79',
    '5c0a1b2c  └ Another way                  api · main  yesterday  32 kB  $34.22 · $103.57 inherited',
    '77aa0000  Left alone (fork of eeee0000)  api · main  yesterday  32 kB                       $1.00',
  ])
})

test('counts turns where all were counted, and names logs that are none', () => {
  const counts = { rows: 9, prompts: 2, messages: 6, turns: 2, toolCalls: 3 }
  const items = [
    sessionOf({ counts }),
    sessionOf({ id: 'notes', title: null, kind: 'snapshot-only', counts: { ...counts, turns: 0 }, gitBranch: null }),
  ]
  expect(formatSessions({ items, total: 2, hidden: {} }, viewOf())).toEqual([
    '3f9a1b2c  Fix token refresh race  api · main  yesterday  2 turns',
    'notes     (snapshot only)         api         yesterday  0 turns',
    '',
    '2 sessions · 64 kB',
  ])
})

test('tells that there are others where none fits', () => {
  const lines = formatSessions({ items: [], total: 0, hidden: { empty: 2 } }, viewOf())
  expect(lines).toEqual(['There is no such session.', '2 empty hidden: --all shows them.'])
})
