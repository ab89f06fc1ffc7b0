import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatRecap } from './recap.ts'

test('what runs and waits first, then what was done', () => {
  expect(formatRecap(samples.recap, viewOf({ width: 80 }))).toEqual([
    'Today · Sun 15 Nov · UTC',
    '',
    '● runs           88aa0000  Migrate queue  api  just now',
    '◌ waits for you  –         (untitled)     web  just now',
    '',
    '1 session · 3 turns · 25 min · $4.12 · 2 files changed · 1 commit · 2 failures ·',
    '1 open todo',
    '',
    '/code/api',
    '  09:00  3f9a1b2c  Fix token refresh race     25m  3 turns  $4.12',
    '         src/auth.ts +18 −4, src/auth.test.ts +30 · 2 failures · 1 open todo',
    '         1 commit: fix: token race',
    '         › Added a mutex; two tests cover it.',
    '',
    'annals show 3f9a1b2c   annals recap --markdown   annals usage',
  ])
})

test('as a note', () => {
  expect(formatRecap(samples.recap, viewOf({ input: { markdown: true } }))).toEqual([
    '# Today · Sun 15 Nov',
    '',
    '1 session · 3 turns · 25 min · $4.12 · 2 files changed · 1 commit · 2 failures · 1 open todo',
    '',
    '## /code/api',
    '',
    '- **Fix token refresh race** (09:00 · 25 min · 3 turns · $4.12 · `3f9a1b2c`)',
    '  - commit 9f2c1aa fix: token race',
    '  - src/auth.ts +18 −4',
    '  - src/auth.test.ts +30',
    '  - 2 failures · 1 open todo',
    '  - Added a mutex; two tests cover it.',
  ])
})

test('of several days the rows say which', () => {
  const lines = formatRecap({ ...samples.recap, from: '2026-11-09T00:00:00.000Z', live: [] }, viewOf({ width: 100 }))
  expect(lines[0]).toBe('9 Nov – 15 Nov · UTC')
  expect(lines).toContain('  15 Nov 09:00  3f9a1b2c  Fix token refresh race     25m  3 turns  $4.12')
  const note = formatRecap(
    { ...samples.recap, from: '2026-11-09T00:00:00.000Z' },
    viewOf({ input: { markdown: true } }),
  )
  expect(note.find((line) => line.startsWith('- **'))).toContain('(15 Nov 09:00 · 25 min')
})

test('what Markdown would take for its own is written as it is', () => {
  const [project] = samples.recap.projects
  const [session] = project?.sessions ?? []
  if (!project || !session) throw new Error('The sample has one.')
  const hostile = { ...project, sessions: [{ ...session, title: '**x** [y](z) <b>' }] }
  const lines = formatRecap({ ...samples.recap, projects: [hostile] }, viewOf({ input: { markdown: true } }))
  expect(lines.find((line) => line.startsWith('- **'))).toContain('\\*\\*x\\*\\* \\[y\\](z) \\<b\\>')
})
