import { textAt } from '../../core/json.ts'
import { joinText, toolResultsOf, toolUsesOf } from '../../core/log/content.ts'
import { commitsOf } from '../../core/tools/commits.ts'
import type { TreeNode } from '../../core/tree/node.ts'
import { type Step, type StepRow, stepRow, stepsOf } from '../../core/tree/steps.ts'
import type { Turn } from '../../core/tree/turns.ts'
import { rowsOfTurn, type Walk } from '../../core/tree/walk.ts'
import type { Conversation } from '../conversation.ts'

/** A step of a branch: its rows are counted as they are shown. */
export interface ShownStep extends Step {
  readonly turn: number
  readonly uuid: string
  readonly startedAt: string | null
}

const NOTHING: StepRow = { said: '', calls: [] }
/** A log of more rows than these is huge: of such a one, only the last few that were read are held. */
const HUGE = 20_000
const FEW = 200

/** What a row of a conversation says and calls; each is read once, unless the log is huge. */
export function saidInRow(conversation: Conversation, index: number): StepRow {
  const node = conversation.tree.nodes[index] as TreeNode
  if (node.kind !== 'response') return NOTHING
  const rows = conversation.derive(rowsRead)
  const known = rows.get(index)
  if (known) return known
  if (rows.size === FEW && conversation.tree.nodes.length > HUGE) rows.clear()
  const made = stepRow(conversation.row(node) ?? {})
  rows.set(index, made)
  return made
}

function rowsRead(): Map<number, StepRow> {
  return new Map()
}

/** The steps of one turn of a walk. A compaction or an interrupt ends what was begun. */
export function stepsOfTurn(conversation: Conversation, walk: Walk, at: number): readonly ShownStep[] {
  const { nodes } = conversation.tree
  const { number } = walk.turns[at] as Turn
  const parts: [number, StepRow][][] = [[]]
  const { from, to } = rowsOfTurn(walk, at)
  for (let row = from; row < to; row++) {
    const index = walk.rows[row] as number
    const { kind } = nodes[index] as TreeNode
    if (ENDS.has(kind)) parts.push([])
    if (kind === 'response') parts.at(-1)?.push([row, saidInRow(conversation, index)])
  }
  return parts.flatMap(stepsOf).map((step) => {
    const { uuid, timestamp } = nodes[walk.rows[step.row] as number] as TreeNode
    return { turn: number, uuid, startedAt: timestamp, ...step }
  })
}

const ENDS: ReadonlySet<string> = new Set(['compact-boundary', 'interrupt'])

/** The messages of the commits that a call made, as far as its answer tells. */
export function commitsOfCall(conversation: Conversation, node: TreeNode, id: string) {
  const raw = (one: TreeNode) => conversation.row(one) ?? {}
  const answer = conversation.answer(id)
  const command = textAt(toolUsesOf(raw(node)).find((use) => use.id === id)?.input, 'command') ?? ''
  const result = answer && toolResultsOf(raw(answer)).find(({ toolUseId }) => toolUseId === id)
  return result ? commitsOf(command, joinText(result.content)) : []
}
