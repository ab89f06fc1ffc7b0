import { expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../json.ts'
import { readLog } from '../log/log.ts'
import { FileTouchFold } from './file-touches.ts'

const FILE = '/p/a.ts'

interface Answer {
  readonly result?: JsonValue
  readonly text?: string
  readonly isError?: boolean
}

/** The touches that a log with one call and its answer tells of. */
function touchesOf(name: string, input: JsonObject, { result, text = 'done', isError = false }: Answer) {
  const call = { type: 'assistant', uuid: 'a', message: { content: [{ type: 'tool_use', id: 't1', name, input }] } }
  const content = [{ type: 'tool_result', tool_use_id: 't1', content: text, is_error: isError }]
  const answer = { type: 'user', uuid: 'u', message: { content }, toolUseResult: result }
  // The rows stand twice, as after a resume.
  const rows = [call, answer, call, answer].map((row) => `${JSON.stringify(row)}\n`)
  const fold = new FileTouchFold(FILE)
  for (const record of readLog(new TextEncoder().encode(rows.join(''))).records) fold.add(record)
  return fold.touches().map(({ touch, uuid, place }) => [uuid, place.line, touch] as const)
}

const content = (text: string) => ({ text, isBase64: false })

test('a new file was not there before; what an update found is told by newer clients', () => {
  const input = { file_path: FILE, content: 'b' }
  const written = (result: JsonObject) => touchesOf('Write', input, { result })
  expect(written({ type: 'create', content: 'b' })).toEqual([
    ['u', 2, { kind: 'write', before: null, after: content('b') }],
  ])
  expect(written({ type: 'update', content: 'b', originalFile: 'a' })[0]?.[2]).toMatchObject({ before: content('a') })
  expect(written({ type: 'update', content: 'b' })[0]?.[2]).toMatchObject({ before: undefined })
})

test('an edit is taken as the answer tells it, else as it was asked for', () => {
  const input = { file_path: FILE, old_string: '“a”', new_string: 'b' }
  const told = { oldString: '"a"', newString: 'b', replaceAll: true, originalFile: '"a"' }
  expect(touchesOf('Edit', input, { result: told })[0]?.[2]).toEqual({
    kind: 'edit',
    before: content('"a"'),
    replacements: [{ oldText: '"a"', newText: 'b', isAll: true }],
    patch: null,
  })
  expect(touchesOf('Edit', input, {})[0]?.[2]).toMatchObject({ replacements: [{ oldText: '“a”', isAll: false }] })
})

test('a MultiEdit has all its edits, and what it found under a name of its own', () => {
  const edits = [
    { old_string: 'a', new_string: 'b' },
    { old_string: 'c', new_string: 'd', replace_all: true },
  ]
  const [touch] = touchesOf('MultiEdit', { file_path: FILE, edits }, { result: { originalFileContents: 'ac' } })
  expect(touch?.[2]).toMatchObject({
    before: content('ac'),
    replacements: [
      { oldText: 'a', newText: 'b', isAll: false },
      { oldText: 'c', newText: 'd', isAll: true },
    ],
  })
})

test('a notebook is told whole, before and after', () => {
  const result = { original_file: '{}', updated_file: '{"cells":[]}' }
  expect(touchesOf('NotebookEdit', { notebook_path: FILE }, { result })[0]?.[2]).toEqual({
    kind: 'write',
    before: content('{}'),
    after: content('{"cells":[]}'),
  })
})

test('a read is whole where it has all lines', () => {
  const read = (startLine: number, numLines: number) => {
    const file = { filePath: FILE, content: 'x', startLine, numLines, totalLines: 3 }
    return touchesOf('Read', { file_path: FILE }, { result: { type: 'text', file } })[0]?.[2]
  }
  expect(read(1, 3)).toEqual({ kind: 'read', text: 'x', firstLine: 1, isWhole: true })
  expect(read(2, 2)).toMatchObject({ firstLine: 2, isWhole: false })
})

test.each([
  ['cat a.ts', true],
  ['make', false],
])('the command %s may have changed it, also where it failed', (command, isNamed) => {
  const touch = { kind: 'command', isNamed }
  expect(touchesOf('Bash', { command }, {})[0]?.[2]).toEqual(touch)
  expect(touchesOf('Bash', { command }, { isError: true })[0]?.[2]).toEqual(touch)
})

test.each([
  ['Edit', { file_path: FILE, old_string: 'a', new_string: 'b' }, { isError: true }],
  [
    'Edit',
    { file_path: FILE, old_string: 'a', new_string: 'b' },
    { text: '<tool_use_error>String to replace not found' },
  ],
  ['Write', { file_path: '/p/other.ts', content: 'b' }, {}],
  ['Read', { file_path: FILE }, { result: { type: 'image', file: { base64: '' } } }],
  ['__proto__', { file_path: FILE }, {}],
])('%s %j answered by %j is no touch', (name, input, answer) => {
  expect(touchesOf(name, input, answer)).toEqual([])
})
