import { expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import { serverOutcome } from './server-tool.ts'

const row = (block: JsonObject) => ({ message: { content: [{ tool_use_id: 's', ...block }] } })

test('pages that were found', () => {
  const content = [
    { type: 'web_search_result', title: 'A', url: 'https://a.example', encrypted_content: 'x' },
    { type: 'web_search_result', url: 'https://b.example' },
  ]
  expect(serverOutcome('s', row({ type: 'web_search_tool_result', content }))).toMatchObject({
    outcome: 'done',
    isError: false,
    result: 'A\nhttps://a.example\nhttps://b.example',
    details: {
      kind: 'links',
      links: [
        { title: 'A', url: 'https://a.example' },
        { title: null, url: 'https://b.example' },
      ],
    },
  })
})

test.each<[string, JsonObject, object]>([
  [
    'an error',
    {
      type: 'web_search_tool_result',
      content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
    },
    { outcome: 'failed', isError: true, result: 'max_uses_exceeded' },
  ],
  [
    'a page that was fetched',
    {
      type: 'web_fetch_tool_result',
      content: {
        type: 'web_fetch_result',
        url: 'u',
        content: { type: 'document', source: { type: 'text', data: 'Hi.' } },
      },
    },
    { outcome: 'done', result: 'Hi.' },
  ],
  [
    'a program that failed',
    {
      type: 'code_execution_tool_result',
      content: { type: 'code_execution_result', stdout: 'a', stderr: 'b', return_code: 1 },
    },
    { outcome: 'failed', isError: false, exitCode: 1, result: 'a\nb' },
  ],
  [
    'what a server of the Model Context Protocol said',
    { type: 'mcp_tool_result', is_error: true, content: [{ type: 'text', text: 'No.' }] },
    { outcome: 'failed', isError: true, result: 'No.' },
  ],
])('%s', (_, block, outcome) => {
  expect(serverOutcome('s', row(block))).toMatchObject(outcome)
})

test('an answer to another call is none', () => {
  expect(serverOutcome('other', row({ type: 'web_search_tool_result', content: [] }))).toBeUndefined()
})
