import type { RowKind } from '../../core/log/row-kind.ts'
import { type Static, Type } from '../../core/schema.ts'
import type { TreeNode } from '../../core/tree/node.ts'
import type { Tree } from '../../core/tree/tree.ts'
import type { Turn } from '../../core/tree/turns.ts'
import { lastAtMost, rowsOfTurn, turnOfRow, type Walk } from '../../core/tree/walk.ts'
import type { Conversation } from '../conversation.ts'
import { placeAt } from '../family.ts'
import { NullableString, placeFields } from '../shapes.ts'
import { ItemShape, type ShownItem } from './item-shape.ts'
import { readPrompt, shownItems, TurnShape, type View } from './turn-shape.ts'

/** A row of a conversation with what it shows. */
export const RowShape = Type.Object({
  row: Type.Integer('Counted from 0 over the rows of the branch that show something'),
  turn: Type.Integer('The number of its turn'),
  uuid: Type.String(),
  kind: Type.String(),
  timestamp: NullableString,
  ...placeFields,
  prompt: TurnShape.properties.prompt,
  items: Type.Array(ItemShape),
})

/** Reads one row: the prompt of its turn, or the items that stand on it. */
export function readRow(conversation: Conversation, walk: Walk, row: number, view: View): Static<typeof RowShape> {
  const index = walk.rows[row] as number
  const turn = walk.turns[turnOfRow(walk, row)] as Turn
  const node = conversation.tree.nodes[index] as TreeNode
  const { uuid, kind, timestamp } = node
  const isPrompt = turn.prompt === index
  const prompt = isPrompt ? readPrompt(conversation, turn) : null
  const items = isPrompt ? [] : shownItems(conversation, conversation.itemsAt(turn, index), view)
  const place = placeAt(conversation.entry, node)
  return { row, turn: turn.number, uuid, kind, timestamp, ...place, prompt, items: items.map(withAnswer) }

  function withAnswer(item: ShownItem): ShownItem {
    if (item.kind !== 'tool') return item
    const answer = conversation.answer(item.id)
    return { answer: answer ? placeAt(conversation.entry, answer) : null, ...item }
  }
}

/** The rows that are shown with another: what a command printed, or the summary of a compaction. */
const OUTPUTS: ReadonlyMap<RowKind, RowKind> = new Map([
  ['command', 'command-output'],
  ['bash-input', 'bash-output'],
  ['compact-boundary', 'compact-summary'],
])

/** The row that shows a row of the tree: itself, the call it answers, the command it is the output of, or what precedes it. */
export function showingRow({ tree }: Conversation, walk: Walk, index: number): number | undefined {
  if (walk.rows.length === 0) return undefined
  const before = Math.max(0, lastAtMost(walk.rows, index))
  if (walk.rows[before] === index) return before
  const { kind, toolResults } = tree.nodes[index] as TreeNode
  const ids = new Set(toolResults.map(({ id }) => id))
  for (let row = before; row >= 0 && ids.size > 0; row--) {
    const { toolUses } = tree.nodes[walk.rows[row] as number] as TreeNode
    if (toolUses.some(({ id }) => ids.has(id))) return row
  }
  const at = turnOfRow(walk, before)
  const { from } = rowsOfTurn(walk, at)
  const isOutput = [...OUTPUTS.values()].includes(kind)
  for (let row = before; row >= from && isOutput; row--) {
    if (outputRow(tree, walk.turns[at] as Turn, walk.rows[row] as number) === index) return row
  }
  return before
}

/** The row that holds the output of another. */
function outputRow({ nodes }: Tree, turn: Turn, index: number): number | undefined {
  const wanted = OUTPUTS.get((nodes[index] as TreeNode).kind)
  if (wanted === undefined) return undefined
  for (let at = lastAtMost(turn.rows, index) + 1; at < turn.rows.length; at++) {
    const next = turn.rows[at] as number
    const { kind } = nodes[next] as TreeNode
    if (kind === wanted) return next
    if (kind === 'response' || OUTPUTS.has(kind)) return undefined
  }
  return undefined
}
