import type { SpendingQueries } from '../../index/queries/history-queries.ts'
import type { SessionInfo } from '../../index/queries/session-info.ts'
import type { PriceBook } from './price-book.ts'
import { priced, readSpending, type Spending, sumCosts } from './spending.ts'

/** What a session cost; `null` where a price is not known. */
export interface SessionCost {
  /** With its agents. */
  readonly costUsd: number | null
  readonly ownCostUsd: number | null
  /** Responses without a known price: they are in no cost. */
  readonly unpriced: number
  readonly inherited: { readonly responses: number; readonly costUsd: number | null }
}

/** Reads what sessions cost, by family key. With `isPart` only the logs of these sessions are read. */
export async function readSessionCosts(
  queries: SpendingQueries,
  book: PriceBook,
  sessions: Iterable<SessionInfo>,
  { isPart }: { readonly isPart: boolean },
): Promise<ReadonlyMap<string, SessionCost>> {
  const some = [...sessions]
  const only = isPart ? some.flatMap(logsOf) : undefined
  const spent = await readSpending(queries, book, { only })
  return sessionCosts(some, spent, priced(await queries.inherited(only), book))
}

/** Adds up what sessions cost, by family key. A session whose logs are all gone is left out. */
export function sessionCosts(
  sessions: Iterable<SessionInfo>,
  spent: Iterable<Spending>,
  inherited: Iterable<Spending>,
): ReadonlyMap<string, SessionCost> {
  const families = new Map<string, FamilySpending>()
  const logs = new Map<number, { readonly family: FamilySpending; readonly isAgent: boolean }>()
  for (const info of sessions) {
    const family: FamilySpending = { own: [], agents: [], inherited: [] }
    for (const log of logsOf(info)) logs.set(log, { family, isAgent: log !== info.log })
    if (logsOf(info).length > 0) families.set(info.key, family)
  }
  for (const one of spent) {
    const log = logs.get(one.log)
    if (log) (log.isAgent || one.isSidechain ? log.family.agents : log.family.own).push(one)
  }
  for (const one of inherited) logs.get(one.log)?.family.inherited.push(one)
  return new Map([...families].map(([key, family]) => [key, costOf(family)]))
}

interface FamilySpending {
  readonly own: Spending[]
  readonly agents: Spending[]
  readonly inherited: Spending[]
}

/** The logs of a session that exist, by id. */
function logsOf({ log, state, agents }: SessionInfo): readonly number[] {
  const own = log !== null && state !== 'lost' ? [log] : []
  return [...own, ...agents.flatMap((agent) => agent.log ?? [])]
}

function costOf({ own, agents, inherited }: FamilySpending): SessionCost {
  const all = agents.length === 0 ? own : [...own, ...agents]
  const ownCostUsd = sumCosts(own)
  return {
    costUsd: all === own ? ownCostUsd : sumCosts(all),
    ownCostUsd,
    unpriced: all.reduce((sum, one) => sum + (one.costUsd === null ? one.responses : 0), 0),
    inherited: { responses: inherited.length, costUsd: sumCosts(inherited) },
  }
}
