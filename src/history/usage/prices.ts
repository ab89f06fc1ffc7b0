import type { DatedPrice, Rates } from '../../core/usage/price.ts'

/** Dollars per million tokens: input, output, five-minute and one-hour cache writes, cache reads. */
type Row = readonly [input: number, output: number, write5m: number, write1h: number, read: number]

const LIST: Pick<DatedPrice, 'from' | 'asOf' | 'source'> = {
  from: null,
  asOf: '2026-11',
  source: "the client's own list, 2.1.325",
}

const HAIKU_5_5 = price([0.1, 0.5, 0.125, 0.2, 0.01], {
  long: { above: 100_000, ...rates([0.5, 2.5, 0.625, 1, 0.05]) },
})
const SONNET = price([3, 15, 3.75, 6, 0.3])
const OPUS_4 = price([15, 75, 18.75, 30, 1.5])
const OPUS_4_5: Row = [5, 25, 6.25, 10, 0.5]
const OPUS_4_6 = price(OPUS_4_5, { fast: rates([30, 150, 37.5, 60, 3]) })
const OPUS_5 = price(OPUS_4_5, { fast: rates([10, 50, 12.5, 20, 1]) })
const FABLE_5 = price([10, 50, 12.5, 20, 1])
const FABLE_5_1 = price([10, 50, 12.5, 20, 0.25])
const FABLE_5_2 = price([8, 40, 10, 16, 0.2], { fast: rates([16, 80, 20, 32, 0.4]) })

/**
 * Prices that we know better than the public list: what the client itself reckons with. The public list lacks the newest
 * models and all fast prices, and bills long prompts of some models otherwise than the client does.
 */
export const OUR_PRICES: ReadonlyMap<string, DatedPrice> = new Map([
  ['claude-3-5-haiku', price([0.8, 4, 1, 1.6, 0.08])],
  ['claude-haiku-4-5', price([1, 5, 1.25, 2, 0.1])],
  ['claude-haiku-5-5', HAIKU_5_5],
  ['claude-3-5-sonnet', SONNET],
  ['claude-3-7-sonnet', SONNET],
  ['claude-sonnet-4', SONNET],
  ['claude-sonnet-4-5', SONNET],
  ['claude-sonnet-4-6', SONNET],
  ['claude-sonnet-5', price([2, 10, 2.5, 4, 0.2])],
  ['claude-sonnet-5-5', price([2, 10, 2.5, 4, 0.1])],
  ['claude-opus-4', OPUS_4],
  ['claude-opus-4-1', OPUS_4],
  ['claude-opus-4-5', price(OPUS_4_5)],
  ['claude-opus-4-6', OPUS_4_6],
  ['claude-opus-4-7', OPUS_4_6],
  ['claude-opus-4-8', OPUS_5],
  ['claude-opus-5', OPUS_5],
  ['claude-opus-5-5', price([4, 20, 5, 8, 0.2], { fast: rates([8, 40, 10, 16, 0.4]) })],
  ['claude-fable-5', FABLE_5],
  ['claude-mythos-5', FABLE_5],
  ['claude-fable-5-1', FABLE_5_1],
  ['claude-mythos-5-1', FABLE_5_1],
  ['claude-fable-5-2', FABLE_5_2],
  ['claude-mythos-5-2', FABLE_5_2],
])

function price(row: Row, special: Pick<DatedPrice, 'fast' | 'long'> = {}): DatedPrice {
  return { ...LIST, ...rates(row), ...special }
}

function rates([input, output, cacheWrite5m, cacheWrite1h, cacheRead]: Row): Rates {
  return { input, output, cacheWrite5m, cacheWrite1h, cacheRead }
}
