import { describe, expect, test } from 'vitest'
import { type Billed, costOf, type DatedPrice, type Price, priceAt, ratesFor } from './price.ts'

const MILLION = 1_000_000
const nothing: Billed = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  webSearches: 0,
  geo: null,
  speed: null,
}
const opus: Price = {
  input: 4,
  output: 20,
  cacheWrite5m: 5,
  cacheWrite1h: 8,
  cacheRead: 0.2,
  fast: { input: 8, output: 40, cacheWrite5m: 10, cacheWrite1h: 16, cacheRead: 0.4 },
}
const haiku: Price = {
  input: 0.1,
  output: 0.5,
  cacheWrite5m: 0.125,
  cacheWrite1h: 0.2,
  cacheRead: 0.01,
  long: { above: 100_000, input: 0.5, output: 2.5, cacheWrite5m: 0.625, cacheWrite1h: 1, cacheRead: 0.05 },
}

describe('costOf', () => {
  test('bills each kind of token at its own rate', () => {
    expect(costOf({ ...nothing, inputTokens: MILLION }, opus)).toBeCloseTo(4, 10)
    expect(costOf({ ...nothing, outputTokens: MILLION }, opus)).toBeCloseTo(20, 10)
    expect(costOf({ ...nothing, cacheWrite5mTokens: MILLION }, opus)).toBeCloseTo(5, 10)
    expect(costOf({ ...nothing, cacheWrite1hTokens: MILLION }, opus)).toBeCloseTo(8, 10)
    expect(costOf({ ...nothing, cacheReadTokens: MILLION }, opus)).toBeCloseTo(0.2, 10)
  })

  test('adds them up: 100·4 + 50·20 + 1000·0.2 + 10·8 + 20·5 millionths', () => {
    const billed = { ...nothing, inputTokens: 100, outputTokens: 50, cacheReadTokens: 1000 }
    const cost = costOf({ ...billed, cacheWrite1hTokens: 10, cacheWrite5mTokens: 20 }, opus)
    expect(cost).toBeCloseTo(0.00178, 12)
  })

  test('takes a cent for a web search', () => {
    expect(costOf({ ...nothing, webSearches: 3 }, opus)).toBeCloseTo(0.03, 12)
  })

  test('takes a tenth more in the US, but not for web searches', () => {
    const billed = { ...nothing, inputTokens: MILLION, webSearches: 2 }
    expect(costOf({ ...billed, geo: 'us' }, opus)).toBeCloseTo(4.42, 10)
    for (const geo of ['eu', 'global', 'not_available', '', null]) {
      expect(costOf({ ...billed, geo }, opus)).toBeCloseTo(4.02, 10)
    }
  })

  test('takes fast prices for fast answers, where a model has them', () => {
    const billed = { ...nothing, outputTokens: MILLION, speed: 'fast' }
    expect(costOf(billed, opus)).toBeCloseTo(40, 10)
    expect(costOf({ ...billed, speed: 'standard' }, opus)).toBeCloseTo(20, 10)
    expect(costOf(billed, haiku)).toBeCloseTo(0.5, 10)
  })

  test('takes long prices for all of a request whose prompt is above the limit, not at it', () => {
    const at = { ...nothing, inputTokens: 1, cacheReadTokens: 99_989, cacheWrite5mTokens: 4, cacheWrite1hTokens: 6 }
    expect(ratesFor(at, haiku)).toBe(haiku)
    expect(ratesFor({ ...at, inputTokens: 2 }, haiku)).toBe(haiku.long)
    const long = { ...nothing, inputTokens: 200_000, outputTokens: 1000 }
    expect(costOf(long, haiku)).toBeCloseTo(0.1025, 10)
  })

  test('does not count the answer as prompt', () => {
    expect(ratesFor({ ...nothing, inputTokens: 100_000, outputTokens: 50_000 }, haiku)).toBe(haiku)
  })
})

describe('priceAt', () => {
  const dated = (from: string | null, input: number): DatedPrice => ({ ...opus, input, from, asOf: '', source: '' })
  const prices = [dated('2026-03-13', 3), dated(null, 1), dated('2026-01-01', 2)]

  test('is the newest price that had begun', () => {
    expect(priceAt(prices, '2025-12-31T23:59:59.999Z')?.input).toBe(1)
    expect(priceAt(prices, '2026-01-01T00:00:00.000Z')?.input).toBe(2)
    expect(priceAt(prices, '2026-03-12T23:00:00.000Z')?.input).toBe(2)
    expect(priceAt(prices, '2026-11-15T00:00:00.000Z')?.input).toBe(3)
  })

  test('is unknown before the first one began', () => {
    expect(priceAt([dated('2026-03-13', 3)], '2026-03-12T00:00:00.000Z')).toBeUndefined()
  })

  test('for a response without a time is the one that always holds', () => {
    expect(priceAt(prices, '')?.input).toBe(1)
  })
})
