import { modelName } from '../core/model-name.ts'
import { costOf, type DatedPrice } from '../core/price.ts'
import { timeOf } from '../core/time.ts'
import { type Response, sumTokens, type Tokens, type UsageRow, type UsageTotal } from '../core/usage.ts'
import type { Context } from './op.ts'
import { openPriceBook } from './price-book.ts'
import type { Counted, UsageLog, UsageSession } from './usage-reading.ts'

/** A response as sums need it. */
export interface Billed {
  readonly session: UsageSession
  /** The model's one name. */
  readonly model: string
  /** When it began, in milliseconds; NaN where no row says. */
  readonly at: number
  readonly used: Tokens
  /** `null` where nobody knows the price: then the cost is not zero, it is not known. */
  readonly costUsd: number | null
  readonly isAgent: boolean
  readonly isAbandoned: boolean
  readonly isPlaceholder: boolean
  /** How many rows it was seen on, in how many files. */
  readonly rows: number
  readonly files: number
  /** The row it is attributed to; only where the names of agents and turns were asked for. */
  readonly first?: UsageRow
  /** The agent whose log that row stands in. */
  readonly agent?: string | null
}

/** A response with what it cost and where it stands. */
export interface Priced extends Billed {
  readonly response: Response
  readonly log: UsageLog
  readonly price: DatedPrice | undefined
  readonly first: UsageRow
  /** The rows it was seen on: every one of them only where that was asked for. */
  readonly seenOn: () => readonly UsageRow[]
}

/** One order, whatever way they came: sums of fractions depend on it in their last digit. */
export function inOrder<T extends Billed>(billed: readonly T[]): readonly T[] {
  const timeOf = ({ at }: T) => (Number.isNaN(at) ? Number.POSITIVE_INFINITY : at)
  return billed.toSorted((a, b) => timeOf(a) - timeOf(b) || (a.costUsd ?? 0) - (b.costUsd ?? 0))
}

/** Prices responses, each at the price of its own day; by time. */
export async function priceAll(context: Context, counted: readonly Counted[]): Promise<readonly Priced[]> {
  const models = new Set(counted.map(({ response }) => response.kept.model))
  const book = await openPriceBook(context, models)
  const names = new Map([...models].map((model) => [model, modelName(model)]))
  const priced = counted.map(({ response, log, isAgent, isAbandoned, seenOn }): Priced => {
    const { kept, first, rows, files } = response
    const time = timeOf(first.timestamp) ?? ''
    const price = book.priceOf(kept.model, time)
    return {
      session: log.session,
      model: names.get(kept.model) as string,
      at: Date.parse(time),
      used: kept,
      costUsd: price ? costOf(kept, price) : null,
      isAgent,
      isAbandoned,
      isPlaceholder: kept.isPlaceholder,
      rows,
      files,
      first,
      agent: log.agent,
      response,
      log,
      price,
      seenOn,
    }
  })
  return inOrder(priced)
}

/** What some responses used and cost. `ownCostUsd` is the part that the sessions themselves spent, not their agents. */
export interface UsageSum extends UsageTotal {
  readonly costUsd: number | null
  readonly ownCostUsd: number | null
}

export function sumBilled(billed: readonly Billed[]): UsageSum {
  const own = billed.filter((one) => !one.isAgent)
  return { ...sumTokens(billed.map((one) => one.used)), costUsd: sumCosts(billed), ownCostUsd: sumCosts(own) }
}

/** The costs that are known, together; `null` only where there are responses and none has a price. */
export function sumCosts(priced: readonly { readonly costUsd: number | null }[]): number | null {
  const known = priced.flatMap(({ costUsd }) => costUsd ?? [])
  return priced.length > 0 && known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0)
}
