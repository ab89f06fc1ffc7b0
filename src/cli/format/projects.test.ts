import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatProjects } from './projects.ts'

test('worktrees hang below their repository, under one heading', () => {
  expect(formatProjects({ ...samples.projects, families: [] }, viewOf())).toEqual([
    'project                             sessions  agents    size  last',
    '/code/api                                  7      11  192 kB  just now',
    '└─ .claude/worktrees/wt (worktree)         1          192 kB  just now',
    '-notes                                     7      11  192 kB  just now',
    '',
    '3 projects · 15 sessions · 576 kB · sessions and agents: --families',
  ])
})

test('families are sessions with their titles, agents with their types, and what is gone', () => {
  const lines = formatProjects(samples.projects, viewOf())
  expect(lines.slice(1, 6)).toEqual([
    '/code/api                                           7      11  192 kB  $4.12  just now',
    '├─ 3f9a1b2c Fix token refresh race                          1   46 kB  $4.12  just now',
    '│  └─ ◆ agent-a1b2c3d4 Explore find callers',
    '├─ 88aa0000 Swept (gone)                                         gone         just now',
    '└─ .claude/worktrees/wt (worktree)                  1          192 kB         just now',
  ])
  expect(lines.at(-1)).toBe('3 projects · 15 sessions · 1 gone · 576 kB')
})

test('a worktree whose repository has no sessions still shows where it belongs', () => {
  const [, worktree] = samples.projects.items
  const items = worktree ? [worktree] : []
  expect(formatProjects({ items, total: 1, families: [] }, viewOf()).slice(1, 3)).toEqual([
    '/code/api',
    '└─ .claude/worktrees/wt (worktree)         1          192 kB  just now',
  ])
})

test('piped, each project is a row with its whole path', () => {
  const piped = formatProjects({ ...samples.projects, families: [] }, viewOf({ width: Number.POSITIVE_INFINITY }))
  expect(piped.slice(0, 3)).toEqual([
    '/code/api\t7\t11\t192 kB\t2026-11-15 12:00',
    '/code/api/.claude/worktrees/wt\t1\t\t192 kB\t2026-11-15 12:00',
    '-notes\t7\t11\t192 kB\t2026-11-15 12:00',
  ])
})
