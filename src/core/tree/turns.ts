import { type Attachment, isRepeated } from './attachment.ts'
import type { TreeNode } from './node.ts'
import { isSaid, type Tree } from './tree.ts'

/** A human prompt and all that follows until the next. */
export interface Turn {
  /** Counted from 1; 0 for rows that stand before anything was asked. */
  readonly number: number
  /** Index of the row that began it: a prompt, a queued prompt, or a command or bash input that made the model work. */
  readonly prompt: number | undefined
  /** The rows after it, in file order. */
  readonly rows: readonly number[]
}

/** As much of a tree as turns are cut by. */
export interface TurnTree<Node extends Pick<TreeNode, 'kind' | 'command'> = Pick<TreeNode, 'kind' | 'command'>> {
  readonly nodes: readonly Node[]
  readonly parents: ArrayLike<number>
  readonly attachedBy: readonly Attachment[]
}

/** Cuts the rows of a branch into turns. */
export function cutTurns(tree: TurnTree, rows: readonly number[]): readonly Turn[] {
  const shown = rows.filter((i) => tree.attachedBy[i] !== 'replay')
  const starts = turnStarts(tree, shown)
  const turns: Turn[] = []
  let open: { number: number; prompt: number | undefined; rows: number[] } = { number: 0, prompt: undefined, rows: [] }
  for (const i of shown) {
    if (starts[i] === NO_START) {
      open.rows.push(i)
      continue
    }
    if (open.prompt !== undefined || open.rows.length > 0) turns.push(open)
    open = { number: open.number + 1, prompt: i, rows: [] }
  }
  if (open.prompt !== undefined || open.rows.length > 0) turns.push(open)
  return turns
}

/** The counts of a session: over the whole log, each uuid once, sidechains left out. */
export interface Counts {
  /** User and assistant rows that are not meta, interrupt or command rows. */
  readonly rows: number
  readonly prompts: number
  /** Prompts and responses; the streamed rows of a response are one. */
  readonly messages: number
  readonly turns: number
  readonly toolCalls: number
}

export function countRows(tree: Tree, isAgent = false): Counts {
  const { nodes } = tree
  const rows = [...nodes.keys()].filter((i) => (isAgent || !nodes[i]?.isSidechain) && !isRepeated(tree.attachedBy[i]))
  const starts = turnStarts(tree, rows)
  const messages = new Set<string>()
  const calls = new Set<string>()
  const counts = { rows: 0, prompts: 0, turns: 0, responses: 0, toolCalls: 0 }
  for (const i of rows) {
    const node = nodes[i] as TreeNode
    if (isCounted(node)) counts.rows += 1
    if (starts[i] !== NO_START) counts.turns += 1
    if (starts[i] === ASKED) counts.prompts += 1
    // What has no id stands for itself: a response, and all calls of a row together.
    if (node.kind === 'response' && (node.messageId === null || isNew(messages, node.messageId))) counts.responses += 1
    for (const { id } of node.toolUses) if (isNew(calls, id || `row ${i}`)) counts.toolCalls += 1
  }
  const { prompts, turns, responses, toolCalls } = counts
  return { rows: counts.rows, prompts, messages: prompts + responses, turns, toolCalls }
}

function isNew(seen: Set<string>, id: string): boolean {
  const { size } = seen
  return seen.add(id).size > size
}

function isCounted(node: TreeNode): boolean {
  const { kind } = node
  return isSaid(node) && kind !== 'meta' && kind !== 'interrupt' && kind !== 'command'
}

const NO_START = 0
/** A human asked for something. */
const ASKED = 1
/** A built-in command or bash input made the model work. */
const WORKED = 2

/** For every row of the log whether it begins a turn, and why. */
function turnStarts(tree: TurnTree, rows: Iterable<number>): Uint8Array {
  const starts = new Uint8Array(tree.nodes.length)
  let waiting: { readonly index: number; isExpanded: boolean } | undefined
  for (const i of rows) {
    const kind = tree.nodes[i]?.kind
    if (isAsked(tree, i)) {
      starts[i] = ASKED
      waiting = undefined
    } else if (kind === 'bash-input') waiting = { index: i, isExpanded: false }
    else if (kind === 'command') waiting = isByModel(tree, i) ? undefined : { index: i, isExpanded: false }
    else if (kind === 'meta' && waiting) waiting.isExpanded = tree.nodes[waiting.index]?.kind === 'command'
    else if (kind === 'command-output' && waiting) waiting.isExpanded = false
    else if (kind === 'response' && waiting) {
      // A command that was expanded into a prompt is a custom one, whatever order its tags have.
      starts[waiting.index] = waiting.isExpanded ? ASKED : WORKED
      waiting = undefined
    }
  }
  return starts
}

function isAsked(tree: TurnTree, index: number): boolean {
  const { kind, command } = tree.nodes[index] as Pick<TreeNode, 'kind' | 'command'>
  if (kind === 'prompt' || kind === 'queued-prompt' || kind === 'warmup') return true
  return kind === 'command' && command?.isCustom === true && !isByModel(tree, index)
}

/** A command row right under a tool result is what the model's own `Skill` or `SlashCommand` call left. */
function isByModel(tree: TurnTree, index: number): boolean {
  const parent = tree.parents[index] as number
  return tree.nodes[parent]?.kind === 'tool-result'
}
