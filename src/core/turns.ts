import type { TreeNode } from './node.ts'
import { isRepeated, type Tree } from './tree.ts'

/** A human prompt and all that follows until the next. */
export interface Turn {
  /** Counted from 1; 0 for rows that stand before anything was asked. */
  readonly number: number
  /** Index of the row that began it: a prompt, a queued prompt, or a command or bash input that made the model work. */
  readonly prompt: number | undefined
  /** The rows after it, in file order. */
  readonly rows: readonly number[]
}

/** Cuts the rows of a branch into turns. */
export function cutTurns(tree: Tree, rows: readonly number[]): readonly Turn[] {
  const shown = rows.filter((i) => tree.attachedBy[i] !== 'replay')
  const starts = turnStarts(tree, shown)
  const turns: Turn[] = []
  let open: { number: number; prompt: number | undefined; rows: number[] } = { number: 0, prompt: undefined, rows: [] }
  for (const i of shown) {
    if (!starts.has(i)) {
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
  const rows: number[] = []
  nodes.forEach((node, i) => {
    if ((isAgent || !node.isSidechain) && !isRepeated(tree.attachedBy[i])) rows.push(i)
  })
  const starts = turnStarts(tree, rows)
  const responses = new Set<string>()
  const calls = new Set<string>()
  let counted = 0
  let prompts = 0
  for (const i of rows) {
    const node = nodes[i] as TreeNode
    if (isCountedRow(node)) counted += 1
    if (starts.get(i) === 'asked') prompts += 1
    if (node.kind === 'response') responses.add(node.messageId ?? `row ${i}`)
    for (const use of node.toolUses) calls.add(use.id || `row ${i}`)
  }
  return { rows: counted, prompts, messages: prompts + responses.size, turns: starts.size, toolCalls: calls.size }
}

function isCountedRow(node: TreeNode): boolean {
  if (node.type !== 'user' && node.type !== 'assistant') return false
  return node.kind !== 'meta' && node.kind !== 'interrupt' && node.kind !== 'command'
}

/** Why a row begins a turn: a human asked for something, or a built-in command or bash input made the model work. */
type Start = 'asked' | 'worked'

/** The rows that begin a turn, in file order. */
function turnStarts(tree: Tree, rows: readonly number[]): ReadonlyMap<number, Start> {
  const starts = new Map<number, Start>()
  let waiting: { readonly index: number; isExpanded: boolean } | undefined
  for (const i of rows) {
    const node = tree.nodes[i] as TreeNode
    if (isAsked(tree, i)) {
      starts.set(i, 'asked')
      waiting = undefined
    } else if (node.kind === 'bash-input') waiting = { index: i, isExpanded: false }
    else if (node.kind === 'command') waiting = isByModel(tree, i) ? undefined : { index: i, isExpanded: false }
    else if (node.kind === 'meta' && waiting) waiting.isExpanded = tree.nodes[waiting.index]?.kind === 'command'
    else if (node.kind === 'command-output' && waiting) waiting.isExpanded = false
    else if (node.kind === 'response' && waiting) {
      // A command that was expanded into a prompt is a custom one, whatever order its tags have.
      starts.set(waiting.index, waiting.isExpanded ? 'asked' : 'worked')
      waiting = undefined
    }
  }
  return new Map([...starts].sort(([a], [b]) => a - b))
}

function isAsked(tree: Tree, index: number): boolean {
  const node = tree.nodes[index] as TreeNode
  if (node.kind === 'prompt' || node.kind === 'queued-prompt' || node.kind === 'warmup') return true
  return node.kind === 'command' && node.command?.isCustom === true && !isByModel(tree, index)
}

/** A command row right under a tool result is what the model's own `Skill` or `SlashCommand` call left. */
function isByModel(tree: Tree, index: number): boolean {
  return tree.nodes[tree.parents[index] as number]?.kind === 'tool-result'
}
