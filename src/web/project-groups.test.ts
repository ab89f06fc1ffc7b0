import { expect, test } from 'vitest'
import { keysOf, type ProjectLine, projectGroups, scopeOf } from './project-groups.ts'

function project(part: Partial<ProjectLine> & { readonly key: string }): ProjectLine {
  return {
    root: '/r',
    dir: `/r/projects/${part.key}`,
    path: null,
    repository: null,
    worktree: false,
    sessions: 1,
    hidden: 0,
    agents: 0,
    sizeBytes: 1,
    firstActivity: null,
    lastActivity: null,
    ...part,
  }
}

const api = project({ key: '-code-api', path: '/code/api', repository: '/code/api' })
const tree = project({ key: '-trees-x', path: '/trees/x', repository: '/code/api', worktree: true })
const notes = project({ key: '-notes', path: '/notes' })
const lost = project({ key: '-lost' })

test('worktrees stand under their repository, whatever comes first', () => {
  const groups = projectGroups([tree, notes, api, lost])
  expect(groups.map(({ key, name, parts }) => [key, name, parts.map((part) => part.key)])).toEqual([
    ['-code-api', 'api', ['-trees-x']],
    ['-notes', 'notes', []],
    ['-lost', '-lost', []],
  ])
})

test('a repository stands for all its worktrees, a worktree for itself', () => {
  const groups = projectGroups([api, tree])
  expect([...keysOf(groups, '-code-api')]).toEqual(['-code-api', '-trees-x'])
  expect([...keysOf(groups, '-trees-x')]).toEqual(['-trees-x'])
  expect(scopeOf(groups, '-code-api')).toEqual({ under: '/code/api' })
  expect(scopeOf(groups, '-trees-x')).toEqual({ project: '-trees-x' })
  expect(scopeOf(groups, undefined)).toEqual({})
})
