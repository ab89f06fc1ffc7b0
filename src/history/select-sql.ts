import { costOf } from '../core/usage/price.ts'
import { needsOf, type Selected } from '../index/sql/select.ts'
import type { ViewPrices } from '../index/sql/view-tables.ts'
import { sqliteFailure } from '../index/sqlite.ts'
import type { History } from './history.ts'
import type { PriceBook } from './usage/price-book.ts'
import { sessionCosts } from './usage/session-costs.ts'
import { areSplit, dailyPrices, priced } from './usage/spending.ts'

export interface SelectOptions {
  readonly progress: (doneBytes: number, totalBytes: number, stage?: string) => void
  /** Called when the index is up to date and the query begins. */
  readonly onBegin: () => void
  /** Called if the query reads text and the index is in memory, which has none. */
  readonly onNoTexts: () => void
}

/** Runs an SQL query over the views, after reading what it needs. A wrong query fails before a log is read. */
export async function selectSql(history: History, sql: string, options: SelectOptions): Promise<Selected> {
  const needs = needsOf(sql)
  const { index } = history
  if (!index) throw sqliteFailure()
  const isCalled = needs.has('calls') || (needs.has('words') && index.isKept)
  await history.refresh(isCalled ? 'calls' : 'facts', options.progress)
  if (needs.has('words') && !index.isKept) options.onNoTexts()
  const prices = viewPrices(await history.prices())
  options.onBegin()
  return index.select(sql, { prices, needs })
}

function viewPrices(book: PriceBook): ViewPrices {
  const priceOf = dailyPrices(book)
  return {
    costUsd: ({ model, at, isFast, geo, used }) => {
      const price = priceOf(model, at)
      return price ? costOf({ ...used, geo, speed: isFast ? 'fast' : null }, price) : null
    },
    sessionCosts: (sessions, read, inherited) => {
      const sums = read({})
      const spent = areSplit(sums, book) ? sums : read({ single: true })
      return sessionCosts(sessions, priced(spent, book), priced(inherited, book))
    },
  }
}
