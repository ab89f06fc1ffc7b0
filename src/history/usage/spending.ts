import type { Tokens } from '../../core/usage/usage.ts'
import { type Database, type Query, selectColumns } from '../../index/driver.ts'
import { PROMPT_CLASSES } from '../../index/owner.ts'
import type { PriceBook } from './price-book.ts'
import { isoOf, priced } from './spent-rows.ts'

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
  if (only) return among(database, book, { columns, from }, log, only)
  if (since === undefined) return priced(selectColumns(database, { columns, from }), book)
  const bounded = `${from} and (${time} >= ? or ${log} in ${THESE})`
  return priced(selectColumns(database, { columns, from: bounded }, since - QUARTER_MS, JSON.stringify(logs)), book)
}

/** The quarter of an hour in which something was spent last, in milliseconds. */
export function lastSpentAt(database: Database): number | undefined {
  const at = database.prepare(`select max(quarter) * ${QUARTER_MS} as at from bucket`).get()?.at
  return (at as number | null | undefined) ?? undefined
}

/** The responses that some logs own, by their numbers in the index, which rise. */
export function ownedResponses(database: Database, logs: readonly number[]): readonly number[] {
  const query = { columns: ['id'], from: `response where owner = 1 and log in ${THESE}` }
  const ids = selectColumns(database, query, JSON.stringify(logs)).id as readonly number[]
  return ids.toSorted((a, b) => a - b)
}

/** What some responses cost, each by itself. */
export function spendingsOf(database: Database, book: PriceBook, responses: readonly number[]): Spending[] {
  return among(database, book, RESPONSES, 'r.id', responses)
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
  return logs ? among(database, book, INHERITED, 'r.log', logs) : priced(selectColumns(database, INHERITED), book)
}

function among(
  database: Database,
  book: PriceBook,
  { columns, from }: Query,
  column: string,
  these: readonly number[],
) {
  return priced(
    selectColumns(database, { columns, from: `${from} and ${column} in ${THESE}` }, JSON.stringify(these)),
    book,
  )
}

/** The numbers of logs or responses that are given as a text. */
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
