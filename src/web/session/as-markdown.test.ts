import { expect, test } from 'vitest'
import { rowsAsMarkdown } from './as-markdown.ts'
import type { Row } from './types.ts'

const place = { file: '/x.jsonl', line: 1, offset: 0, length: 1 }
const row = (more: Partial<Row>): Row => ({
  row: 0,
  turn: 1,
  uuid: 'u',
  kind: 'response',
  timestamp: null,
  ...place,
  prompt: null,
  items: [],
  ...more,
})
const item = (kind: string, more: object) => ({ kind, uuid: 'u', timestamp: null, ...place, ...more })

test('a turn reads as a document', () => {
  const prompt = { kind: 'prompt', uuid: 'u', text: 'fix it', images: 0, output: null, timestamp: null, ...place }
  const bash = item('tool', { id: 't', name: 'Bash', input: { command: 'npm test' }, result: '\u001b[31mred\u001b[0m' })
  const edit = item('tool', {
    id: 'e',
    name: 'Edit',
    input: { file_path: '/a/b.ts', old_string: 'x', new_string: 'y' },
  })
  const rows = [row({ prompt }), row({ items: [bash, edit, item('text', { text: 'Done.' })] })]
  expect(rowsAsMarkdown(rows, '/a')).toBe(
    [
      '## Asked\n\nfix it',
      '**Bash** `npm test`\n\n```\nred\n```',
      '**Edit** `b.ts`\n\n```diff\n-x\n+y\n```',
      'Done.',
    ].join('\n\n'),
  )
})

test('a fence is longer than those inside', () => {
  const read = item('tool', { id: 'r', name: 'Read', input: { file_path: 'a.md' }, result: '```js\n```' })
  expect(rowsAsMarkdown([row({ items: [read] })], null)).toBe('**Read** `a.md`\n\n````\n```js\n```\n````')
})
