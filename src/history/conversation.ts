import type { JsonObject } from '../core/json.ts'
import { type Item, itemsOf, type Prompt, promptOf, type Rows } from '../core/tree/items.ts'
import type { TreeNode } from '../core/tree/node.ts'
import { type Branch, buildTree, type Tree } from '../core/tree/tree.ts'
import { cutTurns, type Turn } from '../core/tree/turns.ts'
import type { UsageRow, UsageTotal } from '../core/usage/usage.ts'
import { UsageFold } from '../core/usage/usage-fold.ts'
import type { KnownFacts } from '../disk/log-facts.ts'
import { recordReader } from '../disk/record-reader.ts'
import type { Source, SourceEntry } from '../disk/source.ts'

/** A log as a conversation: its tree and turns are known, its rows are read when a turn is opened. */
export interface Conversation {
  readonly entry: SourceEntry
  readonly tree: Tree
  /** Reads a row again. */
  row(node: TreeNode): JsonObject | undefined
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
  let usageOf: UsageByMessage | undefined
  const nodesOf = (turn: Turn) => turn.rows.map((i) => tree.nodes[i] as TreeNode)
  const promptNode = (turn: Turn) => (turn.prompt === undefined ? undefined : (tree.nodes[turn.prompt] as TreeNode))
  return {
    entry,
    tree,
    row: rows.row,
    turns: (branch) => cutTurns(tree, branch?.rows ?? []),
    prompt: (turn) => {
      const node = promptNode(turn)
      return node ? promptOf(node, nodesOf(turn), rows) : null
    },
    items: (turn) => itemsOf(nodesOf(turn), rows),
    usage: (turn) => {
      usageOf ??= byMessage(facts.usage)
      const fold = new UsageFold()
      for (const message of new Set(nodesOf(turn).map(({ messageId }) => messageId ?? ''))) {
        for (let i = usageOf.last.get(message) ?? -1; i !== -1; i = usageOf.before[i] as number) {
          fold.add(facts.usage[i] as UsageRow)
        }
      }
      return fold.total()
    },
    startedAt: (turn) => promptNode(turn)?.timestamp ?? nodesOf(turn)[0]?.timestamp ?? null,
    durationMs: (turn) => {
      const said = [promptNode(turn), ...nodesOf(turn)]
      const times = said.map((node) => Date.parse(node?.timestamp ?? '')).filter((ms) => !Number.isNaN(ms))
      return times.length < 2 ? null : times.reduce((a, b) => Math.max(a, b)) - (times[0] as number)
    },
  }
}

/** Where the rows of each message stand: the last, and for each the one before. Most have one, and need no list of their own. */
interface UsageByMessage {
  readonly last: ReadonlyMap<string, number>
  /** -1 for none. */
  readonly before: Int32Array
}

function byMessage(usage: readonly UsageRow[]): UsageByMessage {
  const last = new Map<string, number>()
  const before = new Int32Array(usage.length)
  usage.forEach(({ messageId }, i) => {
    before[i] = last.get(messageId) ?? -1
    last.set(messageId, i)
  })
  return { last, before }
}

function rowReader(source: Source, entry: SourceEntry, { nodes }: Tree): Rows {
  const recordAt = recordReader(source, entry)
  const row = (node: TreeNode): JsonObject | undefined => {
    const { line, offset, length } = node
    return recordAt({ file: entry.path, line, offset, length })?.raw
  }
  return {
    row,
    answer: (toolUseId) => {
      const node = answerRows(nodes).get(toolUseId)
      return node && row(node)
    },
  }
}

const answers = new WeakMap<readonly TreeNode[], ReadonlyMap<string, TreeNode>>()

/** The first row that answers each call; made once for each log. */
export function answerRows(nodes: readonly TreeNode[]): ReadonlyMap<string, TreeNode> {
  const found = answers.get(nodes) ?? firstAnswers(nodes)
  answers.set(nodes, found)
  return found
}

function firstAnswers(nodes: readonly TreeNode[]): ReadonlyMap<string, TreeNode> {
  const rows = new Map<string, TreeNode>()
  for (const node of nodes) {
    for (const { id } of node.toolResults) if (!rows.has(id)) rows.set(id, node)
  }
  return rows
}
