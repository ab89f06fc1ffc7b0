import { sumUsage, type UsageTotal } from '../../core/usage/usage.ts'
import { sumCosts } from './spending.ts'
import type { BilledSpending } from './usage.ts'

/** What some responses used and cost. `ownCostUsd` is the part that the sessions themselves spent, not their agents. */
export interface UsageSum extends UsageTotal {
  readonly costUsd: number | null
  readonly ownCostUsd: number | null
}

export function sumBilled(calls: readonly BilledSpending[]): UsageSum {
  const own = calls.filter((one) => !one.isAgent)
  const responses = calls.reduce((sum, one) => sum + one.responses, 0)
  const tokens = sumUsage(calls.map((one) => one.used))
  return { ...tokens, responses, costUsd: sumCosts(calls), ownCostUsd: sumCosts(own) }
}
