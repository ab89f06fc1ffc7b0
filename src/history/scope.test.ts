import { describe, expect, test } from 'vitest'
import { inScope } from './scope.ts'

const api = { key: '-home-ana-code-api', path: '/home/ana/code/api' }
const worktree = {
  key: '-home-ana-code-api--claude-worktrees-limits',
  path: '/home/ana/code/api/.claude/worktrees/limits',
}
const other = { key: '-srv-apix', path: '/srv/apix' }
const windows = { key: 'C--Users-Ana-web', path: 'C:\\Users\\Ana\\web' }
const unknown = { key: 'C--Users-Ana-old', path: null }
const all = [api, worktree, other, windows, unknown]

const meant = (project: string, cwd = '/tmp') => all.filter(inScope({ project }, cwd)).map(({ key }) => key)

describe('--project takes', () => {
  test.each([
    ['the path', '/home/ana/code/api', [api.key]],
    ['the path with a slash at its end', '/home/ana/code/api/', [api.key]],
    ['the folder name', api.key, [api.key]],
    ['the name that lists show', 'api', [api.key]],
    ['the path below a repository that lists show', '.claude/worktrees/limits', [worktree.key]],
    ['a path whose beginning was cut', '…/code/api', [api.key]],
    ['a path of Windows', 'C:\\Users\\Ana\\web', [windows.key]],
    ['a path of Windows with slashes, in any case', 'c:/users/ana/web', [windows.key]],
    ['a path of Windows that no record told', 'C:/Users/Ana/old', [unknown.key]],
    ['no part of a name', 'ap', []],
    ['no other end', 'x/api', []],
  ])('%s', (_, named, keys) => expect(meant(named)).toEqual(keys))

  test('a path from here', () => {
    expect(meant('api', '/home/ana/code')).toEqual([api.key])
    expect(meant('.', '/home/ana/code/api')).toEqual([api.key])
  })
})
