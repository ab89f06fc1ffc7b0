import type { Database } from '../index/driver.ts'
import type { PriceBook } from './price-book.ts'
import { inheritances, type Spending, spendings, sumCosts } from './spending.ts'

/** What a session cost; `null` where nobody knows a price. */
export interface SessionCost {
  /** With its agents. */
  readonly costUsd: number | null
  readonly ownCostUsd: number | null
  /** Responses that nobody knows the price of: they are in no cost. */
  readonly unpriced: number
  readonly inherited: { readonly responses: number; readonly costUsd: number | null }
}

/** What each session cost, by the number of its log. */
export function sessionCosts(database: Database, book: PriceBook): (log: number) => SessionCost {
  const rows = database.prepare('select id, root, project, session, agent from log').all()
  const keys = new Map(
    rows.map((row) => [
      row.id as number,
      { key: `${row.root}\0${row.project}\0${row.session}`, isAgent: row.agent !== null },
    ]),
  )
  const families = new Map<string, { own: Spending[]; agents: Spending[]; inherited: Spending[] }>()
  const familyOf = (key: string) => {
    const known = families.get(key) ?? { own: [], agents: [], inherited: [] }
    families.set(key, known)
    return known
  }
  for (const one of spendings(database, book)) {
    const { key, isAgent } = keys.get(one.log) as { readonly key: string; readonly isAgent: boolean }
    familyOf(key)[isAgent || one.isSidechain ? 'agents' : 'own'].push(one)
  }
  for (const one of inheritances(database, book))
    familyOf((keys.get(one.log) as { key: string }).key).inherited.push(one)
  return (log) => {
    const { own, agents, inherited } = familyOf(keys.get(log)?.key ?? '')
    const all = [...own, ...agents]
    return {
      costUsd: sumCosts(all),
      ownCostUsd: sumCosts(own),
      unpriced: all.reduce((sum, one) => sum + (one.costUsd === null ? one.responses : 0), 0),
      inherited: { responses: inherited.length, costUsd: sumCosts(inherited) },
    }
  }
}
