import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatSearch } from './search.ts'

const [hit] = samples.search.hits as [(typeof samples.search.hits)[number]]
const near = (role: string, text: string) => ({ role, kind: 'text', timestamp: null, text })

test('what stands around a hit stands around its words, a line each', () => {
  const around = { before: [near('user', 'Why?\nSay it.')], after: [near('assistant', 'x'.repeat(300))] }
  const plain = formatSearch({ ...samples.search, groups: [], hits: [hit], total: 1 }, viewOf({ width: 60 }))
  const lines = formatSearch(
    { ...samples.search, groups: [], hits: [{ ...hit, ...around }], total: 1 },
    viewOf({ width: 60 }),
  )
  const [head, label, ...rest] = plain
  const end = rest.indexOf('')
  expect(lines).toEqual([
    head,
    label,
    '    user: Why? Say it.',
    ...rest.slice(0, end),
    `    Claude: ${'x'.repeat(47)}…`,
    ...rest.slice(end),
  ])
})

test('a long title gives way to the project and the id, which one types', () => {
  const long = { ...hit, title: 'word '.repeat(40) }
  const [head] = formatSearch({ ...samples.search, groups: [], hits: [long], total: 1 }, viewOf({ width: 60 }))
  expect(head).toBe(`${'word '.repeat(40).slice(0, 42)}… · api · 3f9a0000`)
})

test('each hit names its turn, who said it and when, and the point that leads there; what is not shown is counted', () => {
  const output = {
    ...hit,
    who: 'output of Bash · npm test',
    point: `${hit.session}:99887766`,
    turn: null,
    agent: 'a1b2c3d4e5f6',
    timestamp: '2026-11-15T08:05:00.000Z',
    snippet: 'refresh failed',
    matches: [[0, 7]] as [number, number][],
  }
  const groups = samples.search.groups.map((group) => ({ ...group, count: 151 }))
  const result = { ...samples.search, hits: [hit, output], groups, total: 151, moreHits: false, behindBytes: 0 }
  expect(formatSearch(result, viewOf({ width: 80 }))).toEqual([
    'Fix token refresh race · api · 3f9a0000',
    '  3f9a0000:1a2b3c4d · turn 2 · answer                               14 Nov 10:00',
    '    Both tabs spend the same «refresh» token, so the second one is rejected.',
    '  3f9a0000:99887766 · agent a1b2c3d4, output of Bash · npm test            08:05',
    '    «refresh» failed',
    '  +149 more here: --session 3f9a0000',
    '',
    '2 of 151 hits shown · in 1 session · 7 ms',
    'annals show 3f9a0000:1a2b3c4d   annals resume 3f9a0000',
  ])
})
