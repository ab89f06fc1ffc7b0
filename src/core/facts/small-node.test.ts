import { expect, test } from 'vitest'
import type { JsonObject } from '../json.ts'
import type { LogRecord } from '../log/record.ts'
import { nodeOf, type TreeNode } from '../tree/node.ts'
import { usageRowOf } from '../usage/usage.ts'
import { NodePacker } from './small-node.ts'
import { UsagePacker } from './small-usage.ts'

const TIME = '2026-03-01T09:00:00.000Z'
const common = { uuid: 'u1', parentUuid: 'u0', timestamp: TIME, isSidechain: false, agentId: 'a1' }
const usage = { input_tokens: 10, output_tokens: 3, cache_read_input_tokens: 100, cache_creation_input_tokens: 5 }
const answer = (...calls: string[]) => ({
  ...common,
  type: 'assistant',
  requestId: 'req_1',
  message: {
    ...{ id: 'msg_1', model: 'claude-opus-5-5', stop_reason: 'tool_use', usage },
    content: calls.map((id) => ({ type: 'tool_use', id, name: 'Bash', input: {} })),
  },
})
const result = (id: string, is_error: boolean) => ({
  ...common,
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, is_error, content: 'x' }] },
})

function recordOf(raw: JsonObject): LogRecord {
  const place = { file: 'a.jsonl', line: 7, offset: 700, length: 70 }
  return { kind: 'message', type: raw.type, raw, place } as unknown as LogRecord
}

function fieldsOf(node: TreeNode, like: TreeNode): JsonObject {
  return Object.fromEntries(Object.keys(like).map((key) => [key, node[key as keyof TreeNode]])) as JsonObject
}

test.each([
  ['an answer', answer()],
  ['a call', answer('t1')],
  ['several calls', answer('t1', 't2')],
  ['a result', result('t1', false)],
  ['a result that is an error', result('t1', true)],
  ['a prompt', { ...common, type: 'user', message: { content: 'hello' } }],
  [
    'a row of the client',
    { ...common, type: 'system', subtype: 'compact_boundary', compactMetadata: { trigger: 'auto' } },
  ],
  ['a time in another form', { ...answer('t1'), timestamp: '2026-03-01T10:00:00+01:00' }],
  ['a row without a time', { ...common, type: 'assistant', timestamp: undefined, message: { id: 'm', content: [] } }],
])('%s says the same when it is packed', (_, raw) => {
  const node = nodeOf(recordOf(raw as unknown as JsonObject)) as TreeNode
  const packer = new NodePacker()
  for (const packed of [packer.pack(node, Date.parse(node.timestamp ?? '')), packer.pack(node, Number.NaN)]) {
    expect(fieldsOf(packed, node)).toEqual({ ...node })
  }
})

test('usage says the same when it is packed', () => {
  const record = recordOf(answer('t1') as unknown as JsonObject)
  const row = usageRowOf(record)
  const node = nodeOf(record)
  if (!row || !node) throw new Error('An answer carries usage.')
  const evidence = { sessionId: 's', requestRef: 'r', isMadeHere: true, writtenAt: 5 }
  const packed = new UsagePacker().pack(row, node, 3, evidence)
  const told = Object.fromEntries(Object.keys(row).map((key) => [key, packed[key as keyof typeof packed]]))
  expect(told).toEqual(row)
  expect(packed.node).toBe(3)
  expect(packed.evidence).toEqual(evidence)
})
