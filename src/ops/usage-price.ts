import type { Attributed } from '../core/counted-response.ts'
import { modelName } from '../core/model-name.ts'
import { costOf, type DatedPrice } from '../core/price.ts'
import { timeOf } from '../core/time.ts'
import { sumTokens, type Tokens, type UsageRow, type UsageTotal } from '../core/usage.ts'
import type { Context } from './op.ts'
import { openPriceBook, type PriceBook } from './price-book.ts'
import type { UsageLog, UsageReading, UsageSession } from './usage-reading.ts'

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
export class Priced implements Billed {
  readonly response: Attributed<UsageLog>
  readonly model: string
  readonly at: number
  readonly price: DatedPrice | undefined
  readonly costUsd: number | null

  constructor(response: Attributed<UsageLog>, model: string, book: PriceBook) {
    const { kept, first } = response
    const time = timeOf(first.timestamp) ?? ''
    this.response = response
    this.model = model
    this.at = Date.parse(time)
    this.price = book.priceOf(kept.model, time)
    this.costUsd = this.price ? costOf(kept, this.price) : null
  }

  get log(): UsageLog {
    return this.response.owner
  }
  get session(): UsageSession {
    return this.log.session
  }
  get used(): Tokens {
    return this.response.kept
  }
  get isAgent(): boolean {
    return this.log.agent !== null || this.first.isSidechain
  }
  get isAbandoned(): boolean {
    return this.log.abandoned.size > 0 && this.log.abandoned.has(this.first.place.offset)
  }
  get isPlaceholder(): boolean {
    return this.response.kept.isPlaceholder
  }
  get rows(): number {
    return this.response.rows
  }
  get files(): number {
    return this.response.files
  }
  get first(): UsageRow {
    return this.response.first
  }
  get agent(): string | null {
    return this.log.agent
  }
}

/** One order, whatever way they came: sums of fractions depend on it in their last digit. */
export function inOrder<T extends Billed>(billed: readonly T[]): readonly T[] {
  const timeOf = ({ at }: T) => (Number.isNaN(at) ? Number.POSITIVE_INFINITY : at)
  return billed.toSorted((a, b) => timeOf(a) - timeOf(b) || (a.costUsd ?? 0) - (b.costUsd ?? 0))
}

/** Prices responses, each at the price of its own day; by time. */
export async function priceAll(context: Context, { counted }: UsageReading): Promise<readonly Priced[]> {
  const models = new Set(counted.map(({ kept }) => kept.model))
  const book = await openPriceBook(context, models)
  const names = new Map([...models].map((model) => [model, modelName(model)]))
  return inOrder(counted.map((response) => new Priced(response, names.get(response.kept.model) as string, book)))
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
  let sum = 0
  let isKnown = priced.length === 0
  for (const { costUsd } of priced) {
    if (costUsd === null) continue
    sum += costUsd
    isKnown = true
  }
  return isKnown ? sum : null
}
