import type { Tokens } from './usage.ts'

/** US dollars per million tokens, by kind. */
export interface Rates {
  readonly input: number
  readonly output: number
  readonly cacheWrite5m: number
  readonly cacheWrite1h: number
  readonly cacheRead: number
}

/** What a model costs: its usual rates, and those of answers made fast or to long prompts where they differ. */
export interface Price extends Rates {
  readonly fast?: Rates
  /** A prompt of more tokens than `above` is billed at these rates, all of it and its answer. */
  readonly long?: Rates & { readonly above: number }
}

/** A price, the day it came to hold, and where we have it from. */
export interface DatedPrice extends Price {
  /** The first day it holds for (`2026-03-13`); `null` for always. */
  readonly from: string | null
  /** When the source said so. */
  readonly asOf: string
  readonly source: string
}

/** What is billed: tokens, where they were made, and how fast. */
export interface Billed extends Tokens {
  readonly geo: string | null
  readonly speed: string | null
}

const WEB_SEARCH_USD = 0.01
const US_FACTOR = 1.1

/** The cost of one response in US dollars, at API prices. */
export function costOf(billed: Billed, price: Price): number {
  return costAt(billed, ratesFor(billed, price))
}

/** The cost of tokens at some rates: also of many responses that are billed alike. */
export function costAt(billed: Tokens & Pick<Billed, 'geo'>, rates: Rates): number {
  const tokens =
    billed.inputTokens * rates.input +
    billed.outputTokens * rates.output +
    billed.cacheReadTokens * rates.cacheRead +
    billed.cacheWrite1hTokens * rates.cacheWrite1h +
    billed.cacheWrite5mTokens * rates.cacheWrite5m
  return (geoFactor(billed.geo) * tokens) / 1e6 + billed.webSearches * WEB_SEARCH_USD
}

/** What the same tokens would have cost without a cache: all that was read or written there as new input. */
export function costWithoutCache(billed: Tokens & Pick<Billed, 'geo'>, rates: Rates): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = billed
  const uncached = {
    inputTokens: inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens,
    outputTokens,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    webSearches: billed.webSearches,
    geo: billed.geo,
  }
  return costAt(uncached, rates)
}

/** The rates that a response is billed at. */
export function ratesFor(billed: Billed, price: Price): Rates {
  if (billed.speed === 'fast' && price.fast) return price.fast
  const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = billed
  const prompt = inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens
  return price.long && prompt > price.long.above ? price.long : price
}

/** Tokens made in the United States on request cost a tenth more; web searches do not. */
export function geoFactor(geo: string | null): number {
  return geo === 'us' ? US_FACTOR : 1
}

/** The price that held at a time: the newest that had begun. `undefined` where none had. */
export function priceAt(prices: readonly DatedPrice[], at: string): DatedPrice | undefined {
  const day = at.slice(0, 10)
  const begun = prices.filter(({ from }) => from === null || (day !== '' && from <= day))
  return begun.toSorted((a, b) => ((a.from ?? '') < (b.from ?? '') ? 1 : -1))[0]
}
