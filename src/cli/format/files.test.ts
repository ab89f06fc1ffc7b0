import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import { samples } from '../../../tests/support/format-samples.ts'
import { formatFiles } from './files.ts'

test('one line for each file and session', () => {
  expect(formatFiles(samples.files, viewOf())).toEqual([
    'file                           change       lines   when      session',
    '/code/api/src/auth/refresh.ts  edit, write  +20 −4  just now  3f9a1b2c',
    '/code/api/b.ts                 edit         ✗       just now  3f9a1b2c',
    '',
    '2 files · 3 changes',
  ])
})

test('the story of a single file that was named; else it is a list of one', () => {
  const [edit] = samples.files.items
  const checkpoint = { operation: 'checkpoint', version: 2, backup: '/home/ana/.claude/file-history/x@v2' }
  const items = edit
    ? [
        { ...edit, agent: 'a1b2c3d4e5f60718' },
        { ...edit, ...checkpoint, added: null, removed: null },
      ]
    : []
  expect(formatFiles({ items, total: 2 }, viewOf())[0]).toMatch(/^file +change +lines +when +session$/)
  expect(formatFiles({ items, total: 2 }, viewOf({ input: { path: 'refresh.ts' } }))).toEqual([
    '/code/api/src/auth/refresh.ts',
    'just now  edit           +18 −4  3f9a1b2c agent-a1b2c3d4  line 12',
    'just now  checkpoint v2          3f9a1b2c                 ~/.claude/file-history/x@v2',
    '',
    '1 file · 1 change',
  ])
})

test('a path that is too long keeps its end', () => {
  const [first, ...rest] = samples.files.items
  const items = first ? [{ ...first, path: `/code/${'deep/'.repeat(20)}end.ts` }, ...rest] : []
  const lines = formatFiles({ items, total: 3 }, viewOf({ width: 60 }))
  expect(lines[1]).toMatch(/^…\/deep\/.*\/end\.ts +edit/)
})
