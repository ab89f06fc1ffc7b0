import { expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { readLine } from '../log/record.ts'
import { MAX_SEARCHABLE } from './gathered-text.ts'
import { type Searchable, searchableText } from './searchable.ts'

function searchable(row: JsonObject): Searchable | undefined {
  return searchableLine(JSON.stringify(row))
}

function searchableLine(line: string): Searchable | undefined {
  const bytes = new TextEncoder().encode(line)
  const [record] = readLine(bytes, { file: '/a.jsonl', line: 1, offset: 0, length: bytes.length }).value
  return record && searchableText(record)
}

const said = (role: string, content: unknown, rest: JsonObject = {}): JsonObject =>
  ({ type: role, message: { role, content }, ...rest }) as JsonObject

test.each<[string, JsonObject, string, string, string]>([
  ['a prompt', said('user', 'fix the bug'), 'user', 'prompt', 'fix the bug'],
  [
    'a prompt beside what an editor wrapped around it',
    said('user', [
      { type: 'text', text: '<ide_opened_file>x</ide_opened_file>' },
      { type: 'text', text: 'hello' },
    ]),
    'user',
    'prompt',
    'hello',
  ],
  [
    'what a custom command was expanded into',
    said('user', [{ type: 'text', text: 'Review it.' }], { isMeta: true }),
    'system',
    'command',
    'Review it.',
  ],
  [
    'a prompt that was queued',
    { type: 'attachment', attachment: { type: 'queued_command', prompt: 'and then' } },
    'user',
    'prompt',
    'and then',
  ],
  [
    'a command',
    said('user', '<command-name>/review</command-name>\n<command-args>src lib</command-args>'),
    'user',
    'command',
    '/review\nsrc lib',
  ],
  [
    'the output of a command',
    { type: 'system', subtype: 'local_command', content: '<local-command-stdout>done</local-command-stdout>' },
    'system',
    'command-output',
    'done',
  ],
  ['a shell line', said('user', '<bash-input>ls -l</bash-input>'), 'user', 'bash', 'ls -l'],
  [
    'the output of a shell line',
    said('user', '<bash-stdout>one</bash-stdout><bash-stderr>two</bash-stderr>'),
    'system',
    'bash-output',
    'one\ntwo',
  ],
  ['an answer', said('assistant', [{ type: 'text', text: 'Done.' }]), 'assistant', 'text', 'Done.'],
  [
    'thinking, without its signature',
    said('assistant', [{ type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmF0dXJl' }]),
    'assistant',
    'thinking',
    'Hm.',
  ],
  [
    'a compact summary',
    said('user', 'What happened so far', { isCompactSummary: true }),
    'system',
    'compact-summary',
    'What happened so far',
  ],
  [
    'an error',
    said('assistant', [{ type: 'text', text: 'API Error: 529' }], { isApiErrorMessage: true }),
    'assistant',
    'error',
    'API Error: 529',
  ],
  [
    'an error of the client',
    { type: 'system', subtype: 'api_error', error: { formatted: '529 overloaded' } },
    'system',
    'error',
    '529 overloaded',
  ],
  [
    'a notification',
    said('user', '<task-notification><summary>Agent done</summary></task-notification>'),
    'system',
    'notification',
    '<task-notification><summary>Agent done</summary></task-notification>',
  ],
  ['a title', { type: 'custom-title', customTitle: 'My work' }, 'system', 'title', 'My work'],
  ['a title of the client', { type: 'ai-title', aiTitle: 'Its work' }, 'system', 'title', 'Its work'],
  ['a summary', { type: 'summary', summary: 'Old work', leafUuid: 'x' }, 'system', 'title', 'Old work'],
  [
    'a file that was given',
    {
      type: 'attachment',
      attachment: { type: 'file', filename: '/a.ts', content: { type: 'text', file: { content: 'let a' } } },
    },
    'user',
    'attachment',
    '/a.ts\nlet a',
  ],
])('%s is searched', (_, row, role, kind, text) => {
  expect(searchable(row)).toMatchObject({ role, kind, text, isCut: false })
})

test('a call is searched by the strings of its input, and known by its tool and file', () => {
  const input = { file_path: '/src/a.ts', edits: [{ old: 'one', count: 2, all: true }, { old: 'two' }], data: 'kept' }
  const row = said('assistant', [{ type: 'tool_use', id: 'toolu_1', name: 'Edit', input }])
  expect(searchable(row)).toEqual({
    role: 'assistant',
    kind: 'tool',
    text: '/src/a.ts\none\ntwo\nkept',
    isCut: false,
    tools: ['Edit'],
    toolUseIds: ['toolu_1'],
    files: ['/src/a.ts'],
    isError: false,
  })
})

test('an answer of several blocks is known by its text', () => {
  const row = said('assistant', [
    { type: 'thinking', thinking: 'first' },
    { type: 'text', text: 'second' },
    { type: 'tool_use', id: 'toolu_1', name: '__proto__', input: { command: 'third' } },
  ])
  expect(searchable(row)).toMatchObject({ kind: 'text', text: 'first\nsecond\nthird', tools: ['__proto__'] })
})

test('a result is searched once, without pictures and without the copy in toolUseResult', () => {
  const content = [
    { type: 'text', text: 'out' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
  ]
  const row = said('user', [{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: true, content }], {
    toolUseResult: { stdout: 'out', filePath: '/a.ts', originalFile: 'whole file' },
  })
  expect(searchable(row)).toEqual({
    role: 'tool',
    kind: 'tool-result',
    text: 'out',
    isCut: false,
    tools: [],
    toolUseIds: ['toolu_1'],
    files: ['/a.ts'],
    isError: true,
  })
})

test('of a result too large for its row, what the details keep is searched too', () => {
  const row = said('user', [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'preview' }], {
    toolUseResult: { stdout: 'preview and more', stderr: '', persistedOutputPath: '/x.txt' },
  })
  expect(searchable(row)?.text).toBe('preview\npreview and more')
})

test('a page that the API found is searched by its title, not by its encrypted text', () => {
  const content = [{ type: 'web_search_result', title: 'Docs', url: 'https://a.b', encrypted_content: 'Zm9v' }]
  const row = said('assistant', [{ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content }])
  expect(searchable(row)).toMatchObject({ kind: 'tool', text: 'Docs\nhttps://a.b' })
})

test.each<[string, JsonObject]>([
  ['a request of the client', { type: 'api-request-shape', shape: { system: [{ text: 'secret' }] } }],
  ['a body of a request', { type: 'api-request-blob', message: { role: 'system', content: 'secret' } }],
  ['the system prompt', { type: 'attachment', attachment: { type: 'prompt_snapshot', content: 'secret' } }],
  ['rendered text', { type: 'attachment', attachment: { type: 'date', date: 'x' }, rendered: [{ content: 'secret' }] }],
  ['what the client says to the model', said('user', 'Caveat', { isMeta: true })],
  ['an interrupt', said('user', [{ type: 'text', text: '[Request interrupted by user]' }])],
  ['progress', { type: 'progress', data: { type: 'bash_progress', output: 'copy' } }],
  ['a copy of a prompt', { type: 'last-prompt', lastPrompt: 'copy' }],
  ['a type that is not known', { type: 'novel', text: 'x' }],
  ['nothing', said('user', '   ')],
  ['hidden thinking', said('assistant', [{ type: 'redacted_thinking', data: 'x' }])],
])('%s is not searched', (_, row) => {
  expect(searchable(row)).toBeUndefined()
})

test('base64 inside a text is left out', () => {
  const row = said('user', `before ${'QUJD'.repeat(200)} after ${'x'.repeat(100)}`)
  expect(searchable(row)?.text).toBe(`before \n after ${'x'.repeat(100)}`)
})

test('a text too large is cut between characters, and says so', () => {
  const row = searchable(said('user', `a${'😀 '.repeat(MAX_SEARCHABLE)}`))
  expect(row?.isCut).toBe(true)
  expect(row?.text.length).toBeLessThanOrEqual(MAX_SEARCHABLE)
  expect(row?.text).not.toMatch(/\p{Cs}/u)
})

test('many texts together are cut too', () => {
  const input = { list: Array.from({ length: 3 }, (_, i) => `${i} ${'word '.repeat(200_000)}`) }
  const row = searchable(said('assistant', [{ type: 'tool_use', id: 't', name: 'T', input }]))
  expect(row?.isCut).toBe(true)
  expect(row?.text.length).toBeLessThanOrEqual(MAX_SEARCHABLE)
})

test('an input of any depth is read down to a limit', () => {
  const deep = `{"shallow":"seen","deep":${'['.repeat(5000)}"unseen"${']'.repeat(5000)}}`
  const block = `{"type":"tool_use","id":"t","name":"T","input":${deep}}`
  const line = `{"type":"assistant","message":{"content":[${block}]}}`
  expect(searchableLine(line)).toMatchObject({ text: 'seen', isCut: true })
})

test('a NUL does not reach the index', () => {
  expect(searchable(said('user', 'before\0after'))?.text).toBe('before\nafter')
})

test('odd rows are not an error', () => {
  for (const content of [null, 5, {}, [null, 5, 'x'], [{ type: 'text' }], [{ type: 'tool_use', input: 'x' }]]) {
    for (const type of ['user', 'assistant', 'system', 'attachment']) searchable(said(type, content))
  }
})

test.each<[string, JsonObject]>([
  ['a caveat', said('user', 'Caveat: The messages below', { isMeta: true })],
  ['a caveat in a block', said('user', [{ type: 'text', text: 'Caveat: The messages below' }], { isMeta: true })],
  ['a reminder', said('user', [{ type: 'text', text: '<system-reminder>x</system-reminder>' }], { isMeta: true })],
])('%s is what the client says for itself, and not searched', (_, row) => {
  expect(searchable(row)).toBeUndefined()
})
