import type { RowKind } from '../../core/log/row-kind.ts'
import { type Static, Type } from '../../core/schema.ts'
import { itemsOf } from '../../core/tree/items.ts'
import type { TreeNode } from '../../core/tree/node.ts'
import type { Branch, Tree } from '../../core/tree/tree.ts'
import type { Turn } from '../../core/tree/turns.ts'
import { answerRows, type Conversation } from '../conversation.ts'
import { placeAt } from '../family.ts'
import { NullableString, placeFields } from '../shapes.ts'
import { RowItemShape, type ShownItem } from './item-shape.ts'
import { saidIn, TurnShape, type View } from './turn-shape.ts'

/** The rows of a branch that show something, in order. What they show is not read for it. */
export interface ShownRows {
  readonly turns: readonly Turn[]
  /** For each row its index in the tree. */
  readonly rows: readonly number[]
  /** For each row the index of its turn. */
  readonly turnOf: readonly number[]
  /** For each turn the first of its rows; the next turn's where it has none. */
  readonly starts: readonly number[]
}

const NONE: ShownRows = { turns: [], rows: [], turnOf: [], starts: [] }
const listed = new WeakMap<Branch, ShownRows>()

/** Lists the rows of a branch that are shown; made once for each branch. */
export function shownRows(conversation: Conversation, branch: Branch | undefined): ShownRows {
  if (!branch) return NONE
  const made = listed.get(branch) ?? listRows(conversation, branch)
  listed.set(branch, made)
  return made
}

function listRows(conversation: Conversation, branch: Branch): ShownRows {
  const { nodes } = conversation.tree
  const turns = conversation.turns(branch)
  const rows: number[] = []
  const turnOf: number[] = []
  const starts: number[] = []
  turns.forEach((turn, at) => {
    starts.push(rows.length)
    if (turn.prompt !== undefined) rows.push(turn.prompt)
    for (const i of turn.rows) if (canShow(nodes[i] as TreeNode)) rows.push(i)
    while (turnOf.length < rows.length) turnOf.push(at)
  })
  return { turns, rows, turnOf, starts }
}

/** Whether a row of this kind shows anything, whatever it holds: one that holds all there can be is tried. */
function canShow(node: TreeNode): boolean {
  if (node.kind === 'response' || node.kind === 'synthetic') return true
  const type = node.subtype ?? ''
  const full = {
    subtype: type,
    content: 'x',
    message: { content: 'x' },
    attachment: { type, filename: 'x', content: 'x', prompt: 'x' },
  }
  return itemsOf([node], { row: () => full, answer: () => undefined }).length > 0
}

/** A row of a conversation with what it shows. */
export const RowShape = Type.Object({
  row: Type.Integer('Counted from 0 over the rows of the branch that show something'),
  turn: Type.Integer('The number of its turn'),
  uuid: Type.String(),
  kind: Type.String(),
  timestamp: NullableString,
  ...placeFields,
  prompt: TurnShape.properties.prompt,
  items: Type.Array(RowItemShape),
})

/** Reads one row: it is shown as a turn that has no other, but for the one that holds the output of its command. */
export function readRow(
  conversation: Conversation,
  shown: ShownRows,
  row: number,
  view: View,
): Static<typeof RowShape> {
  const { nodes } = conversation.tree
  const index = shown.rows[row] as number
  const turn = shown.turns[shown.turnOf[row] as number] as Turn
  const node = nodes[index] as TreeNode
  const joined = [expansionRow(conversation.tree, turn, index), outputRow(conversation.tree, turn, index)].flatMap(
    (one) => one ?? [],
  )
  const alone =
    turn.prompt === index
      ? { number: turn.number, prompt: index, rows: joined }
      : { number: turn.number, prompt: undefined, rows: [index, ...joined] }
  const { prompt, items } = saidIn(conversation, alone, view)
  const { uuid, kind, timestamp } = node
  const place = placeAt(conversation.entry, node)
  return { row, turn: turn.number, uuid, kind, timestamp, ...place, prompt, items: withServed(items).map(withAnswer) }

  /** What the API answered a call that it ran stands in another row of the same response: then all of these are read. */
  function withServed(own: readonly ShownItem[]): readonly ShownItem[] {
    if (!own.some((item) => item.kind === 'tool' && item.runBy === 'api' && item.outcome === 'unanswered')) return own
    const rows = turn.rows.filter((i) => i === index || nodes[i]?.messageId === node.messageId)
    return saidIn(conversation, { ...alone, rows }, view).items.filter((item) => item.uuid === uuid)
  }

  function withAnswer(item: ShownItem): Static<typeof RowItemShape> {
    if (item.kind !== 'tool') return item
    const answer = answerRows(nodes).get(item.id)
    return { answer: answer ? placeAt(conversation.entry, answer) : null, ...item }
  }
}

/** What the output of a row is called. */
const OUTPUTS: ReadonlyMap<RowKind, RowKind> = new Map([
  ['command', 'command-output'],
  ['bash-input', 'bash-output'],
  ['compact-boundary', 'compact-summary'],
])

/** The row that is shown with another: what a command printed, or the summary of a compaction. */
function outputRow(tree: Tree, turn: Turn, index: number): number | undefined {
  return rowAfter(tree, turn, index, OUTPUTS.get((tree.nodes[index] as TreeNode).kind))
}

/** The row that a custom command was expanded into. */
function expansionRow(tree: Tree, turn: Turn, index: number): number | undefined {
  return rowAfter(tree, turn, index, tree.nodes[index]?.kind === 'command' ? 'meta' : undefined)
}

function rowAfter({ nodes }: Tree, turn: Turn, index: number, wanted: RowKind | undefined): number | undefined {
  if (wanted === undefined) return undefined
  for (let at = lastAtMost(turn.rows, index) + 1; at < turn.rows.length; at++) {
    const next = turn.rows[at] as number
    const { kind } = nodes[next] as TreeNode
    if (kind === wanted) return next
    if (kind === 'response' || OUTPUTS.has(kind)) return undefined
  }
  return undefined
}

/** The row that shows a row of the tree: itself, the call it answers, the command it is the output of, or what precedes it. */
export function showingRow({ tree }: Conversation, shown: ShownRows, index: number): number | undefined {
  if (shown.rows.length === 0) return undefined
  const before = Math.max(0, lastAtMost(shown.rows, index))
  if (shown.rows[before] === index) return before
  const { kind, toolResults } = tree.nodes[index] as TreeNode
  const ids = new Set(toolResults.map(({ id }) => id))
  for (let row = before; row >= 0 && ids.size > 0; row--) {
    const { toolUses } = tree.nodes[shown.rows[row] as number] as TreeNode
    if (toolUses.some(({ id }) => ids.has(id))) return row
  }
  const isOutput = [...OUTPUTS.values()].includes(kind)
  for (let row = before; row >= 0 && isOutput && shown.turnOf[row] === shown.turnOf[before]; row--) {
    const turn = shown.turns[shown.turnOf[row] as number] as Turn
    if (outputRow(tree, turn, shown.rows[row] as number) === index) return row
  }
  return before
}

/** The place of the last of some rising numbers that is no greater; -1 where all are. */
function lastAtMost(rising: readonly number[], most: number): number {
  let from = 0
  let to = rising.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((rising[middle] as number) <= most) from = middle + 1
    else to = middle
  }
  return from - 1
}
