import { textAt } from '../../core/json.ts'
import { joinText, toolResultsOf, toolUsesOf } from '../../core/log/content.ts'
import { commitsOf } from '../../core/tools/commits.ts'
import type { TreeNode } from '../../core/tree/node.ts'
import { type Step, type StepRow, stepRow, stepsOf } from '../../core/tree/steps.ts'
import type { Turn } from '../../core/tree/turns.ts'
import { answerRows, type Conversation } from '../conversation.ts'
import type { ShownRows } from './shown-rows.ts'

/** A step of a branch: its rows are counted as they are shown. */
export interface ShownStep extends Step {
  readonly turn: number
  readonly uuid: string
  readonly startedAt: string | null
}

const NOTHING: StepRow = { said: '', calls: [] }
const read = new WeakMap<Conversation, Map<number, StepRow>>()
/** A log of more rows than these is huge: of such a one, only the last few that were read are held. */
const HUGE = 20_000
const FEW = 200
const listed = new WeakMap<ShownRows, readonly ShownStep[]>()

/** What a row of a conversation says and calls; each is read once, unless the log is huge. */
export function saidInRow(conversation: Conversation, index: number): StepRow {
  const node = conversation.tree.nodes[index] as TreeNode
  if (node.kind !== 'response') return NOTHING
  const rows = read.get(conversation) ?? new Map<number, StepRow>()
  read.set(conversation, rows)
  const known = rows.get(index)
  if (known) return known
  if (rows.size === FEW && conversation.tree.nodes.length > HUGE) rows.clear()
  const made = stepRow(conversation.row(node) ?? {})
  rows.set(index, made)
  return made
}

/** The steps of a branch in order, turn by turn. A compaction or an interrupt ends what was begun. */
export function stepsIn(conversation: Conversation, shown: ShownRows): readonly ShownStep[] {
  const known = listed.get(shown) ?? shown.turns.flatMap((_, at) => stepsOfTurn(conversation, shown, at))
  listed.set(shown, known)
  return known
}

/** The steps of one turn, by its place among those that are shown. */
export function stepsOfTurn(conversation: Conversation, shown: ShownRows, at: number): readonly ShownStep[] {
  const { nodes } = conversation.tree
  const { number } = shown.turns[at] as Turn
  const parts: [number, StepRow][][] = [[]]
  const end = shown.starts[at + 1] ?? shown.rows.length
  for (let row = shown.starts[at] as number; row < end; row++) {
    const index = shown.rows[row] as number
    const { kind } = nodes[index] as TreeNode
    if (ENDS.has(kind)) parts.push([])
    if (kind === 'response') parts.at(-1)?.push([row, saidInRow(conversation, index)])
  }
  return parts.flatMap(stepsOf).map((step) => {
    const { uuid, timestamp } = nodes[shown.rows[step.row] as number] as TreeNode
    return { turn: number, uuid, startedAt: timestamp, ...step }
  })
}

const ENDS: ReadonlySet<string> = new Set(['compact-boundary', 'interrupt'])

/** The messages of the commits that a call made, as far as its answer tells. */
export function commitsOfCall(conversation: Conversation, node: TreeNode, id: string) {
  const raw = (one: TreeNode) => conversation.row(one) ?? {}
  const answer = answerRows(conversation.tree.nodes).get(id)
  const command = textAt(toolUsesOf(raw(node)).find((use) => use.id === id)?.input, 'command') ?? ''
  const result = answer && toolResultsOf(raw(answer)).find(({ toolUseId }) => toolUseId === id)
  return result ? commitsOf(command, joinText(result.content)) : []
}
