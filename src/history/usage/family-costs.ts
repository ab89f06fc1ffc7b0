import type { TreeNode } from '../../core/tree/node.ts'
import type { Turn } from '../../core/tree/turns.ts'
import { agentsByRow } from '../agent-turns.ts'
import type { Context } from '../context.ts'
import type { Conversation } from '../conversation.ts'
import type { Agent } from '../family.ts'
import { historyOf } from '../history.ts'
import type { OpenedSession } from '../open.ts'
import { sumCosts } from './spending.ts'
import { type BilledSpending, readUsage, sessionUsage } from './usage.ts'

/** What the agents and the turns of one session cost. What a session inherited, it did not pay for. */
export interface FamilyCosts {
  readonly ofAgent: (agent: Agent) => number | null
  /** Its own responses, and the agents that belong to it. */
  readonly ofTurn: (conversation: Conversation, turn: Turn) => number | null
}

/** What agents of any sessions cost. */
export async function agentCosts(context: Context): Promise<(agent: Agent) => number | null> {
  const { calls } = await readUsage(historyOf(context), { single: true, progress: context.progress })
  return costsByAgent(calls)
}

/** What one response cost, and where it stands in its log. A session has many, and they are kept as long as it is open. */
interface Cost {
  readonly costUsd: number | null
  readonly offset: number
}

function costsByAgent(calls: readonly BilledSpending[]): (agent: Agent) => number | null {
  const byFile = grouped(calls, ({ file }) => file)
  return (agent) => {
    const there = byFile.get(agent.entry.path) ?? []
    // An agent inside the log of its session has some of its rows.
    const isWhole = agent.nodes.length === agent.facts.facts.nodes.length
    const offsets = new Set(isWhole ? [] : agent.nodes.flatMap((node) => node.offset))
    return sumCosts(isWhole ? there : there.filter(({ offset }) => offsets.has(offset)))
  }
}

function grouped(
  calls: readonly BilledSpending[],
  keyOf: (one: BilledSpending) => string | undefined,
): ReadonlyMap<string, readonly Cost[]> {
  const groups = new Map<string, Cost[]>()
  for (const one of calls) {
    const key = keyOf(one)
    if (key === undefined) continue
    const cost = { costUsd: one.costUsd, offset: one.call?.offset ?? -1 }
    const group = groups.get(key)
    if (group) group.push(cost)
    else groups.set(key, [cost])
  }
  return groups
}

const costs = new WeakMap<readonly Agent[], FamilyCosts>()

/** What the agents and turns of an opened session cost. */
export async function costsOf(context: Context, { library, files, family }: OpenedSession): Promise<FamilyCosts> {
  const made = costs.get(family) ?? familyCosts(await sessionUsage(historyOf({ ...context, library }), files), family)
  costs.set(family, made)
  return made
}

function familyCosts(calls: readonly BilledSpending[], family: readonly Agent[]): FamilyCosts {
  const ofAgent = costsByAgent(calls)
  // Of the session and of its agents: each has turns of its own.
  const byMessage = grouped(calls, ({ call }) => call?.messageId)
  const byConversation = new Map<Conversation, ReadonlyMap<number, readonly Agent[]>>()
  const ofTurn = (conversation: Conversation, { prompt, rows }: Turn) => {
    const started = byConversation.get(conversation) ?? agentsByRow(conversation, family)
    byConversation.set(conversation, started)
    const nodes = rows.map((row) => conversation.tree.nodes[row] as TreeNode)
    const responses = [...new Set(nodes.map(({ messageId }) => messageId))].flatMap(
      (id) => byMessage.get(id ?? '') ?? [],
    )
    const agents = [prompt ?? -1, ...rows].flatMap((row) => started.get(row) ?? [])
    return sumCosts([...responses, ...agents.map((agent) => ({ costUsd: ofAgent(agent) }))])
  }
  return { ofAgent, ofTurn }
}
