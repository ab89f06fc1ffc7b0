import { describe, expect, test } from 'vitest'
import { log } from '../../testing/index.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { nodeOf } from '../tree/node.ts'
import { readLog } from './log.ts'
import { commandOf, type RowKind, rowKind } from './row-kind.ts'

const user = (content: JsonValue, more: JsonObject = {}) => ({ message: { role: 'user', content }, ...more })
const text = (words: string) => [{ type: 'text', text: words }]
const COMMAND =
  '<command-name>/cost</command-name>\n<command-message>cost</command-message>\n<command-args></command-args>'
const CUSTOM =
  '<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>all of it</command-args>'

describe('user rows', () => {
  test.each<[string, JsonObject, RowKind]>([
    ['words', user('hi'), 'prompt'],
    ['words in a block', user(text('hi')), 'prompt'],
    ['words beside a picture', user([{ type: 'image' }, ...text('hi')]), 'prompt'],
    [
      'words with what the editor added',
      user([...text('<ide_opened_file>x</ide_opened_file>'), ...text('hi')]),
      'prompt',
    ],
    ['nothing', {}, 'prompt'],
    ['a result', user([{ type: 'tool_result', tool_use_id: 't', content: 'x' }]), 'tool-result'],
    [
      'a result that quotes an interrupt',
      user([{ type: 'tool_result', content: '[Request interrupted by user]' }], { isMeta: true }),
      'tool-result',
    ],
    [
      'a summary',
      user('This session is continued.', { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
      'compact-summary',
    ],
    ['injected words', user('Caveat: …', { isMeta: true }), 'meta'],
    ['a caveat', user('<local-command-caveat>x</local-command-caveat>'), 'meta'],
    ['an interrupt', user(text('[Request interrupted by user]')), 'interrupt'],
    ['an interrupted tool', user(text('[Request interrupted by user for tool use]')), 'interrupt'],
    ['words about an interrupt', user('Why "[Request interrupted by user]"?'), 'prompt'],
    ['a built-in command', user(COMMAND), 'command'],
    ['a custom command', user(CUSTOM), 'command'],
    ['output of a command', user('<local-command-stdout>x</local-command-stdout>'), 'command-output'],
    ['errors of a command', user('<local-command-stderr>x</local-command-stderr>'), 'command-output'],
    ['bash mode', user('<bash-input>ls</bash-input>'), 'bash-input'],
    ['output of bash mode', user('<bash-stdout>x</bash-stdout><bash-stderr></bash-stderr>'), 'bash-output'],
    [
      'word from a task',
      user('<task-notification>x</task-notification>', { origin: { kind: 'task-notification' } }),
      'notification',
    ],
    ['a teammate', user('<teammate-message teammate_id="x">y</teammate-message>'), 'automated'],
    ['a prompt of another program', user('hi', { origin: { kind: 'auto-continuation' } }), 'automated'],
    ['a prompt of the client', user('hi', { promptSource: 'system' }), 'automated'],
    ['a prompt of a human', user('hi', { origin: { kind: 'human' }, promptSource: 'typed' }), 'prompt'],
    ['a prompt by the SDK', user('hi', { promptSource: 'sdk' }), 'prompt'],
    ['a warmup', user('Warmup', { isSidechain: true }), 'warmup'],
    ['someone who says Warmup', user('Warmup'), 'prompt'],
    ['markup', user('<div>hi</div>'), 'prompt'],
  ])('%s', (_, raw, kind) => expect(rowKind(raw, 'user')).toBe(kind))
})

describe('other rows', () => {
  const queued = (attachment: JsonObject) => ({ attachment: { type: 'queued_command', ...attachment } })
  test.each<[string, 'assistant' | 'system' | 'attachment' | 'progress', JsonObject, RowKind]>([
    ['an answer', 'assistant', { message: { model: 'm' } }, 'response'],
    ['an error', 'assistant', { isApiErrorMessage: true, message: { model: '<synthetic>' } }, 'api-error'],
    ['what no model said', 'assistant', { message: { model: '<synthetic>' } }, 'synthetic'],
    ['a compaction', 'system', { subtype: 'compact_boundary' }, 'compact-boundary'],
    ['a command', 'system', { subtype: 'local_command', content: COMMAND }, 'command'],
    [
      'output of a command',
      'system',
      { subtype: 'local_command', content: '<local-command-stdout>x</local-command-stdout>' },
      'command-output',
    ],
    ['a local command that says something else', 'system', { subtype: 'local_command', content: 'x' }, 'system'],
    ['a note', 'system', { subtype: 'informational', content: COMMAND }, 'system'],
    ['no subtype', 'system', {}, 'system'],
    ['a file', 'attachment', { attachment: { type: 'file' } }, 'attachment'],
    ['no attachment', 'attachment', {}, 'attachment'],
    ['a queued prompt', 'attachment', queued({ prompt: 'hi' }), 'queued-prompt'],
    [
      'a queued prompt in blocks',
      'attachment',
      queued({ prompt: text('hi'), commandMode: 'prompt', origin: { kind: 'human' } }),
      'queued-prompt',
    ],
    ['a queued notification', 'attachment', queued({ prompt: 'x', commandMode: 'task-notification' }), 'notification'],
    ['a queued notification by its words', 'attachment', queued({ prompt: '<task-notification>x' }), 'notification'],
    [
      'a queued prompt of a program',
      'attachment',
      queued({ prompt: 'x', origin: { kind: 'coordinator' } }),
      'automated',
    ],
    ['progress', 'progress', {}, 'progress'],
  ])('%s', (_, type, raw, kind) => expect(rowKind(raw, type)).toBe(kind))
})

test.each([
  [COMMAND, { name: '/cost', args: '', isCustom: false }],
  [CUSTOM, { name: '/review', args: 'all of it', isCustom: true }],
  [
    '<command-message>init is running…</command-message>\n<command-name>/init</command-name>',
    { name: '/init', args: '', isCustom: true },
  ],
  ['<command-name>bare</command-name>', { name: '/bare', args: '', isCustom: false }],
  ['hello', undefined],
  ['<command-name></command-name>', undefined],
])('reads the command of %j', (words, command) => expect(commandOf(words)).toEqual(command))

test('a node keeps what the tree needs, and only rows of the tree have one', () => {
  const made = log({ attachments: false }).user('one').tool('Bash', {}, { id: 'toolu_1', isError: true, output: 'no' })
  const nodes = readLog(made.content()).records.flatMap((record) => nodeOf(record) ?? [])
  expect(nodes.map((node) => node.kind)).toEqual(['prompt', 'response', 'tool-result'])
  expect(nodes[0]).toMatchObject({ parent: null, preview: 'one', isSidechain: false, toolUses: [] })
  expect(nodes[1]).toMatchObject({ parent: nodes[0]?.uuid, toolUses: [{ id: 'toolu_1', name: 'Bash' }], preview: null })
  expect(nodes[2]).toMatchObject({ parent: nodes[1]?.uuid, toolResults: [{ id: 'toolu_1', isError: true }] })
})
