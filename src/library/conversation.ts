import type { Diagnostic } from '../core/log/diagnostic.ts'
import type { Place } from '../core/log/place.ts'
import type { ItemContent, ToolItem } from '../core/tree/item-schema.ts'
import type { Item as ItemOfRow, Prompt as PromptOfRow } from '../core/tree/items.ts'
import type { Turn as RowTurn } from '../core/tree/turns.ts'
import type { UsageTotal } from '../core/usage/usage.ts'
import type { SourceEntry } from '../disk/source.ts'
import type { Conversation as OpenLog } from '../history/conversation.ts'
import { placeAt } from '../history/family.ts'
import { branchList } from '../history/view/branch-list.ts'
import type { Agent } from './agent.ts'

/** A whole log, read: its branches, their turns and prompts. The rows of a turn are read when its items are iterated. */
export interface Conversation {
  /** The branch that the client would go on with; without turns where nobody has said anything. */
  readonly active: Branch
  /** All branches that rewinds made, in the order in which they begin. */
  readonly branches: readonly Branch[]
  /** What is wrong with how its rows hang together. */
  readonly diagnostics: readonly Diagnostic[]
}

/** One way through a conversation, from its first row to its last. */
export interface Branch {
  /** The uuid of its last row; `null` for a branch on which nothing was said. */
  readonly leaf: string | null
  /** The uuid of the row where it parted from another. */
  readonly from: string | null
  readonly title: string | null
  readonly isActive: boolean
  readonly turns: readonly Turn[]
}

/** What a person asked, and all that followed until they asked again. */
export interface Turn {
  /** Counted from 1; 0 for what stands before anything was asked. */
  readonly number: number
  readonly prompt: Prompt | null
  readonly startedAt: string | null
  readonly durationMs: number | null
  /** Tokens of its own rows, agents in other logs left out. */
  readonly usage: UsageTotal
  /** What was said and done, in order. */
  items(): AsyncIterable<Item>
}

/** What a turn was begun with. */
export type Prompt = Omit<PromptOfRow, 'node'> & { readonly uuid: string; readonly place: Place }

/** Something a person reads in a turn, by its `kind`; a tool call knows the agent that it started. */
export type Item = (Exclude<ItemContent, ToolItem> | (ToolItem & AgentCall)) & {
  readonly uuid: string
  readonly timestamp: string | null
  readonly place: Place
}

interface AgentCall {
  /** The agent that this call started; `null` for other calls. */
  agent(): Promise<Agent | null>
}

/** Finds the agent that a call started. */
export type AgentOfCall = (toolUseId: string) => Agent | null

/** A log as a conversation that others read. Reads the prompts of all branches. */
export function toConversation(open: OpenLog, agentOf: AgentOfCall): Conversation {
  const { tree } = open
  const listed = branchList(tree)
  const prompts = readPrompts(open)
  const branches = tree.branches.map((branch, i): Branch => {
    const { leaf, from, title } = listed[i] as (typeof listed)[number]
    const turns = () => open.turns(branch).map((turn) => toTurn(open, turn, prompts.get(turn) ?? null, agentOf))
    return toBranch({ leaf, from, title, isActive: branch === tree.active }, turns)
  })
  const nothing = { leaf: null, from: null, title: null, isActive: true, turns: [] }
  return { active: branches.find(({ isActive }) => isActive) ?? nothing, branches, diagnostics: tree.diagnostics }
}

/** The prompts of all turns. What a command printed depends on the branch; any other prompt that branches share is read once. */
function readPrompts(open: OpenLog): ReadonlyMap<RowTurn, Prompt> {
  const byTurn = new Map<RowTurn, Prompt>()
  const byRow = new Map<number, Prompt>()
  for (const turn of open.tree.branches.flatMap((branch) => open.turns(branch))) {
    const row = turn.prompt ?? -1
    const read = byRow.has(row) ? null : open.prompt(turn)
    const prompt = read ? toPrompt(read, open.entry) : byRow.get(row)
    if (!prompt) continue
    byTurn.set(turn, prompt)
    if (prompt.kind === 'prompt' || prompt.kind === 'queued') byRow.set(row, prompt)
  }
  return byTurn
}

/** Turns of a branch are computed when they are asked for: a session may have many branches, and few are looked at. */
function toBranch(about: Omit<Branch, 'turns'>, compute: () => readonly Turn[]): Branch {
  let turns: readonly Turn[] | undefined
  return {
    ...about,
    get turns() {
      turns ??= compute()
      return turns
    },
  }
}

function toTurn(open: OpenLog, turn: RowTurn, prompt: Prompt | null, agentOf: AgentOfCall): Turn {
  const { entry } = open
  return {
    number: turn.number,
    prompt,
    startedAt: open.startedAt(turn),
    durationMs: open.durationMs(turn),
    usage: open.usage(turn),
    async *items() {
      for (const item of open.items(turn)) yield toItem(item, entry, agentOf)
    },
  }
}

function toPrompt({ node, ...prompt }: PromptOfRow, entry: SourceEntry): Prompt {
  return { ...prompt, uuid: node.uuid, place: placeAt(entry, node) }
}

function toItem({ node, ...item }: ItemOfRow, entry: SourceEntry, agentOf: AgentOfCall): Item {
  const place = placeAt(entry, node)
  return item.kind === 'tool' ? { ...item, place, agent: async () => agentOf(item.id) } : { ...item, place }
}
