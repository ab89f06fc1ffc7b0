import { describe, expect, test } from 'vitest'
import { type Log, log } from '../../testing/index.ts'
import type { JsonObject } from '../json.ts'
import { readLog } from '../log/log.ts'
import { type Item, itemsOf, promptOf, type Rows } from './items.ts'
import { nodeOf, type TreeNode } from './node.ts'
import { buildTree } from './tree.ts'
import { cutTurns } from './turns.ts'

/** The turns of a log as a person reads them. */
function shown(bytes: Uint8Array) {
  const { records } = readLog(bytes)
  const nodes = records.flatMap((record) => nodeOf(record) ?? [])
  const raws = new Map(records.map((record) => [record.place.offset, record.raw]))
  const rows: Rows = {
    row: (node) => raws.get(node.offset),
    answer: (id) => raws.get(nodes.find((node) => node.toolResults.some((result) => result.id === id))?.offset ?? -1),
  }
  const tree = buildTree(nodes)
  const at = (i: number) => tree.nodes[i] as TreeNode
  return cutTurns(tree, tree.active?.rows ?? []).map((turn) => ({
    prompt: turn.prompt === undefined ? null : promptOf(at(turn.prompt), turn.rows.map(at), rows),
    items: itemsOf(turn.rows.map(at), rows),
  }))
}

const ofLog = (made: Log) => shown(made.content())
const ofRows = (rows: readonly JsonObject[]) =>
  shown(new TextEncoder().encode(rows.map((row) => JSON.stringify(row)).join('\n')))
const brief = (items: readonly Item[]) =>
  items.map((item) => [item.kind, 'text' in item ? item.text : 'name' in item ? item.name : ''])

describe.each(['1.0.0', '1.0.65', '1.0.128', '2.0.37', '2.0.77', '2.1.45', '2.1.112', '2.1.325'])('%s', (version) => {
  const start = () => log({ version, attachments: false })

  test('a prompt, thoughts, tools and words in their order', () => {
    const made = start()
      .user('one')
      .assistant('I look.', { thinking: 'Hm.' })
      .tool('Bash', { command: 'ls' }, { output: 'a' })
      .assistant('There.')
    const [turn] = ofLog(made)
    expect(turn?.prompt).toMatchObject({ kind: 'prompt', text: 'one', images: 0, output: null })
    expect(brief(turn?.items ?? [])).toEqual([
      ['thinking', 'Hm.'],
      ['text', 'I look.'],
      ['tool', 'Bash'],
      ['text', 'There.'],
    ])
    expect(turn?.items[2]).toMatchObject({ input: { command: 'ls' }, result: 'a', isError: false, exitCode: 0 })
  })

  test('parallel calls have each their own result', () => {
    const calls = ['x', 'y', 'z'].map((command) => ({ name: 'Bash', input: { command }, output: `out ${command}` }))
    const tools = ofLog(start().user('one').parallel(calls).assistant('a'))[0]?.items.filter(
      (item) => item.kind === 'tool',
    )
    expect(tools?.map((tool) => [tool.input.command, tool.result])).toEqual([
      ['x', 'out x'],
      ['y', 'out y'],
      ['z', 'out z'],
    ])
  })

  test('a command with its output is one item', () => {
    const [turn] = ofLog(start().user('one').assistant('a').command('model', { args: 'opus', output: 'Set to opus.' }))
    expect(turn?.items.filter((item) => item.kind === 'command')).toMatchObject([
      { name: '/model', args: 'opus', output: 'Set to opus.' },
    ])
  })

  test('bash mode with its output is one item', () => {
    const [turn] = ofLog(start().user('one').assistant('a').bash('ls', 'a', 'warning'))
    expect(turn?.items.filter((item) => item.kind === 'bash')).toMatchObject([{ input: 'ls', output: 'a\nwarning' }])
  })

  test('a custom command begins its turn', () => {
    const [turn] = ofLog(start().command('review', { args: 'all', expansion: 'Review it.' }).assistant('Done.'))
    expect(turn?.prompt).toMatchObject({ kind: 'command', text: '/review all', expansion: 'Review it.' })
    expect(brief(turn?.items ?? [])).toEqual([['text', 'Done.']])
  })

  test('an interrupt and an error are told', () => {
    const items = ofLog(
      start().user('one').assistant('a').interrupt().user('two').apiError('overloaded', { text: 'Overloaded.' }),
    ).flatMap((t) => t.items)
    expect(brief(items)).toContainEqual(['interrupt', '[Request interrupted by user]'])
    expect(brief(items)).toContainEqual(['error', 'Overloaded.'])
  })

  test('a picture is counted', () => {
    expect(ofLog(start().image('See?').assistant('Yes.'))[0]?.prompt).toMatchObject({ text: 'See?', images: 1 })
  })

  test('a queued prompt begins a turn', () => {
    const turns = ofLog(start().user('one').tool('Bash').queued('also this').assistant('a'))
    expect(turns.map((turn) => turn.prompt?.text)).toEqual(['one', 'also this'])
  })
})

test('a call without an answer has none', () => {
  const call = {
    type: 'assistant',
    uuid: 'a',
    message: { id: 'm', model: 'm', content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }] },
  }
  expect(ofRows([call])[0]?.items).toMatchObject([
    { kind: 'tool', result: null, isError: null, exitCode: null, durationMs: null },
  ])
})

describe('a call that the API ran', () => {
  const block = (type: string, more: JsonObject, uuid: string, parentUuid: string | null) => ({
    type: 'assistant',
    uuid,
    parentUuid,
    message: { id: 'm', model: 'm', content: [{ type, ...more }] },
  })
  const call = { id: 's', name: 'web_search', input: { query: 'x' } }
  const found = { tool_use_id: 's', content: [{ type: 'web_search_result', title: 'A', url: 'https://a.example' }] }

  test('has its result, which stands in another row of the response', () => {
    const rows = [
      block('server_tool_use', call, 'a', null),
      block('web_search_tool_result', found, 'b', 'a'),
      block('text', { text: 'There.' }, 'c', 'b'),
    ]
    expect(ofRows(rows)[0]?.items).toMatchObject([
      { kind: 'tool', runBy: 'api', outcome: 'done', result: 'A\nhttps://a.example' },
      { kind: 'text' },
    ])
  })

  test('has none while the response is not complete', () => {
    expect(ofRows([block('server_tool_use', call, 'a', null)])[0]?.items).toMatchObject([
      { runBy: 'api', outcome: 'unanswered', result: null },
    ])
  })
})

test('an interrupt tells whether a tool was running', () => {
  const row = (uuid: string, text: string) => ({ type: 'user', uuid, message: { content: [{ type: 'text', text }] } })
  const items = [row('a', '[Request interrupted by user]'), row('b', '[Request interrupted by user for tool use]')]
    .flatMap((one) => ofRows([one]))
    .flatMap((turn) => turn.items)
  expect(items).toMatchObject([{ duringTool: false }, { duringTool: true }])
})

describe('a compaction', () => {
  const compacted = (options: Parameters<Log['compact']>[0]) =>
    ofLog(log({ attachments: false }).user('one').assistant('a').compact(options).user('two').assistant('b'))
      .flatMap((turn) => turn.items)
      .filter((item) => item.kind === 'compaction')

  test('is told with its summary and sizes', () => {
    const options = { trigger: 'auto', summary: 'We did things.', preTokens: 1000, postTokens: 100 } as const
    expect(compacted(options)).toMatchObject([
      { trigger: 'auto', preTokens: 1000, postTokens: 100, summary: expect.stringContaining('We did things.') },
    ])
    expect(compacted({ trigger: 'manual', summary: 'Short.' })).toMatchObject([
      { trigger: 'manual', summary: expect.stringContaining('Short.') },
    ])
  })

  const boundary = {
    type: 'system',
    subtype: 'compact_boundary',
    uuid: 'b',
    parentUuid: null,
    compactMetadata: { trigger: 'auto' },
  }
  const withAttachments = (count: number) => {
    const attachments = Array.from({ length: count }, (_, i) => ({
      type: 'attachment',
      uuid: `f${i}`,
      parentUuid: i === 0 ? 'b' : `f${i - 1}`,
      attachment: { type: 'file', filename: 'x' },
    }))
    const summary = {
      type: 'user',
      uuid: 's',
      parentUuid: attachments.at(-1)?.uuid ?? 'b',
      isCompactSummary: true,
      message: { role: 'user', content: 'Summary.' },
    }
    return ofRows([boundary, ...attachments, summary])
      .flatMap((turn) => turn.items)
      .find((item) => item.kind === 'compaction')
  }
  test.each([0, 3])('finds its summary behind %i attachments', (count) =>
    expect(withAttachments(count)).toMatchObject({ summary: 'Summary.' }),
  )

  test('finds its summary behind 10 attachments', () =>
    expect(withAttachments(10)).toMatchObject({ summary: 'Summary.' }))
})

test('a notification tells what a background agent did', () => {
  const made = log({ attachments: false })
    .user('one')
    .subagent({ description: 'Count', prompt: 'p', result: 'r', background: true })
    .assistant('a')
  const told = ofLog(made.notification({ status: 'completed', result: 'Three.' }).assistant('b')).flatMap(
    (turn) => turn.items,
  )
  const [call] = told.filter((item) => item.kind === 'tool')
  expect(told.filter((item) => item.kind === 'notification')).toMatchObject([
    { toolUseId: call?.id, status: 'completed' },
  ])
})

test.each<[string, JsonObject, unknown[]]>([
  [
    'a file',
    { type: 'file', filename: '/a.txt' },
    [{ kind: 'attachment', subtype: 'file', text: '/a.txt', isHook: false, isError: false }],
  ],
  [
    'a hook that blocked',
    { type: 'hook_blocking_error', blockingError: { blockingError: 'No.' } },
    [{ subtype: 'hook_blocking_error', text: 'No.', isHook: true, isError: true }],
  ],
  ['a hook that went well', { type: 'hook_success', content: 'ok' }, []],
  ['what the client tells the model', { type: 'skill_listing', content: 'x' }, []],
  ['the system prompt', { type: 'prompt_snapshot', content: 'secret' }, []],
  ['a kind nobody knows', { type: 'novel', content: 'x' }, []],
])('attachments: %s', (_, attachment, expected) => {
  expect(ofRows([{ type: 'attachment', uuid: 'a', attachment }]).flatMap((turn) => turn.items)).toMatchObject(expected)
})

test.each<[string, JsonObject, unknown[]]>([
  [
    'a note',
    { subtype: 'informational', content: 'Note.' },
    [{ kind: 'system', subtype: 'informational', text: 'Note.', isError: false }],
  ],
  [
    'an API error',
    { subtype: 'api_error', error: { formatted: '529 Overloaded' } },
    [{ text: '529 Overloaded', isError: true }],
  ],
  ['a duration', { subtype: 'turn_duration', durationMs: 5, content: 'x' }, []],
  ['no words', { subtype: 'informational' }, []],
])('system rows: %s', (_, fields, expected) => {
  expect(ofRows([{ type: 'system', uuid: 'a', ...fields }]).flatMap((turn) => turn.items)).toMatchObject(expected)
})

test('blocks of an unknown kind are passed over, the rest is shown', () => {
  const content = [
    { type: 'novel', text: 'x' },
    null,
    5,
    'loose',
    { type: 'redacted_thinking', data: 'x' },
    { type: 'text', text: 'Yes.' },
  ]
  const [turn] = ofRows([{ type: 'assistant', uuid: 'a', message: { id: 'm', model: 'm', content } }])
  expect(brief(turn?.items ?? [])).toEqual([
    ['thinking', ''],
    ['text', 'Yes.'],
  ])
})

test('a compaction without a summary does not take that of the next', () => {
  const boundary = (uuid: string, parentUuid: string | null) => ({
    type: 'system',
    subtype: 'compact_boundary',
    uuid,
    parentUuid,
  })
  const summary = { type: 'user', uuid: 's', parentUuid: 'b2', isCompactSummary: true, message: { content: 'Second.' } }
  const items = ofRows([boundary('b1', null), boundary('b2', 'b1'), summary]).flatMap((turn) => turn.items)
  expect(items).toMatchObject([
    { kind: 'compaction', summary: null },
    { kind: 'compaction', summary: 'Second.' },
  ])
})

test('a command without output does not take that of a later one', () => {
  const command = (uuid: string, name: string) => ({
    type: 'user',
    uuid,
    message: { content: `<command-name>/${name}</command-name>` },
  })
  const output = {
    type: 'user',
    uuid: 'o',
    message: { content: '<local-command-stdout>Second.</local-command-stdout>' },
  }
  const items = ofRows([
    command('c1', 'one'),
    { ...command('c2', 'two'), parentUuid: 'c1' },
    { ...output, parentUuid: 'c2' },
  ]).flatMap((turn) => turn.items)
  expect(items).toMatchObject([
    { name: '/one', output: null },
    { name: '/two', output: 'Second.' },
  ])
})
