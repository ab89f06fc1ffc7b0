import { expect, test } from 'vitest'
import { UNANSWERED } from '../../core/tools/tool-call.ts'
import { rowsAsMarkdown } from './as-markdown.ts'
import type { Row, ToolCall } from './types.ts'

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
const base = { uuid: 'u', timestamp: null, ...place }
const call = (more: Pick<ToolCall, 'name' | 'input'> & Partial<ToolCall>): ToolCall => ({
  kind: 'tool',
  ...base,
  messageId: null,
  id: 't',
  runBy: 'client',
  ...UNANSWERED,
  agent: null,
  agents: [],
  answer: null,
  ...more,
})

test('a turn reads as a document', () => {
  const prompt = { kind: 'prompt', text: 'fix it', images: 0, expansion: null, output: null, ...base } as const
  const bash = call({ name: 'Bash', input: { command: 'npm test' }, result: '\u001b[31mred\u001b[0m' })
  const edit = call({
    name: 'Edit',
    input: { file_path: '/a/b.ts', old_string: 'x', new_string: 'y' },
  })
  const rows = [
    row({ prompt }),
    row({ items: [bash, edit, { kind: 'text', text: 'Done.', messageId: null, ...base }] }),
  ]
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
  const read = call({ name: 'Read', input: { file_path: 'a.md' }, result: '```js\n```' })
  expect(rowsAsMarkdown([row({ items: [read] })], null)).toBe('**Read** `a.md`\n\n````\n```js\n```\n````')
})
