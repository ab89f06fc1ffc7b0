import { describe, expect, test } from 'vitest'
import { type Log, log } from '../../testing/index.ts'
import { readLog } from '../log/log.ts'
import { nodeOf } from './node.ts'
import { buildTree } from './tree.ts'
import { type Counts, countRows, cutTurns } from './turns.ts'

function cut(made: Log) {
  const nodes = readLog(made.content()).records.flatMap((record) => nodeOf(record) ?? [])
  const tree = buildTree(nodes)
  const turns = cutTurns(tree, tree.active?.rows ?? [])
  const begun = turns.map(({ prompt }) =>
    prompt === undefined ? null : (tree.nodes[prompt]?.command?.name ?? tree.nodes[prompt]?.preview),
  )
  return { tree, turns, begun, counts: countRows(tree) }
}

const VERSIONS = ['1.0.65', '1.0.128', '2.0.37', '2.0.77', '2.1.4', '2.1.45', '2.1.68', '2.1.112', '2.1.200', '2.1.325']
const bare = (version: string) => log({ version, attachments: false })

describe.each(VERSIONS)('%s', (version) => {
  test.each<[string, (made: Log) => Log, readonly string[], Omit<Counts, 'messages'> & { messages: number }]>([
    [
      'a question and its answer',
      (l) => l.user('one').assistant('a'),
      ['one'],
      { rows: 2, prompts: 1, messages: 2, turns: 1, toolCalls: 0 },
    ],
    [
      'an answer in two rows is one message',
      (l) => l.user('one').assistant('a', { thinking: 't' }),
      ['one'],
      { rows: 3, prompts: 1, messages: 2, turns: 1, toolCalls: 0 },
    ],
    [
      'two questions',
      (l) => l.user('one').assistant('a').user('two').assistant('b'),
      ['one', 'two'],
      { rows: 4, prompts: 2, messages: 4, turns: 2, toolCalls: 0 },
    ],
    [
      'a tool',
      (l) => l.user('one').tool('Bash').assistant('a'),
      ['one'],
      { rows: 4, prompts: 1, messages: 3, turns: 1, toolCalls: 1 },
    ],
    [
      'two tools at once',
      (l) =>
        l
          .user('one')
          .parallel([{ name: 'A' }, { name: 'B' }])
          .assistant('a'),
      ['one'],
      { rows: 6, prompts: 1, messages: 3, turns: 1, toolCalls: 2 },
    ],
    [
      'an interrupt',
      (l) => l.user('one').assistant('a').interrupt().user('two').assistant('b'),
      ['one', 'two'],
      { rows: 4, prompts: 2, messages: 4, turns: 2, toolCalls: 0 },
    ],
    [
      'a question without an answer',
      (l) => l.user('one').user('two').assistant('b'),
      ['one', 'two'],
      { rows: 3, prompts: 2, messages: 3, turns: 2, toolCalls: 0 },
    ],
    [
      'a command of the user',
      (l) => l.command('review', { args: 'all', expansion: 'Review.' }).assistant('a'),
      ['/review'],
      { rows: 1, prompts: 1, messages: 2, turns: 1, toolCalls: 0 },
    ],
  ])('%s', (_, steps, begun, counts) => {
    const found = cut(steps(bare(version)))
    expect(found.begun).toEqual(begun)
    expect(found.counts).toEqual(counts)
  })

  test('a prompt typed while the model works begins a turn', () => {
    const { begun, counts } = cut(bare(version).user('one').tool('Bash').queued('also').assistant('a'))
    expect(begun).toEqual(['one', 'also'])
    expect(counts).toMatchObject({ prompts: 2, turns: 2 })
  })

  test('a built-in command begins no turn', () => {
    const { begun, counts } = cut(
      bare(version).user('one').assistant('a').command('cost', { output: '$1' }).user('two').assistant('b'),
    )
    expect(begun).toEqual(['one', 'two'])
    expect(counts).toMatchObject({ prompts: 2, turns: 2 })
  })

  test('bash mode alone begins no turn and is no prompt', () => {
    const { begun, counts } = cut(bare(version).user('one').assistant('a').bash('ls', 'x').user('two').assistant('b'))
    expect(begun).toEqual(['one', 'two'])
    expect(counts.prompts).toBe(2)
  })

  test('every row of a branch is in one turn, in file order', () => {
    const { tree, turns } = cut(
      log({ version })
        .user('one')
        .tool('Bash')
        .queued('q')
        .assistant('a')
        .command('cost')
        .interrupt()
        .user('two')
        .assistant('b'),
    )
    expect(turns.flatMap(({ prompt, rows }) => [...(prompt === undefined ? [] : [prompt]), ...rows])).toEqual(
      tree.active?.rows,
    )
    expect(turns.map((turn) => turn.number)).toEqual(
      turns.map((_turn, i) => (turns[0]?.prompt === undefined ? i : i + 1)),
    )
  })
})

test('what stands before anything was asked is turn 0', () => {
  const { turns } = cut(bare('2.1.325').command('model', { output: 'Set.' }).user('one').assistant('a'))
  expect(turns.map((turn) => [turn.number, turn.prompt === undefined])).toEqual([
    [0, true],
    [1, false],
  ])
})

test('a compaction begins no turn', () => {
  for (const trigger of ['manual', 'auto'] as const) {
    expect(
      cut(bare('2.1.325').user('one').assistant('a').compact({ trigger }).user('two').assistant('b')).begun,
    ).toEqual(['one', 'two'])
  }
})

test('a notification of a background agent is no prompt', () => {
  const made = bare('2.1.325')
    .user('one')
    .subagent({ description: 'd', prompt: 'p', result: 'r', background: true })
    .assistant('a')
  expect(cut(made.notification().assistant('b')).counts).toMatchObject({ prompts: 1, turns: 1 })
})

test('inline agents are left out of all counts', () => {
  const made = bare('1.0.128')
    .user('one')
    .subagent({ description: 'd', prompt: 'p', steps: (s) => s.tool('Bash'), result: 'r' })
    .assistant('a')
  // The prompt, the call, its result and the answer.
  expect(cut(made).counts).toEqual({ rows: 4, prompts: 1, messages: 3, turns: 1, toolCalls: 1 })
})

test('rows on all branches count', () => {
  const made = bare('2.1.325').user('one').assistant('a').rewind({ to: 1 }).user('two').assistant('b')
  expect(cut(made)).toMatchObject({ begun: ['two'], counts: { rows: 4, prompts: 2, messages: 4, turns: 2 } })
})

test('a row that was written twice counts once', () => {
  const rows = bare('2.1.325').user('one').tool('Bash').assistant('a').rows()
  const twice = [...rows, ...rows].map((row) => `${JSON.stringify(row)}\n`).join('')
  const nodes = readLog(new TextEncoder().encode(twice)).records.flatMap((record) => nodeOf(record) ?? [])
  expect(countRows(buildTree(nodes))).toEqual({ rows: 4, prompts: 1, messages: 3, turns: 1, toolCalls: 1 })
})

test('an empty log has no turns', () => {
  expect(cut(bare('2.1.325'))).toMatchObject({
    turns: [],
    counts: { rows: 0, prompts: 0, messages: 0, turns: 0, toolCalls: 0 },
  })
})
