import { modelName } from '../../core/usage/model-name.ts'
import { costAt, costWithoutCache, type DatedPrice, type Rates } from '../../core/usage/price.ts'
import type { Tokens } from '../../core/usage/usage.ts'
import { type Columns, type Database, type Query, selectColumns } from '../../index/driver.ts'
import { PROMPT_CLASSES } from '../../index/owner.ts'
import type { PriceBook } from './price-book.ts'

/** What a log spent: one response, or all of a quarter of an hour that are billed alike. */
export interface Spending {
  /** The log that owns it, by its number in the index. */
  readonly log: number
  /** In milliseconds, the start of the quarter where there are several; NaN where no row says. */
  readonly at: number
  readonly model: string
  readonly used: Tokens
  /** `null` where nobody knows the price: then the cost is not zero, it is not known. */
  readonly costUsd: number | null
  /** What it would have cost without a cache. */
  readonly uncachedUsd: number | null
  readonly responses: number
  /** How many rows they were seen on, and in how many further logs. */
  readonly rows: number
  readonly copies: number
  readonly placeholders: number
  readonly isSidechain: boolean
  readonly isAbandoned: boolean
  /** Which response it is; `null` where there are several. */
  readonly call: SingleCall | null
}

/** What tells one response from the others. */
export interface SingleCall {
  /** The same for all holdings of a response. */
  readonly key: number
  readonly messageId: string
  readonly requestId: string | null
  /** Where its first row stands in the log that owns it. */
  readonly line: number
  readonly offset: number
  readonly length: number
  /** The number of the turn in its log. */
  readonly turn: number | null
}

/** Which spendings are asked for; without bounds all of them. */
export interface SpendingFilter {
  /** Responses one by one. */
  readonly single?: boolean
  /** Not what was spent before this time, in milliseconds, or at no known time; it may give some more. */
  readonly since?: number | undefined
  /** What these logs spent, whenever that was. */
  readonly logs?: readonly number[]
  /** No other logs than these. */
  readonly only?: readonly number[] | undefined
}

/** What logs spent, each response once, for the log that owns it. */
export function spendings(database: Database, book: PriceBook, filter: SpendingFilter = {}): Spending[] {
  const { single = false, since, logs = [], only } = filter
  const { columns, from, time, log } = single || !allFit(database, book) ? RESPONSES : BUCKETS
  if (only) return ofLogs(database, book, { columns, from }, log, only)
  if (since === undefined) return priced(selectColumns(database, { columns, from }), book)
  const bounded = `${from} and (${time} >= ? or ${log} in ${THESE})`
  return priced(selectColumns(database, { columns, from: bounded }, since - QUARTER_MS, JSON.stringify(logs)), book)
}

/** The quarter of an hour in which something was spent last, in milliseconds. */
export function lastSpentAt(database: Database): number | undefined {
  const at = database.prepare(`select max(quarter) * ${QUARTER_MS} as at from bucket`).get()?.at
  return (at as number | null | undefined) ?? undefined
}

/** How many responses are given at a time. */
export const PART_RESPONSES = 20_000

/** What some logs spent, response by response: one of the parts that they are given in. */
export function spendingsOf(database: Database, book: PriceBook, logs: readonly number[], part: number): Spending[] {
  const these = `select id from response where owner = 1 and log in ${THESE} order by id limit ? offset ?`
  const query = { columns: RESPONSES.columns, from: `${RESPONSES.from} and r.id in (${these})` }
  return priced(selectColumns(database, query, JSON.stringify(logs), PART_RESPONSES, part * PART_RESPONSES), book)
}

/** What all logs of a session spent, those that are gone too, as far as no other log holds it. */
export function spendingsOfGone(
  database: Database,
  book: PriceBook,
  { root, project, id }: { readonly root: string; readonly project: { readonly key: string }; readonly id: string },
): Spending[] {
  return priced(selectColumns(database, OF_GONE, root, project.key, id), book)
}

/** What logs hold that others own: they inherited it. Of all logs, or of some. */
export function inheritances(database: Database, book: PriceBook, logs?: readonly number[]): Spending[] {
  return logs ? ofLogs(database, book, INHERITED, 'r.log', logs) : priced(selectColumns(database, INHERITED), book)
}

function ofLogs(database: Database, book: PriceBook, { columns, from }: Query, log: string, logs: readonly number[]) {
  return priced(
    selectColumns(database, { columns, from: `${from} and ${log} in ${THESE}` }, JSON.stringify(logs)),
    book,
  )
}

/** The numbers of logs that are given as a text. */
const THESE = '(select value from json_each(?))'

const COUNTED = `
response r join response c on c.id = coalesce(r.counts, r.id) join name m on m.id = c.model
left join name g on g.id = c.geo join log l on l.id = r.log`

const TOKENS = ['input', 'output', 'cache_read', 'write_5m', 'write_1h', 'web_searches']

const NUMBERS = [
  ...TOKENS.map((name) => `c.${name}`),
  'c.placeholder as placeholders',
  'r.log',
  'r.time as at',
  'm.text as model',
  'g.text as geo',
  'c.fast',
  'r.sidechain',
  'r.abandoned',
  '1 as responses',
  'c.input + c.cache_read + c.write_5m + c.write_1h as prompt',
  'c.id as key',
  ...['message', 'request', 'line', 'offset', 'length', 'turn'].map((name) => `r.${name}`),
]

const RESPONSES = {
  columns: [...NUMBERS, 'r.seen_rows as rows', 'r.seen_logs - 1 as copies'],
  from: `${COUNTED} where r.owner = 1 and l.state <> 'lost'`,
  time: 'r.time',
  log: 'r.log',
}

const OF_GONE: Query = {
  columns: [...NUMBERS, 'r.seen_rows as rows', '0 as copies'],
  from: `${COUNTED} where r.owner = 1 and l.root = ? and l.project = ? and l.session = ?`,
}

/** One response that a log holds on rows of two requests is one: the same holding counts for both. */
const INHERITED: Query = {
  columns: [...NUMBERS, 'r.rows', '0 as copies'],
  from: `${COUNTED} where r.owner = 0 and r.counts is not null and l.state <> 'lost'`,
}

/** Responses that are billed alike are added up by quarters of an hour. */
export const QUARTER_MS = 900_000

const BUCKETS = {
  columns: [
    ...TOKENS,
    ...['log', 'fast', 'prompt_class', 'sidechain', 'abandoned', 'responses', 'rows', 'copies', 'placeholders'],
    `quarter * ${QUARTER_MS} as at`,
    'm.text as model',
    'g.text as geo',
  ],
  from: 'bucket b join name m on m.id = b.model left join name g on g.id = b.geo where true',
  time: `b.quarter * ${QUARTER_MS}`,
  log: 'b.log',
}

/** Whether all prices of long prompts begin where the buckets part. */
export function allFit(database: Database, book: PriceBook): boolean {
  return database
    .prepare(LAST_USES)
    .all()
    .every(({ text, at }) => {
      const above = book.priceOf(text as string, isoOf(at as number | null))?.long?.above
      return above === undefined || PROMPT_CLASSES.some((bound) => bound === above)
    })
}

/** When each model was used last: a look through all buckets for each is quicker than to sort them by model. */
const LAST_USES = `select text, (select max(quarter) from bucket where model = name.id) * ${QUARTER_MS} as at
from name where id in (select distinct model from bucket)`

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
    const names = new Map<string, string>()
    const nameOf = (written: string) => {
      const name = names.get(written) ?? modelName(written)
      names.set(written, name)
      return name
    }
    const priceOf = dailyPrices(book)
    const ratesOf = ratesIn(all)
    this.all = all
    this.log = numbers('log')
    this.at = all.at as readonly (number | null)[]
    this.model = (all.model as readonly string[]).map(nameOf)
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
    this.costUsd = this.rates.map((rates, nth) => (rates ? costAt(this.billed(nth), rates) : null))
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
    return Object.assign(this.used(nth), { geo: (this.all.geo?.[nth] as string | null | undefined) ?? null })
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

function isoOf(ms: number | null): string {
  return ms === null ? '' : new Date(ms).toISOString()
}

/** The costs that are known, together; `null` only where there are responses and none has a price. */
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
