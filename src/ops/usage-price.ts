import { modelName } from '../core/model-name.ts'
import { costOf, type DatedPrice } from '../core/price.ts'
import { timeOf } from '../core/time.ts'
import { sumUsage, type UsageTotal } from '../core/usage.ts'
import type { Context } from './op.ts'
import { openPriceBook } from './price-book.ts'
import type { Counted } from './usage-reading.ts'

/** A response with what it cost. */
export interface Priced extends Counted {
  /** The model's one name. */
  readonly model: string
  /** When it began, in UTC; empty where no row says. */
  readonly at: string
  /** `undefined` where nobody knows the price: then the cost is not zero, it is not known. */
  readonly price: DatedPrice | undefined
  readonly costUsd: number | null
}

/** Prices responses, each at the price of its own day. */
export async function priceAll(context: Context, counted: readonly Counted[]): Promise<readonly Priced[]> {
  const book = await openPriceBook(context, new Set(counted.map(({ response }) => response.kept.model)))
  return counted.map((one) => {
    const { kept, first } = one.response
    const at = timeOf(first.timestamp) ?? ''
    const price = book.priceOf(kept.model, at)
    return { ...one, model: modelName(kept.model), at, price, costUsd: price ? costOf(kept, price) : null }
  })
}

/** What some responses used and cost. `ownCostUsd` is the part that the sessions themselves spent, not their agents. */
export interface UsageSum extends UsageTotal {
  readonly costUsd: number | null
  readonly ownCostUsd: number | null
}

export function sumPriced(priced: readonly Priced[]): UsageSum {
  const own = priced.filter((one) => !one.isAgent)
  return { ...sumUsage(priced.map((one) => one.response)), costUsd: sumCosts(priced), ownCostUsd: sumCosts(own) }
}

/** The costs that are known, together; `null` only where there are responses and none has a price. */
export function sumCosts(priced: readonly { readonly costUsd: number | null }[]): number | null {
  const known = priced.flatMap(({ costUsd }) => costUsd ?? [])
  return priced.length > 0 && known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0)
}
