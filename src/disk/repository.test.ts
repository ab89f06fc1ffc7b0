import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withFolder } from '../../tests/support/made-folder.ts'
import { repositoryOf } from './repository.ts'

test('finds the repository of a folder and of what is below it, there or not', () => {
  withFolder({ 'repo/.git/HEAD': '', 'repo/src': null }, (folder) => {
    const repository = join(folder, 'repo')
    for (const path of ['repo', 'repo/src', 'repo/src/gone/deep', 'repo/']) {
      expect(repositoryOf(join(folder, path))).toEqual({ repository, worktree: false })
    }
  })
})

test('follows a worktree to its repository', () => {
  withFolder({ 'repo/.git': null, 'side/.git': 'gitdir: ../repo/.git/worktrees/x\n', 'side/sub': null }, (folder) => {
    const found = { repository: join(folder, 'repo'), worktree: true }
    expect(repositoryOf(join(folder, 'side'))).toEqual(found)
    expect(repositoryOf(join(folder, 'side/sub'))).toEqual(found)
    writeFileSync(join(folder, 'side/.git'), `gitdir: ${join(folder, 'repo/.git/worktrees/x')}`)
    expect(repositoryOf(join(folder, 'side'))).toEqual(found)
  })
})

test('finds the repository of a bare one, of a submodule and of separate data', () => {
  const files = {
    'bare/.git': 'gitdir: ../data.git/worktrees/x',
    'sub/.git': 'gitdir: ../repo/.git/modules/sub',
    'separate/.git': 'gitdir: ../elsewhere',
  }
  withFolder(files, (folder) => {
    expect(repositoryOf(join(folder, 'bare'))).toEqual({ repository: join(folder, 'data.git'), worktree: true })
    expect(repositoryOf(join(folder, 'sub'))).toEqual({ repository: join(folder, 'sub'), worktree: false })
    expect(repositoryOf(join(folder, 'separate'))).toEqual({ repository: join(folder, 'separate'), worktree: false })
  })
})

test.each(['.claude/worktrees', '.worktrees'])('knows a worktree under %s, also when it is gone', (place) => {
  const files = { 'repo/.git': null, [`repo/${place}/empty`]: null, [`repo/${place}/clone/.git`]: null }
  withFolder(files, (folder) => {
    const repository = join(folder, 'repo')
    expect(repositoryOf(join(repository, place, 'gone/src'))).toEqual({ repository, worktree: true })
    expect(repositoryOf(join(repository, place, 'empty'))).toEqual({ repository, worktree: true })
    expect(repositoryOf(join(repository, place))).toEqual({ repository, worktree: false })
    // What has its own `.git` folder is a clone, wherever it stands.
    const clone = join(repository, place, 'clone')
    expect(repositoryOf(clone)).toEqual({ repository: clone, worktree: false })
    expect(repositoryOf(join(folder, 'lost', place, 'x'))).toEqual({ repository: join(folder, 'lost'), worktree: true })
  })
})

test('a worktree that is gone belongs where those beside it do', () => {
  const files = {
    'code/.git': null,
    'erk/repos/code/worktrees/a/.git': 'gitdir: ../../../../../code/.git/worktrees/a\n',
  }
  withFolder(files, (folder) => {
    const found = { repository: join(folder, 'code'), worktree: true }
    expect(repositoryOf(join(folder, 'erk/repos/code/worktrees/a'))).toEqual(found)
    expect(repositoryOf(join(folder, 'erk/repos/code/worktrees/gone/src'))).toEqual(found)
    const lost = join(folder, 'erk/repos/lost')
    for (const name of ['x', 'y/src']) {
      expect(repositoryOf(join(lost, 'worktrees', name))).toEqual({ repository: lost, worktree: true })
    }
    // A folder that is there, and no worktree, is none.
    expect(repositoryOf(join(folder, 'erk/repos/code/worktrees'))).toBeUndefined()
  })
})

test('a worktree made inside another leads to the first repository', () => {
  withFolder({ 'repo/.git': null }, (folder) => {
    const path = join(folder, 'repo/.claude/worktrees/a/.claude/worktrees/b')
    expect(repositoryOf(path)).toEqual({ repository: join(folder, 'repo'), worktree: true })
  })
})

test.skipIf(process.platform === 'win32')('takes paths of another system by their words alone', () => {
  expect(repositoryOf('C:\\code\\repo\\.claude\\worktrees\\x\\src')).toEqual({
    repository: 'C:\\code\\repo',
    worktree: true,
  })
  expect(repositoryOf('C:\\code\\repo')).toBeUndefined()
})

test.each(['', 'relative', '/', '/nowhere/at/all', '/repo-worktrees/x', '/nul\0name'])(
  'knows no repository of %j',
  (path) => {
    expect(repositoryOf(path)).toBeUndefined()
  },
)

test.each(['', 'gitdir:', 'no such thing'])('passes over a .git file that says %j', (content) => {
  withFolder({ 'repo/.git': null, 'repo/inner/.git': content }, (folder) => {
    expect(repositoryOf(join(folder, 'repo/inner'))).toEqual({ repository: join(folder, 'repo'), worktree: false })
  })
})
