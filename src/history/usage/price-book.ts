import { join } from 'node:path'
import { isObject, type JsonObject, numberAt, objectAt, textAt } from '../../core/json.ts'
import { modelName } from '../../core/usage/model-name.ts'
import { type DatedPrice, priceAt, type Rates } from '../../core/usage/price.ts'
import { readJsonFile } from '../../disk/small-file.ts'
import type { Warning } from '../../disk/warning.ts'
import { OUR_PRICES } from './prices.ts'

/** The user's own prices, in the config folder. */
export const PRICES = 'prices.json'

/** Where the user's own prices lie, and who hears what is wrong with them. */
export interface PriceSettings {
  readonly configDir?: string | undefined
  readonly warn: (warning: Warning) => void
}

/** Knows what models cost, and since when. */
export interface PriceBook {
  /** The price of a model at a time; `undefined` where nobody knows it. */
  readonly priceOf: (model: string, at: string) => DatedPrice | undefined
}

/**
 * Opens the prices of some models: the user's own (`prices.json` in the config folder), then ours, then the public list,
 * which is large and therefore loaded only when a model is in neither of the others.
 */
export async function openPriceBook(settings: PriceSettings, models: Iterable<string>): Promise<PriceBook> {
  const quick = quickPrices(settings)
  const isListNeeded = [...models].some((model) => !quick.priceOf(model, ''))
  const listed = isListNeeded ? (await import('./price-list.ts')).listedPrice : () => undefined
  return {
    priceOf(model, at) {
      return quick.priceOf(model, at) ?? listed(modelName(model), at)
    },
  }
}

/** The prices that are at hand without the public list: the user's own, then ours. */
export function quickPrices(settings: PriceSettings): PriceBook {
  const own = ownPrices(settings)
  return {
    priceOf(model, at) {
      const name = modelName(model)
      return priceAt(own.get(name) ?? [], at) ?? OUR_PRICES.get(name)
    },
  }
}

/**
 * The user's own prices: `{"claude-x": {"input": 3, "output": 15, "from": "2026-01-01"}}`, or a list of such. What a cache
 * costs follows from the input price unless it is given.
 */
function ownPrices(settings: PriceSettings): ReadonlyMap<string, readonly DatedPrice[]> {
  const prices = new Map<string, readonly DatedPrice[]>()
  if (settings.configDir === undefined) return prices
  const path = join(settings.configDir, PRICES)
  const warnings: Warning[] = []
  const read = readJsonFile(path, warnings, { followLinks: true })
  for (const warning of warnings) settings.warn(warning)
  if (!read) return prices
  const asOf = (read.file.modifiedAt ?? '').slice(0, 10)
  for (const [model, value] of Object.entries(isObject(read.value) ? read.value : {})) {
    const entries = Array.isArray(value) ? value : [value]
    const priced = entries.flatMap((entry) => (isObject(entry) ? toPrice(entry, path, asOf) : []))
    if (priced.length < entries.length) {
      settings.warn({
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
