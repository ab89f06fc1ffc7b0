import { modelName } from '../../core/usage/model-name.ts'
import { costAt, costWithoutCache, type DatedPrice, type Rates } from '../../core/usage/price.ts'
import { PROMPT_CLASSES } from '../../index/owner.ts'
import type { SpendingQueries } from '../../index/queries/history-queries.ts'
import type { SpendingFilter, SpentTokens } from '../../index/queries/spending.ts'
import type { PriceBook } from './price-book.ts'

/** Tokens that a log used, with their price. */
export interface Spending extends Omit<SpentTokens, 'at' | 'geo' | 'isFast' | 'promptClass'> {
  /** Milliseconds since the epoch, the start of the quarter for several responses; NaN if unknown. */
  readonly at: number
  /** The model's undated name. */
  readonly model: string
  /** `null` if the price is not known. */
  readonly costUsd: number | null
  /** Cost without a cache. */
  readonly uncachedUsd: number | null
}

/**
 * Reads and prices what logs spent. Sums of quarters of an hour are used where every long-prompt price of the book begins at
 * a bound that the sums are split by; otherwise single responses.
 */
export async function readSpending(
  queries: Pick<SpendingQueries, 'tokens'>,
  book: PriceBook,
  filter: SpendingFilter = {},
): Promise<readonly Spending[]> {
  const spent = await queries.tokens(filter)
  const isExact = filter.single || areSplit(spent, book)
  return priced(isExact ? spent : await queries.tokens({ ...filter, single: true }), book)
}

/** Whether all long-prompt prices begin at a bound of `PROMPT_CLASSES`. */
export function areSplit(spent: readonly SpentTokens[], book: PriceBook): boolean {
  const last = new Map<string, number | null>()
  for (const { model, at } of spent) {
    const known = last.get(model)
    if (known === undefined || (at ?? 0) > (known ?? 0)) last.set(model, at)
  }
  return [...last].every(([model, at]) => {
    const above = book.priceOf(model, isoOf(at))?.long?.above
    return above === undefined || PROMPT_CLASSES.some((bound) => bound === above)
  })
}

/** Prices what logs spent. The only place where tokens become dollars. */
export function priced(spent: readonly SpentTokens[], book: PriceBook): Spending[] {
  const priceOf = dailyPrices(book)
  const nameOf = memoized(modelName)
  return spent.map((one) => {
    const price = priceOf(one.model, one.at)
    const rates = price && ratesOf(one, price)
    const billed = rates && { geo: one.geo, ...one.used }
    return {
      log: one.log,
      at: one.at ?? Number.NaN,
      model: nameOf(one.model),
      used: one.used,
      costUsd: billed ? costAt(billed, rates) : null,
      uncachedUsd: billed ? costWithoutCache(billed, rates) : null,
      responses: one.responses,
      rows: one.rows,
      copies: one.copies,
      placeholders: one.placeholders,
      isSidechain: one.isSidechain,
      isAbandoned: one.isAbandoned,
      call: one.call,
    }
  })
}

/** The rates of a row: by its prompt for one response, by its prompt class for several. */
function ratesOf({ isFast, promptClass, used }: SpentTokens, price: DatedPrice): Rates {
  if (isFast && price.fast) return price.fast
  if (!price.long) return price
  const { above } = price.long
  const prompt = used.inputTokens + used.cacheReadTokens + used.cacheWrite5mTokens + used.cacheWrite1hTokens
  const isLong =
    promptClass === null ? prompt > above : promptClass > (PROMPT_CLASSES as readonly number[]).indexOf(above)
  return isLong ? price.long : price
}

/** Looks up the price of a model at a time in milliseconds, once per day. */
export function dailyPrices(book: PriceBook): (model: string, at: number | null) => DatedPrice | undefined {
  const models = new Map<string, Map<number | null, DatedPrice | undefined>>()
  return (model, at) => {
    const days = models.get(model) ?? new Map<number | null, DatedPrice | undefined>()
    models.set(model, days)
    const day = at === null ? null : Math.floor(at / DAY_MS)
    if (!days.has(day)) days.set(day, book.priceOf(model, isoOf(at)))
    return days.get(day)
  }
}

const DAY_MS = 86_400_000

function memoized(make: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>()
  return (text) => {
    const made = known.get(text) ?? make(text)
    known.set(text, made)
    return made
  }
}

function isoOf(ms: number | null): string {
  return ms === null ? '' : new Date(ms).toISOString()
}

/** The sum of all known costs; `null` only if there are responses and none has a price. */
export function sumCosts(spent: readonly { readonly costUsd: number | null }[]): number | null {
  let sum = 0
  let isKnown = spent.length === 0
  for (const { costUsd } of spent) {
    if (costUsd === null) continue
    sum += costUsd
    isKnown = true
  }
  return isKnown ? sum : null
}
