import type { LogFacts } from '../core/facts.ts'
import { costOf } from '../core/price.ts'
import { timeOf } from '../core/time.ts'
import { UsageFold, type UsageRow } from '../core/usage.ts'
import type { Agent } from '../disk/family.ts'
import type { Context } from './op.ts'
import { quickPrices } from './price-book.ts'

/** Rows and who spent them. */
export interface Spent<T> {
  readonly owner: T
  readonly rows: Iterable<UsageRow>
}

/** What owners and messages cost; `null` where the price of a model is not at hand. */
export interface Costs<T> {
  readonly of: (owner: T) => number | null
  readonly byOwner: ReadonlyMap<T, number | null>
  readonly ofMessages: (ids: Iterable<string>) => number | null
}

export interface CostOptions {
  /** Not all logs were read: what is marked as a copy counts for a session that is not among them. */
  readonly isPart?: boolean
}

/** Prices rows, each response once, for the owner of its first row. */
export function costsByOwner<T>(context: Context, spent: Iterable<Spent<T>>, options: CostOptions = {}): Costs<T> {
  const { priceOf } = quickPrices(context)
  const fold = new UsageFold()
  const owners = new Map<UsageRow, T>()
  for (const { owner, rows } of spent) {
    for (const row of rows) {
      if (fold.add(row)) owners.set(row, owner)
    }
  }
  const byOwner = new Map<T, number | null>()
  const byMessage = new Map<string, number | null>()
  for (const { messageId, kept, first } of fold.responses()) {
    const price = priceOf(kept.model, timeOf(first.timestamp) ?? '')
    const cost = price ? costOf(kept, price) : null
    byMessage.set(messageId, plus(byMessage.get(messageId), cost))
    if (options.isPart && first.isFork) continue
    const owner = owners.get(first) as T
    byOwner.set(owner, plus(byOwner.get(owner), cost))
  }
  return {
    of: (owner) => byOwner.get(owner) ?? (byOwner.has(owner) ? null : 0),
    byOwner,
    ofMessages: (ids) => [...new Set(ids)].reduce((sum: number | null, id) => plus(sum, byMessage.get(id)), 0),
  }
}

/** The sum of two costs; what one does not know, the sum does not know either. */
export function plus(a: number | null | undefined, b: number | null | undefined): number | null {
  return a === null || b === null ? null : (a ?? 0) + (b ?? 0)
}

/** The rows of an agent: all of its own log, or those of a sidechain inside another. */
export function agentRowsOf({ facts, nodes }: Agent): Iterable<UsageRow> {
  const { usage, nodes: all } = facts.facts
  if (nodes.length === all.length) return usage
  const offsets = new Set(nodes.flatMap((node) => node.offset))
  return usage.on((row) => offsets.has(all.offsetAt(row)))
}

/** What the agents and the turns of one session cost. */
export interface FamilyCosts {
  readonly ofAgent: (agent: Agent) => number | null
  /** Its own responses, the agents it started, and those that they started. */
  readonly ofTurn: (messageIds: Iterable<string>, started: readonly Agent[]) => number | null
}

export function familyCosts(context: Context, { nodes, usage }: LogFacts, family: readonly Agent[]): FamilyCosts {
  const inline = family.filter((agent) => agent.entry.path === usage.file)
  const theirs = new Set(inline.flatMap((agent) => agent.nodes.flatMap((node) => node.offset)))
  const costs = costsByOwner<Agent | null>(context, [
    { owner: null, rows: usage.on((row) => !theirs.has(nodes.offsetAt(row))) },
    ...family.map((owner) => ({ owner, rows: agentRowsOf(owner) })),
  ])
  const ofTurn = (messageIds: Iterable<string>, started: readonly Agent[]) => {
    const all = new Set(started)
    // A set grows while it is walked: agents that agents started come in their turn.
    for (const agent of all) for (const one of family) if (one.parentAgent === agent.id) all.add(one)
    return [...all].reduce((sum, agent) => plus(sum, costs.of(agent)), costs.ofMessages(messageIds))
  }
  return { ofAgent: costs.of, ofTurn }
}
