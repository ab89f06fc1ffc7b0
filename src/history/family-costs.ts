import type { Context } from './context.ts'
import type { Agent } from './family.ts'
import { historyOf } from './history.ts'
import type { OpenedSession } from './open.ts'
import { sumCosts } from './spending.ts'
import { type BilledCall, readUsage, sessionUsage } from './usage.ts'

/** What the agents and the turns of one session cost. What a session inherited, it did not pay for. */
export interface FamilyCosts {
  readonly ofAgent: (agent: Agent) => number | null
  /** Its own responses, the agents it started, and those that they started. */
  readonly ofTurn: (messageIds: Iterable<string>, started: readonly Agent[]) => number | null
}

/** What agents of any sessions cost. */
export async function agentCosts(context: Context): Promise<(agent: Agent) => number | null> {
  const { calls } = await readUsage(historyOf(context), { single: true, progress: context.progress })
  return costsByAgent(calls)
}

function costsByAgent(calls: readonly BilledCall[]): (agent: Agent) => number | null {
  const byFile = new Map<string, BilledCall[]>()
  for (const one of calls) {
    const there = byFile.get(one.file)
    if (there) there.push(one)
    else byFile.set(one.file, [one])
  }
  return (agent) => {
    const there = byFile.get(agent.entry.path) ?? []
    // An agent inside the log of its session has some of its rows.
    const isWhole = agent.nodes.length === agent.facts.facts.nodes.length
    const offsets = new Set(isWhole ? [] : agent.nodes.flatMap((node) => node.offset))
    return sumCosts(isWhole ? there : there.filter(({ call }) => offsets.has(call?.offset ?? -1)))
  }
}

const costs = new WeakMap<readonly Agent[], FamilyCosts>()

/** What the agents and turns of an opened session cost. */
export async function costsOf(context: Context, { library, files, family }: OpenedSession): Promise<FamilyCosts> {
  const made = costs.get(family) ?? familyCosts(await sessionUsage(historyOf({ ...context, library }), files), family)
  costs.set(family, made)
  return made
}

function familyCosts(calls: readonly BilledCall[], family: readonly Agent[]): FamilyCosts {
  const ofAgent = costsByAgent(calls)
  // Of the session and of its agents: each has turns of its byMessage.
  const byMessage = new Map<string, BilledCall[]>()
  for (const one of calls) {
    const id = one.call?.messageId
    if (id === undefined) continue
    byMessage.set(id, [...(byMessage.get(id) ?? []), one])
  }
  const ofTurn = (messageIds: Iterable<string>, started: readonly Agent[]) => {
    const all = new Set(started)
    // A set grows while it is walked: agents that agents started come in their turn.
    for (const agent of all) for (const one of family) if (one.parentAgent === agent.id) all.add(one)
    const responses = [...new Set(messageIds)].flatMap((id) => byMessage.get(id) ?? [])
    return sumCosts([...responses, ...[...all].map((agent) => ({ costUsd: ofAgent(agent) }))])
  }
  return { ofAgent, ofTurn }
}
