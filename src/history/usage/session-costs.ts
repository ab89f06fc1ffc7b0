import type { SessionInfo } from '../info.ts'
import type { Questions } from '../questions.ts'
import type { PriceBook } from './price-book.ts'
import { type Spending, sumCosts } from './spending.ts'

/** What a session cost; `null` where nobody knows a price. */
export interface SessionCost {
  /** With its agents. */
  readonly costUsd: number | null
  readonly ownCostUsd: number | null
  /** Responses that nobody knows the price of: they are in no cost. */
  readonly unpriced: number
  readonly inherited: { readonly responses: number; readonly costUsd: number | null }
}

/** What a session and its agents spent. */
interface Spent {
  readonly own: Spending[]
  readonly agents: Spending[]
  readonly inherited: Spending[]
}

/** What sessions cost, by what they are known by: all sessions, or some. `undefined` where all logs of one are gone. */
export function sessionCosts(
  questions: Questions,
  book: PriceBook,
  sessions: Iterable<SessionInfo>,
  { isPart }: { readonly isPart: boolean },
): (key: string) => SessionCost | undefined {
  const families = new Map<string, Spent>()
  const logs = new Map<number, { readonly spent: Spent; readonly isAgent: boolean }>()
  for (const { key, log, state, agents } of sessions) {
    const spent: Spent = { own: [], agents: [], inherited: [] }
    const isThere = log !== null && state !== 'lost'
    if (isThere) logs.set(log, { spent, isAgent: false })
    for (const agent of agents) if (agent.log !== null) logs.set(agent.log, { spent, isAgent: true })
    if (isThere || agents.some((agent) => agent.log !== null)) families.set(key, spent)
  }
  const only = isPart ? [...logs.keys()] : undefined
  for (const one of questions.spending(book, { only })) {
    const of = logs.get(one.log)
    if (of) (of.isAgent || one.isSidechain ? of.spent.agents : of.spent.own).push(one)
  }
  for (const one of questions.spending(book, { inherited: true, only })) logs.get(one.log)?.spent.inherited.push(one)
  return (key) => {
    const spent = families.get(key)
    return spent && costOf(spent)
  }
}

function costOf({ own, agents, inherited }: Spent): SessionCost {
  const all = agents.length === 0 ? own : [...own, ...agents]
  const ownCostUsd = sumCosts(own)
  return {
    costUsd: all === own ? ownCostUsd : sumCosts(all),
    ownCostUsd,
    unpriced: all.reduce((sum, one) => sum + (one.costUsd === null ? one.responses : 0), 0),
    inherited: { responses: inherited.length, costUsd: sumCosts(inherited) },
  }
}
