import { expect, test } from 'vitest'
import { commitsOf } from './commits.ts'

test.each([
  [
    'git add -A && git commit -m "fix: race"',
    '[fix/tokens 9f2c1aa] fix: race\n 1 file changed',
    [{ hash: '9f2c1aa', branch: 'fix/tokens', message: 'fix: race' }],
  ],
  ['git commit -m x', '[main (root-commit) 9f2c1aa] x', [{ hash: '9f2c1aa', branch: 'main', message: 'x' }]],
  ['git -C /a commit -m x', '[detached HEAD 9f2c1aa] x', [{ hash: '9f2c1aa', branch: 'detached HEAD', message: 'x' }]],
  ['git commit -qam "perf: index"', '', [{ hash: null, branch: null, message: 'perf: index' }]],
  [
    `git commit -q -m "$(cat <<'EOF'\nfeat: two lines\n\nmore\nEOF\n)"`,
    '',
    [{ hash: null, branch: null, message: 'feat: two lines' }],
  ],
  ['git commit -m x', 'nothing to commit, working tree clean', []],
  ['git commit', 'fatal: not a git repository', []],
  ['git log --oneline', '[main 9f2c1aa] not a commit', []],
  ['git commit-tree abc', '', []],
  ['echo commit', '', []],
])('%s', (command, output, commits) => expect(commitsOf(command, output)).toEqual(commits))
