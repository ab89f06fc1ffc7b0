import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { isObject, type JsonObject, numberAt, objectAt, textAt } from '../core/json.ts'
import { modelName } from '../core/model-name.ts'
import { type DatedPrice, priceAt, type Rates } from '../core/price.ts'
import { readJsonFile } from '../disk/small-file.ts'
import type { Warning } from '../disk/warning.ts'
import type { Context } from './op.ts'
import { OUR_PRICES } from './prices.ts'

/** Knows what models cost, and since when. */
export interface PriceBook {
  /** The price of a model at a time; `undefined` where nobody knows it. */
  readonly priceOf: (model: string, at: string) => DatedPrice | undefined
}

/**
 * Opens the prices of some models: the user's own (`prices.json` in the config folder), then ours, then the public list,
 * which is large and therefore loaded only when a model is in neither of the others.
 */
export async function openPriceBook(context: Context, models: Iterable<string>): Promise<PriceBook> {
  const quick = quickPrices(context)
  const isListNeeded = [...models].some((model) => !quick.priceOf(model, ''))
  const listed = isListNeeded ? (await import('./price-list.ts')).listedPrice : () => undefined
  return {
    priceOf(model, at) {
      return quick.priceOf(model, at) ?? listed(modelName(model), at)
    },
  }
}

/** A name for the prices in force: what was reckoned with others must be reckoned anew. */
export function pricesStamp(context: Context): string {
  return createHash('sha256')
    .update(JSON.stringify([[...ownPrices(context)], [...OUR_PRICES]]))
    .digest('hex')
}

/** The prices that are at hand without the public list: the user's own, then ours. */
export function quickPrices(context: Context): PriceBook {
  const own = ownPrices(context)
  const names = new Map<string, string>()
  return {
    priceOf(model, at) {
      const name = names.get(model) ?? modelName(model)
      names.set(model, name)
      return priceAt(own.get(name) ?? [], at) ?? OUR_PRICES.get(name)
    },
  }
}

/**
 * The user's own prices: `{"claude-x": {"input": 3, "output": 15, "from": "2026-01-01"}}`, or a list of such. What a cache
 * costs follows from the input price unless it is given.
 */
function ownPrices(context: Context): ReadonlyMap<string, readonly DatedPrice[]> {
  const prices = new Map<string, readonly DatedPrice[]>()
  if (context.configDir === undefined) return prices
  const path = join(context.configDir, 'prices.json')
  const warnings: Warning[] = []
  const read = readJsonFile(path, warnings, { followLinks: true })
  for (const warning of warnings) context.warn(warning)
  if (!read) return prices
  const asOf = (read.file.modifiedAt ?? '').slice(0, 10)
  for (const [model, value] of Object.entries(isObject(read.value) ? read.value : {})) {
    const entries = Array.isArray(value) ? value : [value]
    const priced = entries.flatMap((entry) => (isObject(entry) ? toPrice(entry, path, asOf) : []))
    if (priced.length < entries.length) {
      context.warn({
        file: path,
        message: `The price of ${model} needs input and output, in dollars per million tokens.`,
      })
    }
    if (priced.length > 0) prices.set(modelName(model), priced)
  }
  return prices
}

function toPrice(entry: JsonObject, source: string, asOf: string): DatedPrice[] {
  const usual = toRates(entry)
  if (!usual) return []
  const fast = toRates(objectAt(entry, 'fast'))
  const long = toRates(objectAt(entry, 'long'))
  const above = numberAt(objectAt(entry, 'long'), 'above')
  const from = /^\d{4}-\d\d-\d\d$/.exec(textAt(entry, 'from') ?? '')?.[0] ?? null
  return [
    {
      ...usual,
      ...(fast && { fast }),
      ...(long && above !== undefined && { long: { ...long, above } }),
      from,
      asOf,
      source,
    },
  ]
}

function toRates(entry: unknown): Rates | undefined {
  const input = numberAt(entry, 'input')
  const output = numberAt(entry, 'output')
  if (input === undefined || output === undefined || input < 0 || output < 0) return undefined
  const at = (key: string, otherwise: number) => Math.max(0, numberAt(entry, key) ?? otherwise)
  return {
    input,
    output,
    cacheWrite5m: at('cacheWrite5m', 1.25 * input),
    cacheWrite1h: at('cacheWrite1h', 2 * input),
    cacheRead: at('cacheRead', 0.1 * input),
  }
}
