import { expect, test } from 'vitest'
import { viewOf } from '../../../tests/support/format-sample-parts.ts'
import type { Static } from '../../core/schema.ts'
import type { files } from '../../ops/files.ts'
import { formatFiles } from './files.ts'

type Result = Static<typeof files.result>

const at = { turn: 3, uuid: 'u1', timestamp: null, isDisk: false }
const known = {
  at,
  exists: true,
  text: 'a\nb\n',
  base64: false,
  source: 'edit',
  confidence: 'recorded',
  unknown: [],
  told: null,
}
const result: Result = { items: [], total: 1, path: '/p/a.ts', session: 's1', ...known, against: null, written: null }
const shown = (more: Partial<Result>) => formatFiles({ ...result, ...more }, viewOf({ width: 100 }))

test('a file is its text and nothing else, harmless to a terminal', () => {
  expect(shown({})).toEqual(['a', 'b'])
  expect(shown({ text: 'a\u001b[2Jb\n' })).toEqual(['ab'])
})

test('what is not known is said, and why', () => {
  expect(shown({ text: null, exists: null, confidence: 'none', unknown: ['The copy is gone.'] })).toEqual([
    'Its content at that point is not known.',
    'The copy is gone.',
  ])
  expect(shown({ text: null, exists: false })).toEqual(['The file did not exist at that point.'])
  expect(shown({ text: 'AAEC', base64: true })[0]).toBe('This file is not text.')
})

test('two points are compared as a patch', () => {
  const against = { ...known, text: 'a\nc\n', at: { ...at, turn: null, uuid: null, isDisk: true } }
  expect(shown({ against })).toEqual([
    '--- /p/a.ts\tturn 3',
    '+++ /p/a.ts\ton disk',
    '@@ -1,2 +1,2 @@',
    ' a',
    '-b',
    '+c',
  ])
  expect(shown({ against: { ...against, text: 'a\nb\n' } })).toEqual(['Nothing changed between the two.'])
  expect(shown({ against: { ...against, text: null, exists: false } })[1]).toBe('+++ /dev/null\ton disk')
})

test('versions are listed with what is doubtful about them', () => {
  const version = { ...known, number: 1, operation: 'edit', agent: null, toolUseId: null }
  const doubtful = { ...version, number: 2, confidence: 'doubtful', unknown: ['Line 9 shows other lines.'] }
  const lines = shown({ versions: [version, doubtful] })
  expect(lines[1]).toMatch(/^1 +turn 3 +edit +2 lines +recorded/)
  expect(lines).toContain('2: Line 9 shows other lines.')
})
