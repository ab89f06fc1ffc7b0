import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isObject, type JsonObject, type JsonValue } from '../core/json.ts'
import { isTreeType, rowKind } from '../core/log/row-kind.ts'
import { clientNames } from './client-names.ts'
import { withoutPaths } from './path-mask.ts'
import { historySkeleton, metaSkeleton, skeletonOf } from './skeleton.ts'

const names = clientNames({ toolNames: false, agentTypes: false })
const NO_PATHS = { path: () => undefined, names }

/** A text that no format knows: whatever of it comes out was not left out. */
const secret = fc.string({ minLength: 1, maxLength: 12 }).map((text) => `Secret words: ${text}`)
const value = fc.letrec((tie) => ({
  any: fc.oneof({ depthSize: 'small' }, secret, secret, tie('list'), tie('object')),
  list: fc.array(tie('any'), { maxLength: 4 }),
  object: fc.dictionary(
    fc.constantFrom(
      ...[
        'type',
        'message',
        'content',
        'text',
        'thinking',
        'input',
        'file_path',
        'toolUseResult',
        'stdout',
        'cwd',
        'novel',
      ],
      ...[
        'attachment',
        'prompt',
        'name',
        'id',
        'usage',
        'display',
        'project',
        'summary',
        'uuid',
        'gitBranch',
        '__proto__',
      ],
    ),
    tie('any'),
    { maxKeys: 8 },
  ),
})).any as fc.Arbitrary<JsonValue>

test('of a record with any text in any place, known or not, no text leaves', () => {
  fc.assert(
    fc.property(value, fc.constantFrom('user', 'assistant', 'system', 'attachment', 'novel'), (raw, type) => {
      if (!isObject(raw)) return
      for (const made of [
        skeletonOf({ ...raw, type }, NO_PATHS),
        skeletonOf(raw, NO_PATHS),
        historySkeleton(raw, NO_PATHS),
        metaSkeleton(raw, NO_PATHS),
      ]) {
        expect(JSON.stringify(made)).not.toContain('Secret')
      }
    }),
  )
})

const rows: readonly JsonObject[] = [
  { type: 'user', uuid: 'a', message: { role: 'user', content: 'what I asked' } },
  { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'what I asked' }] } },
  { type: 'user', message: { role: 'user', content: '<command-name>/compact</command-name>' } },
  { type: 'user', message: { role: 'user', content: '<bash-input>ls</bash-input>' } },
  { type: 'user', message: { role: 'user', content: '<local-command-stdout>done</local-command-stdout>' } },
  { type: 'user', message: { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] } },
  { type: 'user', isSidechain: true, message: { role: 'user', content: 'Warmup' } },
  { type: 'user', isMeta: true, message: { role: 'user', content: 'the client' } },
  { type: 'user', origin: { kind: 'coordinator' }, message: { role: 'user', content: 'go on' } },
  { type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'output' }] } },
  { type: 'assistant', message: { role: 'assistant', model: '<synthetic>', content: [] } },
  { type: 'assistant', isApiErrorMessage: true, message: { role: 'assistant', content: [] } },
  {
    type: 'assistant',
    message: { role: 'assistant', model: 'claude-opus-5-5', content: [{ type: 'text', text: 'hi' }] },
  },
  {
    type: 'system',
    subtype: 'compact_boundary',
    content: 'Compacted',
    compactMetadata: { trigger: 'auto', preTokens: 9 },
  },
  { type: 'system', subtype: 'local_command', content: '<command-name>/cost</command-name>' },
  { type: 'attachment', attachment: { type: 'queued_command', prompt: 'also this' } },
  { type: 'attachment', attachment: { type: 'queued_command', prompt: '<task-notification>x</task-notification>' } },
  { type: 'progress', data: { type: 'bash_progress', output: 'x' } },
]

test.each(rows.map((row) => [JSON.stringify(row).slice(0, 90), row] as const))(
  'whoever reads the facts of a row finds the kind that it is: %s',
  (_, raw) => {
    const type = raw.type as string
    if (!isTreeType(type)) throw new Error(type)
    const made = skeletonOf(raw, NO_PATHS)
    expect(rowKind(made, type)).toBe(rowKind(raw, type))
    expect(skeletonOf(made, NO_PATHS)).toEqual(made)
  },
)

test('a record keeps its ids, times, models, tokens, tools and error flags', () => {
  const raw = {
    type: 'assistant',
    uuid: '11111111-0000-4000-8000-000000000001',
    parentUuid: null,
    sessionId: 's',
    timestamp: '2026-11-15T12:00:00.000Z',
    version: '2.1.325',
    cwd: '/home/ana/p',
    requestId: 'req_1',
    novelField: 'what a client adds tomorrow',
    message: {
      id: 'msg_1',
      role: 'assistant',
      model: 'claude-opus-5-5',
      stop_reason: 'tool_use',
      usage: { input_tokens: 3, output_tokens: 4, service_tier: 'standard', novel: 5 },
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'abc' },
        { type: 'tool_use', id: 'toolu_1', name: 'Edit', input: { file_path: '/home/ana/p/a.ts', old_string: 'x' } },
      ],
    },
  }
  expect(skeletonOf(raw, { names, path: (path) => `h:${path.length}` })).toEqual({
    type: 'assistant',
    uuid: '11111111-0000-4000-8000-000000000001',
    parentUuid: null,
    sessionId: 's',
    timestamp: '2026-11-15T12:00:00.000Z',
    version: '2.1.325',
    cwd: 'h:11',
    requestId: 'req_1',
    message: {
      id: 'msg_1',
      role: 'assistant',
      model: 'claude-opus-5-5',
      stop_reason: 'tool_use',
      usage: { input_tokens: 3, output_tokens: 4, service_tier: 'standard' },
      content: [
        { type: 'thinking', thinking: '' },
        { type: 'tool_use', id: 'toolu_1', name: 'Edit', input: { file_path: 'h:16' } },
      ],
    },
  })
})

test('with prompts, what people asked leaves, and nothing else', () => {
  const options = { ...NO_PATHS, prompt: (text: string) => text }
  const text = (raw: JsonObject) => JSON.stringify(skeletonOf(raw, options))
  expect(text(rows[0] as JsonObject)).toContain('what I asked')
  expect(text(rows[1] as JsonObject)).toContain('what I asked')
  expect(text(rows[15] as JsonObject)).toContain('also this')
  for (const at of [3, 4, 7, 8, 9, 12, 17]) {
    expect(text(rows[at] as JsonObject)).not.toMatch(/ls|done|the client|go on|output|"hi"|bash_progress/)
  }
})

test.each([
  ['look at /home/ana/a.ts.', 'look at [PATH].'],
  ['in ~/notes and ./src/x', 'in [PATH] and [PATH]'],
  ['src/core/json.ts is wrong', '[PATH] is wrong'],
  ['C:\\Users\\ana\\x.txt', '[PATH]'],
  ['see https://example.com/a/b', 'see https://example.com/a/b'],
  ['either this or that, 3 items', 'either this or that, 3 items'],
])('a path in a prompt is left out: %s', (text, expected) => {
  expect(withoutPaths(text)).toBe(expected)
})

test('names of tools and agents that are not the client’s own leave only where that was chosen', () => {
  const call = (name: string, input: JsonObject) => ({ type: 'tool_use', id: 'toolu_1', name, input })
  const raw = {
    type: 'assistant',
    agentId: 'salary-checker@payroll',
    message: {
      role: 'assistant',
      content: [
        call('mcp__payroll__raise', {}),
        call('Payroll', {}),
        call('Task', { subagent_type: 'salary-checker' }),
      ],
    },
    toolUseResult: { agentType: 'salary-checker', agentId: 'salary-checker', status: 'completed' },
  }
  const masked = skeletonOf(raw, NO_PATHS)
  expect(JSON.stringify(masked)).not.toMatch(/payroll|salary|Payroll/)
  expect(masked).toMatchObject({
    message: {
      content: [
        call('mcp__any__any', {}),
        call('other', {}),
        { type: 'tool_use', name: 'Task', input: { subagent_type: 'custom' } },
      ],
    },
    toolUseResult: { agentType: 'custom' },
  })
  expect(metaSkeleton({ agentType: 'salary-checker' }, NO_PATHS)).toEqual({ agentType: 'custom' })
  expect(metaSkeleton({ agentType: 'Explore' }, NO_PATHS)).toEqual({ agentType: 'Explore' })
  const chosen = { ...NO_PATHS, names: clientNames({ toolNames: true, agentTypes: true }) }
  for (const name of ['mcp__payroll__raise', '"Payroll"', '"salary-checker"']) {
    expect(JSON.stringify(skeletonOf(raw, chosen))).toContain(name)
  }
})
