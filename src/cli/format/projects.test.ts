import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatProjects } from './projects.ts'

test('worktrees hang below their repository', () => {
  expect(formatProjects({ ...samples.projects, families: [] }, viewOf())).toEqual([
    '/code/api                           7 sessions  11 agents  192 kB  just now',
    '└─ .claude/worktrees/wt (worktree)   1 session             192 kB  just now',
    '-notes                              7 sessions  11 agents  192 kB  just now',
    '',
    '3 projects · 15 sessions · 576 kB · sessions and agents: --families',
  ])
})

test('families are sessions with their agents', () => {
  expect(formatProjects(samples.projects, viewOf()).slice(0, 4)).toEqual([
    '/code/api                           7 sessions  11 agents  192 kB  just now',
    '├─ 3f9a1b2c                                                 46 kB',
    '│  └─ ◆ agent-a1b2c3d4',
    '└─ .claude/worktrees/wt (worktree)   1 session             192 kB  just now',
  ])
})

test('a worktree whose repository has no sessions still shows where it belongs', () => {
  const [, worktree] = samples.projects.items
  const items = worktree ? [worktree] : []
  expect(formatProjects({ items, total: 1, families: [] }, viewOf()).slice(0, 2)).toEqual([
    '/code/api',
    '└─ .claude/worktrees/wt (worktree)  1 session  192 kB  just now',
  ])
})
