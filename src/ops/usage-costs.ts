import type { LogFacts } from '../core/facts.ts'
import { costOf } from '../core/price.ts'
import type { TextPool } from '../core/text-pool.ts'
import { timeOf } from '../core/time.ts'
import type { Response } from '../core/usage.ts'
import { UsageFold } from '../core/usage-fold.ts'
import type { UsageRows } from '../core/usage-table.ts'
import type { Agent } from '../disk/family.ts'
import type { Context } from './op.ts'
import { quickPrices } from './price-book.ts'

/** Rows and who spent them. */
interface Spent<T> {
  readonly owner: T
  readonly rows: UsageRows
}

/** What owners and messages cost; `null` where the price of a model is not at hand. */
interface Costs<T> {
  readonly of: (owner: T) => number | null
  readonly ofMessages: (ids: Iterable<string>) => number | null
}

interface CostOptions {
  /** The pool of the only table there is. */
  readonly pool?: TextPool | undefined
  /** Says of a message that it counts elsewhere. */
  readonly isInherited?: (messageId: string) => boolean
}

/** Prices rows, each response once, for its owner. */
export function costsByOwner<T>(context: Context, spent: Iterable<Spent<T>>, options: CostOptions = {}): Costs<T> {
  const { priceOf } = quickPrices(context)
  const fold = new UsageFold<T>(options.pool)
  for (const { owner, rows } of spent) fold.addRows(rows, owner)
  const byOwner = new Map<T, number | null>()
  const costOfResponse = ({ kept, first }: Response) => {
    const price = priceOf(kept.model, timeOf(first.timestamp) ?? '')
    return price ? costOf(kept, price) : null
  }
  const isInherited = options.isInherited ?? (() => false)
  for (const response of fold.each()) {
    const { owner } = response
    if (isInherited(response.messageId)) continue
    byOwner.set(owner, plus(byOwner.get(owner), costOfResponse(response)))
  }
  const ofMessage = (id: string) => (isInherited(id) ? 0 : [...fold.of(id)].map(costOfResponse).reduce(plus, 0))
  return {
    of: (owner) => byOwner.get(owner) ?? (byOwner.has(owner) ? null : 0),
    ofMessages: (ids) => [...new Set(ids)].reduce((sum: number | null, id) => plus(sum, ofMessage(id)), 0),
  }
}

/** The sum of two costs; what one does not know, the sum does not know either. */
export function plus(a: number | null | undefined, b: number | null | undefined): number | null {
  return a === null || b === null ? null : (a ?? 0) + (b ?? 0)
}

/** The rows of an agent: all of its own log, or those of a sidechain inside another. */
export function agentRowsOf({ facts, nodes }: Agent): UsageRows {
  const { usage, nodes: all } = facts.facts
  if (nodes.length === all.length) return { table: usage }
  const offsets = new Set(nodes.flatMap((node) => node.offset))
  return usage.on((row) => offsets.has(all.offsetAt(row)))
}

/** What the agents and the turns of one session cost, without what they inherited. */
export interface FamilyCosts {
  readonly ofAgent: (agent: Agent) => number | null
  /** Its own responses, the agents it started, and those that they started. */
  readonly ofTurn: (messageIds: Iterable<string>, started: readonly Agent[]) => number | null
}

export function familyCosts(
  context: Context,
  { nodes, usage }: LogFacts,
  family: readonly Agent[],
  isInherited: (messageId: string) => boolean,
): FamilyCosts {
  const inline = family.filter((agent) => agent.entry.path === usage.file)
  const theirs = new Set(inline.flatMap((agent) => agent.nodes.flatMap((node) => node.offset)))
  const spent = [
    { owner: null, rows: inline.length > 0 ? usage.on((row) => !theirs.has(nodes.offsetAt(row))) : { table: usage } },
    ...family.map((owner) => ({ owner, rows: agentRowsOf(owner) })),
  ]
  const pool = family.length === 0 ? usage.pool : undefined
  const costs = costsByOwner<Agent | null>(context, spent, { pool, isInherited })
  const ofTurn = (messageIds: Iterable<string>, started: readonly Agent[]) => {
    const all = new Set(started)
    // A set grows while it is walked: agents that agents started come in their turn.
    for (const agent of all) for (const one of family) if (one.parentAgent === agent.id) all.add(one)
    return [...all].reduce((sum, agent) => plus(sum, costs.of(agent)), costs.ofMessages(messageIds))
  }
  return { ofAgent: costs.of, ofTurn }
}
