import type { JsonObject } from '../core/json.ts'
import { type Item, itemsAt, itemsOf, type Prompt, promptOf, type Rows } from '../core/tree/items.ts'
import type { TreeNode } from '../core/tree/node.ts'
import { type Branch, buildTree, type Tree } from '../core/tree/tree.ts'
import type { Turn } from '../core/tree/turns.ts'
import { lastAtMost, type Walk, walkAll, walkRows } from '../core/tree/walk.ts'
import type { UsageRow, UsageTotal } from '../core/usage/usage.ts'
import { UsageFold } from '../core/usage/usage-fold.ts'
import type { KnownFacts } from '../disk/log-facts.ts'
import { recordReader } from '../disk/record-reader.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { type Derive, memoized } from './memoized.ts'

/** A log as a conversation. Tree and turns are in memory; `row`, `prompt`, `asked`, `items` and `itemsAt` read the log. */
export interface Conversation {
  readonly entry: SourceEntry
  readonly tree: Tree
  /** Reads a row again. */
  row(node: TreeNode): JsonObject | undefined
  /** Turns and rows of a branch, in reading order. */
  walk(branch: Branch | undefined): Walk
  /** Turns and rows of all branches: every row once, in file order. */
  walkAll(): Walk
  turns(branch: Branch | undefined): readonly Turn[]
  /** The first row that answers a tool call. */
  answer(toolUseId: string): TreeNode | undefined
  prompt(turn: Turn): Prompt | null
  /** The prompt of a turn without what a command printed or was expanded into: reads one row. */
  asked(turn: Turn): Prompt | null
  items(turn: Turn): readonly Item[]
  /** The items of one row of a turn, by its index in the tree. */
  itemsAt(turn: Turn, index: number): readonly Item[]
  usage(turn: Turn): UsageTotal
  /** What the rows of these messages used. */
  usageOf(messageIds: Iterable<string>): UsageTotal
  startedAt(turn: Turn): string | null
  durationMs(turn: Turn): number | null
  readonly derive: Derive<Conversation>
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
  const walks = new Map<Branch | undefined, Walk>()
  const nodesOf = ({ rows }: Turn) => rows.map((i) => tree.nodes[i] as TreeNode)
  const promptNode = (turn: Turn) => (turn.prompt === undefined ? undefined : (tree.nodes[turn.prompt] as TreeNode))
  let answers: ReadonlyMap<string, TreeNode> | undefined
  const answer = (toolUseId: string) => {
    answers ??= firstAnswers(tree.nodes)
    return answers.get(toolUseId)
  }
  const rows = rowReader(source, entry, answer)
  // The rows of a page are read one after the other, and most are of one turn.
  let last: { readonly turn: Turn; readonly nodes: readonly TreeNode[] } | undefined
  let usageByMessage: UsageByMessage | undefined
  const usageOf = (messageIds: Iterable<string>): UsageTotal => {
    usageByMessage ??= byMessage(facts.usage)
    const fold = new UsageFold()
    for (const message of messageIds) {
      for (let i = usageByMessage.last.get(message) ?? -1; i !== -1; i = usageByMessage.before[i] as number) {
        fold.add(facts.usage[i] as UsageRow)
      }
    }
    return fold.total()
  }
  const conversation: Conversation = {
    entry,
    tree,
    row: rows.row,
    walk: (branch) => {
      const walk = walks.get(branch) ?? walkRows(tree, branch?.rows ?? [])
      walks.set(branch, walk)
      return walk
    },
    walkAll: () => conversation.derive(allBranches),
    turns: (branch) => conversation.walk(branch).turns,
    answer,
    prompt: (turn) => {
      const node = promptNode(turn)
      return node ? promptOf(node, nodesOf(turn), rows) : null
    },
    asked: (turn) => {
      const node = promptNode(turn)
      return node ? promptOf(node, [], rows) : null
    },
    items: (turn) => itemsOf(nodesOf(turn), rows),
    itemsAt: (turn, index) => {
      if (last?.turn !== turn) last = { turn, nodes: nodesOf(turn) }
      return itemsAt(last.nodes, lastAtMost(turn.rows, index), rows)
    },
    usage: (turn) => usageOf(new Set(nodesOf(turn).map(({ messageId }) => messageId ?? ''))),
    usageOf,
    startedAt: (turn) => promptNode(turn)?.timestamp ?? nodesOf(turn)[0]?.timestamp ?? null,
    durationMs: (turn) => {
      const said = [promptNode(turn), ...nodesOf(turn)]
      const times = said.map((node) => Date.parse(node?.timestamp ?? '')).filter((ms) => !Number.isNaN(ms))
      return times.length < 2 ? null : times.reduce((a, b) => Math.max(a, b)) - (times[0] as number)
    },
    derive: memoized(() => conversation),
  }
  return conversation
}

function allBranches({ tree }: Conversation): Walk {
  return walkAll(tree)
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

function rowReader(source: Source, entry: SourceEntry, answer: (id: string) => TreeNode | undefined): Rows {
  const recordAt = recordReader(source, entry)
  const row = (node: TreeNode): JsonObject | undefined => {
    const { line, offset, length } = node
    return recordAt({ file: entry.path, line, offset, length })?.raw
  }
  return {
    row,
    answer: (toolUseId) => {
      const node = answer(toolUseId)
      return node && row(node)
    },
  }
}

/** The first row that answers each call. */
function firstAnswers(nodes: readonly TreeNode[]): ReadonlyMap<string, TreeNode> {
  const rows = new Map<string, TreeNode>()
  for (const node of nodes) {
    for (const { id } of node.toolResults) if (!rows.has(id)) rows.set(id, node)
  }
  return rows
}
