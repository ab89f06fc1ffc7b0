import { expect, test } from 'vitest'
import { isTaken, movesIn, sourcesOf } from './shell-moves.ts'

const IN = '/home/ana/api'

test.each([
  ['mv a.ts b.ts', [['/home/ana/api/a.ts', '/home/ana/api/b.ts']]],
  ['git mv -f src/a.ts ../web/a.ts', [['/home/ana/api/src/a.ts', '/home/ana/web/a.ts']]],
  [`mv 'a b.ts' "c d.ts"`, [['/home/ana/api/a b.ts', '/home/ana/api/c d.ts']]],
  ['mv a\\ b.ts /x/c.ts', [['/home/ana/api/a b.ts', '/x/c.ts']]],
  [
    'mkdir -p lib && mv a.ts b.ts lib/ && ls',
    [
      ['/home/ana/api/a.ts', '/home/ana/api/lib'],
      ['/home/ana/api/b.ts', '/home/ana/api/lib'],
    ],
  ],
  ['cd src && mv a.ts b.ts', [['/home/ana/api/src/a.ts', '/home/ana/api/src/b.ts']]],
  ['ls; mv a b', [['/home/ana/api/a', '/home/ana/api/b']]],
  ['npm test\nmv a b\n', [['/home/ana/api/a', '/home/ana/api/b']]],
  [
    'rm -rf old && git rm -q x.ts',
    [
      ['/home/ana/api/old', null],
      ['/home/ana/api/x.ts', null],
    ],
  ],
  ['ls | wc -l && mv a b', [['/home/ana/api/a', '/home/ana/api/b']]],
  ['mv -- -a b', [['/home/ana/api/-a', '/home/ana/api/b']]],
])('%s', (command, expected) => {
  expect(movesIn(command, IN).map(({ from, to }) => [from, to])).toEqual(expected)
})

test.each([
  'mv a b; ls',
  'mv a b || true',
  'mv a b &',
  'mv $A b',
  'mv *.ts src/',
  'mv a b > log',
  'cd "$X" && mv a b',
  'git rm --cached a',
  'mv -t lib a b',
  'echo "mv a b"',
  "cat > x <<'EOF'\nmv a b\nEOF",
  'mv a',
  "mv 'a b",
  'find . -exec mv {} x \\;',
])('%s shows nothing for sure', (command) => {
  expect(movesIn(command, IN)).toEqual([])
})

test('a path comes from the file, or from the folder that was moved', () => {
  const move = { from: '/p/old', to: '/p/new' }
  expect(sourcesOf('/p/new', move)).toEqual(['/p/old'])
  expect(sourcesOf('/p/new/a/b.ts', move)).toEqual(['/p/old/a/b.ts'])
  expect(sourcesOf('/p/new/old', move)).toEqual(['/p/old', '/p/old/old'])
  expect(sourcesOf('/p/newer', move)).toEqual([])
  expect([isTaken('/p/old/a', move), isTaken('/p/older', move), isTaken('/p/old', move)]).toEqual([true, false, true])
})
