import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { costOf } from '../../core/usage/price.ts'
import { Library } from '../../disk/library.ts'
import type { Warning } from '../../disk/warning.ts'
import type { Context } from '../context.ts'
import { openPriceBook } from './price-book.ts'

const folder = mkdtempSync(join(tmpdir(), 'annals-prices-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function contextWith(configDir: string | undefined, warnings: Warning[] = []): Context {
  return {
    library: new Library({ roots: [folder] }),
    now: new Date('2026-11-15T12:00:00Z'),
    cwd: folder,
    home: folder,
    configDir,
    currentSession: undefined,
    warn: (warning) => warnings.push(warning),
    progress: () => {},
  }
}

/** Model, then dollars per million: input, output, five-minute and one-hour writes, reads; then the same when fast. */
const TABLE: readonly (readonly [string, readonly number[], (readonly number[])?])[] = [
  ['claude-3-5-haiku-20241022', [0.8, 4, 1, 1.6, 0.08]],
  ['claude-haiku-4-5-20251001', [1, 5, 1.25, 2, 0.1]],
  ['claude-haiku-5-5', [0.1, 0.5, 0.125, 0.2, 0.01]],
  ['claude-3-5-sonnet-20241022', [3, 15, 3.75, 6, 0.3]],
  ['claude-3-7-sonnet-20250219', [3, 15, 3.75, 6, 0.3]],
  ['claude-sonnet-4-20250514', [3, 15, 3.75, 6, 0.3]],
  ['claude-sonnet-4-5-20250929', [3, 15, 3.75, 6, 0.3]],
  ['claude-sonnet-4-6', [3, 15, 3.75, 6, 0.3]],
  ['claude-sonnet-5', [2, 10, 2.5, 4, 0.2]],
  ['claude-sonnet-5-5', [2, 10, 2.5, 4, 0.1]],
  ['claude-opus-4-20250514', [15, 75, 18.75, 30, 1.5]],
  ['claude-opus-4-1-20250805', [15, 75, 18.75, 30, 1.5]],
  ['claude-opus-4-5-20251101', [5, 25, 6.25, 10, 0.5]],
  ['claude-opus-4-6', [5, 25, 6.25, 10, 0.5], [30, 150, 37.5, 60, 3]],
  ['claude-opus-4-7', [5, 25, 6.25, 10, 0.5], [30, 150, 37.5, 60, 3]],
  ['claude-opus-4-8', [5, 25, 6.25, 10, 0.5], [10, 50, 12.5, 20, 1]],
  ['claude-opus-5', [5, 25, 6.25, 10, 0.5], [10, 50, 12.5, 20, 1]],
  ['claude-opus-5-5', [4, 20, 5, 8, 0.2], [8, 40, 10, 16, 0.4]],
  ['claude-fable-5', [10, 50, 12.5, 20, 1]],
  ['claude-mythos-5', [10, 50, 12.5, 20, 1]],
  ['claude-fable-5-1', [10, 50, 12.5, 20, 0.25]],
  ['claude-mythos-5-1', [10, 50, 12.5, 20, 0.25]],
  ['claude-fable-5-2', [8, 40, 10, 16, 0.2], [16, 80, 20, 32, 0.4]],
  ['claude-mythos-5-2', [8, 40, 10, 16, 0.2], [16, 80, 20, 32, 0.4]],
]
const KINDS = ['inputTokens', 'outputTokens', 'cacheWrite5mTokens', 'cacheWrite1hTokens', 'cacheReadTokens'] as const
const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 }
const AT = '2026-11-15T12:00:00.000Z'

describe('the prices of the client', () => {
  test.each(TABLE.map(([model, usual, fast]) => ({ model, usual, fast: fast ?? usual })))(
    '$model',
    async ({ model, usual, fast }) => {
      const book = await openPriceBook(contextWith(undefined), [model])
      const price = book.priceOf(model, AT)
      expect(price).toMatchObject({ from: null, asOf: '2026-11', source: "the client's own list, 2.1.325" })
      if (!price) return
      for (const [at, kind] of KINDS.entries()) {
        // A hundredth of a million, so that no prompt is long.
        const billed = { ...none, [kind]: 10_000, webSearches: 0, geo: null, speed: null }
        expect(costOf(billed, price) * 100, kind).toBeCloseTo(usual[at] as number, 9)
        expect(costOf({ ...billed, speed: 'fast' }, price) * 100, `fast ${kind}`).toBeCloseTo(fast[at] as number, 9)
        expect(costOf({ ...billed, geo: 'us' }, price) * 100, `us ${kind}`).toBeCloseTo((usual[at] as number) * 1.1, 9)
      }
    },
  )

  test('the long prompts of claude-haiku-5-5', async () => {
    const price = (await openPriceBook(contextWith(undefined), [])).priceOf('claude-haiku-5-5', AT)
    expect(price?.long).toEqual({
      above: 100_000,
      input: 0.5,
      output: 2.5,
      cacheWrite5m: 0.625,
      cacheWrite1h: 1,
      cacheRead: 0.05,
    })
  })
})

describe('the public list', () => {
  const listed = async (model: string, at = AT) =>
    (await openPriceBook(contextWith(undefined), [model])).priceOf(model, at)

  test('prices what we have no price for', async () => {
    expect(await listed('claude-3-opus-20240229')).toMatchObject({
      input: 15,
      output: 75,
      cacheRead: 1.5,
      source: 'genai-prices 0.1.8',
      asOf: '2026-09-23',
    })
  })

  test('does not take a model for another whose name it begins with', async () => {
    expect(await listed('claude-sonnet-5-9')).toBeUndefined()
    expect(await listed('claude-opus-9')).toBeUndefined()
  })

  test('has no price for a model nobody knows', async () => {
    expect(await listed('wholly-made-up')).toBeUndefined()
    expect(await listed('')).toBeUndefined()
    expect(await listed('__proto__')).toBeUndefined()
  })
})

describe("the user's own prices", () => {
  const config = mkdtempSync(join(folder, 'config-'))
  const write = (value: unknown) => writeFileSync(join(config, 'prices.json'), JSON.stringify(value))

  test('come first, each from its day on, in any spelling', async () => {
    write({
      'us.anthropic.claude-opus-5-5-v1:0': [
        { input: 1, output: 2 },
        { input: 3, output: 4, cacheRead: 0, from: '2026-11-01' },
      ],
      'my-model': { input: 10, output: 20 },
    })
    const book = await openPriceBook(contextWith(config), ['claude-opus-5-5', 'my-model'])
    expect(book.priceOf('claude-opus-5-5', '2026-10-31T12:00:00.000Z')).toMatchObject({ input: 1, cacheRead: 0.1 })
    expect(book.priceOf('claude-opus-5-5', AT)).toMatchObject({ input: 3, cacheRead: 0, from: '2026-11-01' })
    expect(book.priceOf('my-model', AT)).toMatchObject({ cacheWrite5m: 12.5, cacheWrite1h: 20, cacheRead: 1 })
    expect(book.priceOf('my-model', AT)?.source).toBe(join(config, 'prices.json'))
  })

  test('that say too little are named, and the rest still holds', async () => {
    write({ 'my-model': { input: 10 }, other: 'cheap', third: { input: 1, output: 1 } })
    const warnings: Warning[] = []
    const book = await openPriceBook(contextWith(config, warnings), ['my-model', 'third'])
    expect(book.priceOf('my-model', AT)).toBeUndefined()
    expect(book.priceOf('third', AT)).toMatchObject({ input: 1 })
    expect(warnings.map((warning) => warning.message)).toEqual([
      expect.stringContaining('my-model'),
      expect.stringContaining('other'),
    ])
  })

  test('that are no JSON are named', async () => {
    writeFileSync(join(config, 'prices.json'), '{')
    const warnings: Warning[] = []
    const book = await openPriceBook(contextWith(config, warnings), [])
    expect(book.priceOf('claude-opus-5-5', AT)).toMatchObject({ input: 4 })
    expect(warnings).toHaveLength(1)
  })
})
