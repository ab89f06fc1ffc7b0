import { type Database, type Query, selectAll } from '../../index/driver.ts'
import { familyKey, type OwnerOfLog, sessionsOfLogs } from '../families.ts'
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

interface Asked {
  readonly only?: ReadonlySet<string>
  /** Whose each log is, where that is known already. */
  readonly ownerOf?: OwnerOfLog
}

/** What each session cost, or some of them, by what it is known by; `undefined` where all its logs are gone. */
export function sessionCosts(
  database: Database,
  questions: Questions,
  book: PriceBook,
  { only, ownerOf = sessionsOfLogs(database) }: Asked = {},
): (key: string) => SessionCost | undefined {
  const rows = selectAll(database, LOGS)
  const keys = new Map<number, { readonly key: string; readonly isAgent: boolean }>()
  for (const row of rows) {
    const key = familyKey(row.root as string, row.project as string, ownerOf(row))
    if (!only || only.has(key)) keys.set(row.id as number, { key, isAgent: row.agent !== null })
  }
  const logs = only && [...keys.keys()]
  const families = new Map<string, { own: Spending[]; agents: Spending[]; inherited: Spending[] }>()
  for (const { key } of keys.values()) families.set(key, { own: [], agents: [], inherited: [] })
  for (const one of questions.spending(book, { only: logs })) {
    const { key, isAgent } = keys.get(one.log) as { readonly key: string; readonly isAgent: boolean }
    families.get(key)?.[isAgent || one.isSidechain ? 'agents' : 'own'].push(one)
  }
  for (const one of questions.spending(book, { inherited: true, only: logs }))
    families.get(keys.get(one.log)?.key ?? '')?.inherited.push(one)
  return (key) => {
    const family = families.get(key)
    if (!family) return undefined
    const { own, agents, inherited } = family
    const all = [...own, ...agents]
    return {
      costUsd: sumCosts(all),
      ownCostUsd: sumCosts(own),
      unpriced: all.reduce((sum, one) => sum + (one.costUsd === null ? one.responses : 0), 0),
      inherited: { responses: inherited.length, costUsd: sumCosts(inherited) },
    }
  }
}

const LOGS: Query = { columns: ['id', 'root', 'project', 'session', 'agent'], from: "log where state <> 'lost'" }
