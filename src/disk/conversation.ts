import { type Item, itemsOf, type Prompt, promptOf, type Rows } from '../core/items.ts'
import type { JsonObject } from '../core/json.ts'
import type { TreeNode } from '../core/node.ts'
import { MESSAGE } from '../core/node-table.ts'
import { type Branch, buildTree, type Tree } from '../core/tree.ts'
import { cutTurns, type Turn } from '../core/turns.ts'
import { sumUsage, type UsageTotal } from '../core/usage.ts'
import { UsageFold } from '../core/usage-fold.ts'
import type { UsageTable } from '../core/usage-table.ts'
import type { KnownFacts } from './log-facts.ts'
import { readRecordAt } from './log-file.ts'
import type { Source, SourceEntry } from './source.ts'

/** A log as a conversation: its tree and turns are known, its rows are read when a turn is opened. */
export interface Conversation {
  readonly entry: SourceEntry
  readonly tree: Tree
  turns(branch: Branch | undefined): readonly Turn[]
  prompt(turn: Turn): Prompt | null
  items(turn: Turn): readonly Item[]
  usage(turn: Turn): UsageTotal
  startedAt(turn: Turn): string | null
  durationMs(turn: Turn): number | null
}

export interface ConversationOptions {
  readonly isAgent?: boolean
}

/** Opens the conversation of a log whose facts are known. */
export function openConversation(
  source: Source,
  entry: SourceEntry,
  known: KnownFacts,
  options: ConversationOptions = {},
): Conversation {
  const { facts } = known
  const tree = buildTree(facts.nodes, { file: entry.path, leaf: facts.leaf, isAgent: options.isAgent ?? false })
  const rows = rowReader(source, entry, tree)
  let rowsOfMessage: ReturnType<UsageTable['byMessage']> | undefined
  const nodesOf = (turn: Turn) => turn.rows.map((i) => tree.nodes.at(i) as TreeNode)
  const promptNode = (turn: Turn) => (turn.prompt === undefined ? undefined : (tree.nodes.at(turn.prompt) as TreeNode))
  return {
    entry,
    tree,
    turns: (branch) => cutTurns(tree, branch?.rows ?? []),
    prompt: (turn) => {
      const node = promptNode(turn)
      return node ? promptOf(node, nodesOf(turn), rows) : null
    },
    items: (turn) => itemsOf(nodesOf(turn), rows),
    usage: (turn) => {
      rowsOfMessage ??= facts.usage.byMessage()
      const fold = new UsageFold()
      for (const message of new Set(turn.rows.map((i) => facts.usage.pool.find(tree.nodes.textAt(i, MESSAGE) ?? '')))) {
        fold.addRows({ table: facts.usage, rows: rowsOfMessage(message) }, undefined)
      }
      return sumUsage(fold.each())
    },
    startedAt: (turn) => promptNode(turn)?.timestamp ?? nodesOf(turn)[0]?.timestamp ?? null,
    durationMs: (turn) => {
      const rows = turn.prompt === undefined ? turn.rows : [turn.prompt, ...turn.rows]
      const times = rows.flatMap((row) => tree.nodes.msAt(row) ?? [])
      return times.length < 2 ? null : times.reduce((a, b) => Math.max(a, b)) - (times[0] as number)
    },
  }
}

function rowReader(source: Source, entry: SourceEntry, tree: Tree): Rows {
  // The first row that answers each call, by the number of its id; -1 where none does.
  const answers = new Int32Array(tree.nodes.pool.size).fill(-1)
  for (let row = tree.nodes.length - 1; row >= 0; row--) {
    if (tree.nodes.kindAt(row) !== 'tool-result') continue
    for (const id of tree.nodes.callIdsAt(row)) answers[id] = row
  }
  const row = (node: TreeNode): JsonObject | undefined => {
    const { line, offset, length } = node
    return readRecordAt(source, entry, { file: entry.path, line, offset, length })?.raw
  }
  return {
    row,
    answer: (toolUseId) => {
      const node = tree.nodes.at(answers[tree.nodes.pool.find(toolUseId)] ?? -1)
      return node && row(node)
    },
  }
}
