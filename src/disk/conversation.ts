import { type Item, itemsOf, type Prompt, promptOf, type Rows } from '../core/items.ts'
import type { JsonObject } from '../core/json.ts'
import type { TreeNode } from '../core/node.ts'
import { type Branch, buildTree, type Tree } from '../core/tree.ts'
import { cutTurns, type Turn } from '../core/turns.ts'
import { type Response, sumUsage, UsageFold, type UsageRow, type UsageTotal } from '../core/usage.ts'
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
  const responses = responsesByMessage(facts.usage)
  const nodesOf = (turn: Turn) => turn.rows.map((i) => tree.nodes[i] as TreeNode)
  const promptNode = (turn: Turn) => (turn.prompt === undefined ? undefined : (tree.nodes[turn.prompt] as TreeNode))
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
      const ids = new Set(nodesOf(turn).flatMap((node) => node.messageId ?? []))
      return sumUsage([...ids].flatMap((id) => responses.get(id) ?? []))
    },
    startedAt: (turn) => promptNode(turn)?.timestamp ?? nodesOf(turn)[0]?.timestamp ?? null,
    durationMs: (turn) => {
      const times = [promptNode(turn), ...nodesOf(turn)].flatMap((node) => {
        const time = Date.parse(node?.timestamp ?? '')
        return Number.isNaN(time) ? [] : [time]
      })
      return times.length < 2 ? null : times.reduce((a, b) => Math.max(a, b)) - (times[0] as number)
    },
  }
}

function responsesByMessage(usage: readonly UsageRow[]): ReadonlyMap<string, readonly Response[]> {
  const fold = new UsageFold()
  for (const row of usage) fold.add(row)
  const byMessage = new Map<string, Response[]>()
  for (const response of fold.responses()) {
    const same = byMessage.get(response.messageId)
    if (same) same.push(response)
    else byMessage.set(response.messageId, [response])
  }
  return byMessage
}

function rowReader(source: Source, entry: SourceEntry, tree: Tree): Rows {
  const answers = new Map<string, TreeNode>()
  for (const node of tree.nodes) for (const { id } of node.toolResults) if (!answers.has(id)) answers.set(id, node)
  const row = (node: TreeNode): JsonObject | undefined => {
    const { line, offset, length } = node
    return readRecordAt(source, entry, { file: entry.path, line, offset, length })?.raw
  }
  return {
    row,
    answer: (toolUseId) => {
      const node = answers.get(toolUseId)
      return node && row(node)
    },
  }
}
