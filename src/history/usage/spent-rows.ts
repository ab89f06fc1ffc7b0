import { modelName } from '../../core/usage/model-name.ts'
import { costAt, costWithoutCache, type DatedPrice, type Rates } from '../../core/usage/price.ts'
import { NO_TOKENS, type Tokens } from '../../core/usage/usage.ts'
import type { Columns } from '../../index/driver.ts'
import { PROMPT_CLASSES } from '../../index/owner.ts'
import type { PriceBook } from './price-book.ts'
import type { SingleCall, Spending } from './spending.ts'

/** Gives the price of a model at a time in milliseconds; each day is asked for once. */
export function dailyPrices(book: PriceBook): (model: string, at: number | null) => DatedPrice | undefined {
  const models = new Map<string, Map<number | null, DatedPrice | undefined>>()
  return (model, at) => {
    const days = models.get(model) ?? new Map<number | null, DatedPrice | undefined>()
    models.set(model, days)
    const day = at === null ? null : Math.floor(at / DAY_MS)
    const price = days.get(day)
    if (price !== undefined || days.has(day)) return price
    const asked = book.priceOf(model, isoOf(at))
    days.set(day, asked)
    return asked
  }
}

const DAY_MS = 86_400_000

/** Responses, or many that are billed alike, by columns, with their prices. */
export function priced(columns: Columns, book: PriceBook): Spending[] {
  const rows = new SpentRows(columns, book)
  return (columns.log as readonly number[]).map((_, nth) => new SpentRow(rows, nth))
}

/** What was spent, in columns: each is a field, as a row is asked tens of thousands of times. */
class SpentRows {
  readonly all: Columns
  readonly log: readonly number[]
  readonly at: readonly (number | null)[]
  readonly model: readonly string[]
  readonly tokens: Readonly<Record<keyof Tokens, readonly number[]>>
  readonly responses: readonly number[]
  readonly rows: readonly number[]
  readonly copies: readonly number[]
  readonly placeholders: readonly number[]
  readonly sidechain: readonly number[]
  readonly abandoned: readonly number[]
  readonly costUsd: readonly (number | null)[]
  readonly rates: readonly (Rates | undefined)[]

  constructor(all: Columns, book: PriceBook) {
    const numbers = (name: string) => all[name] as readonly number[]
    const priceOf = dailyPrices(book)
    const ratesOf = ratesIn(all)
    this.all = all
    this.log = numbers('log')
    this.at = all.at as readonly (number | null)[]
    this.model = (all.model as readonly string[]).map((model) => modelName(model))
    this.tokens = {
      inputTokens: numbers('input'),
      outputTokens: numbers('output'),
      cacheReadTokens: numbers('cache_read'),
      cacheWrite5mTokens: numbers('write_5m'),
      cacheWrite1hTokens: numbers('write_1h'),
      webSearches: numbers('web_searches'),
    }
    this.responses = numbers('responses')
    this.rows = numbers('rows')
    this.copies = numbers('copies')
    this.placeholders = numbers('placeholders')
    this.sidechain = numbers('sidechain')
    this.abandoned = numbers('abandoned')
    this.rates = (all.model as readonly string[]).map((model, nth) => {
      const price = priceOf(model, this.at[nth] ?? null)
      return price && ratesOf(nth, price)
    })
    this.costUsd = this.costs()
  }

  /** One object is filled for row after row: to make one for each takes longer than all the rest. */
  private costs(): (number | null)[] {
    const { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens, webSearches } =
      this.tokens
    const geo = this.all.geo as readonly (string | null)[] | undefined
    const billed = { ...NO_TOKENS, geo: null as string | null }
    return this.rates.map((rates, nth) => {
      if (!rates) return null
      billed.inputTokens = inputTokens[nth] as number
      billed.outputTokens = outputTokens[nth] as number
      billed.cacheReadTokens = cacheReadTokens[nth] as number
      billed.cacheWrite5mTokens = cacheWrite5mTokens[nth] as number
      billed.cacheWrite1hTokens = cacheWrite1hTokens[nth] as number
      billed.webSearches = webSearches[nth] as number
      billed.geo = geo?.[nth] ?? null
      return costAt(billed, rates)
    })
  }

  used(nth: number): Tokens {
    const { tokens } = this
    return {
      inputTokens: tokens.inputTokens[nth] as number,
      outputTokens: tokens.outputTokens[nth] as number,
      cacheReadTokens: tokens.cacheReadTokens[nth] as number,
      cacheWrite5mTokens: tokens.cacheWrite5mTokens[nth] as number,
      cacheWrite1hTokens: tokens.cacheWrite1hTokens[nth] as number,
      webSearches: tokens.webSearches[nth] as number,
    }
  }

  billed(nth: number): Tokens & { readonly geo: string | null } {
    return { ...this.used(nth), geo: (this.all.geo?.[nth] as string | null | undefined) ?? null }
  }
}

/** A row of it. It has no fields of its own to be spread: of most a few values are asked. */
class SpentRow implements Spending {
  private readonly spent: SpentRows
  private readonly nth: number

  constructor(spent: SpentRows, nth: number) {
    this.spent = spent
    this.nth = nth
  }

  get log(): number {
    return this.spent.log[this.nth] as number
  }

  get at(): number {
    return this.spent.at[this.nth] ?? Number.NaN
  }

  get model(): string {
    return this.spent.model[this.nth] as string
  }

  get used(): Tokens {
    return this.spent.used(this.nth)
  }

  get costUsd(): number | null {
    return this.spent.costUsd[this.nth] as number | null
  }

  get uncachedUsd(): number | null {
    const rates = this.spent.rates[this.nth]
    return rates ? costWithoutCache(this.spent.billed(this.nth), rates) : null
  }

  get responses(): number {
    return this.spent.responses[this.nth] as number
  }

  get rows(): number {
    return this.spent.rows[this.nth] as number
  }

  get copies(): number {
    return this.spent.copies[this.nth] as number
  }

  get placeholders(): number {
    return this.spent.placeholders[this.nth] as number
  }

  get isSidechain(): boolean {
    return this.spent.sidechain[this.nth] === 1
  }

  get isAbandoned(): boolean {
    return this.spent.abandoned[this.nth] === 1
  }

  get call(): SingleCall | null {
    return this.spent.all.key ? callIn(this.spent.all, this.nth) : null
  }
}

function callIn(columns: Columns, i: number): SingleCall {
  const value = (name: string) => columns[name]?.[i]
  return {
    key: value('key') as number,
    messageId: value('message') as string,
    requestId: value('request') as string | null,
    line: value('line') as number,
    offset: value('offset') as number,
    length: value('length') as number,
    turn: value('turn') as number | null,
  }
}

/** The rates of a row: by its prompt where it is one response, by its class where it is many. */
function ratesIn({ fast, prompt, prompt_class: promptClass }: Columns): (i: number, price: DatedPrice) => Rates {
  return (i, price) => {
    if (fast?.[i] === 1 && price.fast) return price.fast
    if (!price.long) return price
    const { above } = price.long
    const isLong = prompt
      ? (prompt[i] as number) > above
      : (promptClass?.[i] as number) > (PROMPT_CLASSES as readonly number[]).indexOf(above)
    return isLong ? price.long : price
  }
}

/** A time as a text; empty where none is known. */
export function isoOf(ms: number | null): string {
  return ms === null ? '' : new Date(ms).toISOString()
}
