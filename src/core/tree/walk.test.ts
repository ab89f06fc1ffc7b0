import { expect, test } from 'vitest'
import { log } from '../../testing/index.ts'
import { readLog } from '../log/log.ts'
import { canShow, itemsAt, itemsOf } from './items.ts'
import { nodeOf, type TreeNode } from './node.ts'
import { buildTree } from './tree.ts'
import { rowsOfTurn, turnOfRow, walkAll, walkRows } from './walk.ts'

function treeOf(made: ReturnType<typeof log>) {
  const { records } = readLog(made.content())
  const tree = buildTree(records.flatMap((record) => nodeOf(record) ?? []))
  const raws = new Map(records.map(({ raw, place }) => [place.offset, raw]))
  const rows = { row: (node: TreeNode) => raws.get(node.offset), answer: () => undefined }
  return { tree, rows }
}

const bare = { version: '2.1.325', attachments: false } as const

test('a walk numbers the rows that show something, turn after turn', () => {
  const { tree } = treeOf(log(bare).user('one').tool('Bash').assistant('a').user('two').assistant('b'))
  const walk = walkRows(tree, tree.active?.rows ?? [])
  // The answer of the tool is told with its call.
  expect(walk.rows.map((row) => tree.nodes[row]?.kind)).toEqual([
    'prompt',
    'response',
    'response',
    'prompt',
    'response',
  ])
  expect(walk.turns.map(({ number }) => number)).toEqual([1, 2])
  expect(walk.rows.map((_, row) => walk.turns[turnOfRow(walk, row)]?.number)).toEqual([1, 1, 1, 2, 2])
  expect(rowsOfTurn(walk, 0)).toEqual({ from: 0, to: 3 })
  expect(rowsOfTurn(walk, 1)).toEqual({ from: 3, to: 5 })
})

test('a turn without a row that shows something has none, and no row belongs to it', () => {
  const walk = {
    turns: [
      { number: 0, prompt: undefined, rows: [0] },
      { number: 1, prompt: 1, rows: [2] },
    ],
    rows: [1, 2],
    starts: [0, 0],
  }
  expect(rowsOfTurn(walk, 0)).toEqual({ from: 0, to: 0 })
  expect(turnOfRow(walk, 0)).toBe(1)
})

test('a walk over all branches has every row once', () => {
  const made = log(bare).user('one').assistant('a')
  const { tree } = treeOf(made.user('two').assistant('b').rewind({ to: 2 }).user('three').assistant('c'))
  expect(tree.branches).toHaveLength(2)
  const asked = walkAll(tree).turns.map(({ prompt }) => tree.nodes[prompt ?? -1]?.preview)
  expect(asked).toEqual(['one', 'two', 'three'])
})

test.each<[string, string | null, boolean]>([
  ['response', null, true],
  ['tool-result', null, false],
  ['compact-boundary', 'compact_boundary', true],
  ['meta', null, false],
  ['system', 'informational', true],
  ['system', 'turn_duration', false],
  ['system', null, true],
  ['attachment', 'file', true],
  ['attachment', 'hook_blocking_error', true],
  ['attachment', 'hook_success', false],
  ['attachment', 'todo_reminder', false],
  ['attachment', null, false],
])('whether a row of the kind %s %s can show something: %s', (kind, subtype, expected) => {
  expect(canShow({ kind: kind as TreeNode['kind'], subtype })).toBe(expected)
})

test('a row read by itself has the items that it has among the others', () => {
  const { tree, rows } = treeOf(log(bare).user('one').command('/cost', { output: 'Total: $1' }).assistant('a'))
  const nodes = (tree.active?.rows ?? []).map((row) => tree.nodes[row] as TreeNode)
  const alone = nodes.flatMap((_, at) => itemsAt(nodes, at, rows))
  expect(alone).toEqual(itemsOf(nodes, rows))
  expect(alone.find(({ kind }) => kind === 'command')).toMatchObject({ name: '/cost', output: 'Total: $1' })
})
