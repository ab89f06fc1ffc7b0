import { calcPrice, type ModelPrice, type PriceCalculation } from '@pydantic/genai-prices'
import { modelName } from '../../core/usage/model-name.ts'
import type { DatedPrice, Rates } from '../../core/usage/price.ts'

/** The version of the public list that we carry, and the day it was made. */
const LIST = { source: 'genai-prices 0.1.8', asOf: '2026-09-23' }

/** The price of a model in the public list; `undefined` where it has none. Expects the model's one name. */
export function listedPrice(model: string, at: string): DatedPrice | undefined {
  const found = look(model, at)
  // The list takes some Claude models for older ones that their names begin with; a guess is no price.
  if (!found || (model.startsWith('claude-') && modelName(found.model.id) !== model)) return undefined
  const base = ratesOf(found.model_price, 0)
  if (!base) return undefined
  const above = firstTier(found.model_price)
  const long = above === undefined ? undefined : ratesOf(found.model_price, above + 1)
  return {
    ...base,
    ...(long && above !== undefined && { long: { ...long, above } }),
    from: startOf(found, at),
    ...LIST,
  }
}

function look(model: string, at: string): PriceCalculation | null {
  const time = Date.parse(at)
  try {
    return calcPrice({}, model, Number.isNaN(time) ? {} : { timestamp: new Date(time) })
  } catch {
    return null
  }
}

function ratesOf(price: ModelPrice, tokens: number): Rates | undefined {
  const at = (key: string) => {
    const value = price[key]
    if (value === undefined || typeof value === 'number') return value
    return value.tiers.findLast((tier) => tokens > tier.start)?.price ?? value.base
  }
  const input = at('input_mtok')
  const output = at('output_mtok')
  if (input === undefined || output === undefined) return undefined
  const cacheWrite5m = at('cache_write_mtok') ?? input
  const cacheWrite1h = at('cache_write_1h_mtok') ?? cacheWrite5m
  return { input, output, cacheWrite5m, cacheWrite1h, cacheRead: at('cache_read_mtok') ?? input }
}

function firstTier(price: ModelPrice): number | undefined {
  const { input_mtok: input } = price
  return typeof input === 'object' ? input.tiers[0]?.start : undefined
}

/** The first day of the price that held at a time. */
function startOf({ model }: PriceCalculation, at: string): string | null {
  if (!Array.isArray(model.prices)) return null
  const starts = model.prices.flatMap(({ constraint }) =>
    constraint?.type === 'start_date' ? [constraint.start_date] : [],
  )
  return (
    starts
      .filter((start) => start <= at.slice(0, 10))
      .sort()
      .at(-1) ?? null
  )
}
