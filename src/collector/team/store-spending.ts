import type { Questions } from '../../history/questions.ts'
import type { PriceBook } from '../../history/usage/price-book.ts'
import { QUARTER_MS, type Spending, type SpendingFilter } from '../../history/usage/spending.ts'
import { priced } from '../../history/usage/spent-rows.ts'
import type { Columns, Database, SqlValue } from '../../index/driver.ts'
import { PROMPT_CLASSES } from '../../index/owner.ts'
import type { StoreReader, WhichHeld } from './store-reader.ts'

/** What is asked to tell what logs spent. */
interface Asking {
  readonly reader: StoreReader
  /** Tables that have what several logs hold, and nothing else. */
  readonly tables: Database
  readonly spending: Questions['spending']
}

/**
 * What logs spent, each response once: what several logs hold by the tables, which know who owns it; all else as the store gives it,
 * which is priced as it came. It would be put into tables to be read out again.
 */
export function storeSpendings(
  { reader, tables, spending }: Asking,
  book: PriceBook,
  filter: SpendingFilter,
): Spending[] {
  const which = heldBy(filter)
  const sums = filter.single ? undefined : reader.sums(which)
  const isSummed = sums !== undefined && arePriced(book, sums) && arePriced(book, sharedSums(tables))
  const shared = spending(book, { ...filter, single: !isSummed })
  const columns = isSummed ? asBuckets(sums) : asResponses(reader.responses(which, SPENT), lastNumber(tables))
  const others = columns.log ? priced(columns, book) : []
  // By their logs, as tables have them.
  return shared.length === 0 ? others : [...shared, ...others].sort((a, b) => a.log - b.log)
}

/** What is told of a response that was spent. */
const SPENT = [
  ...['log', 'message', 'request', 'model', 'geo', 'line', 'offset', 'length', 'rows', 'time', 'fast', 'turn'],
  ...['input', 'output', 'cache_read', 'write_5m', 'write_1h', 'web_searches', 'sidechain', 'abandoned', 'placeholder'],
]

function heldBy({ since, logs, only }: SpendingFilter): WhichHeld {
  return { ...(since !== undefined && { since, ...(logs && { logs }) }), ...(only && { only }) }
}

/** Whether all prices of long prompts begin where the sums part. */
function arePriced(book: PriceBook, { model = [], quarter = [] }: Columns): boolean {
  const last = new Map<string, number | null>()
  model.forEach((name, nth) => {
    const [at, known] = [quarter[nth] as number | null, last.get(name as string) ?? null]
    last.set(name as string, at === null || (known ?? at) > at ? known : at)
  })
  return [...last].every(([name, at]) => {
    const above = book.priceOf(name, at === null ? '' : new Date(at * QUARTER_MS).toISOString())?.long?.above
    return above === undefined || PROMPT_CLASSES.some((bound) => bound === above)
  })
}

function sharedSums(tables: Database): Columns {
  const rows = tables.prepare('select text, quarter from bucket join name on name.id = bucket.model').all()
  return { model: rows.map(({ text }) => text as SqlValue), quarter: rows.map(({ quarter }) => quarter as SqlValue) }
}

/** Sums as buckets are read from tables. */
function asBuckets({ quarter = [], ...sums }: Columns): Columns {
  return {
    ...sums,
    at: quarter.map((nth) => (nth === null ? null : (nth as number) * QUARTER_MS)),
    copies: quarter.map(() => 0),
  }
}

/** Responses that no other log holds, as they are read from tables; numbered on from those. */
function asResponses({ time = [], placeholder = [], ...rows }: Columns, last: number): Columns {
  const numbers = (name: string) => rows[name] as readonly number[]
  const prompt = ['input', 'cache_read', 'write_5m', 'write_1h'].map(numbers)
  return {
    ...rows,
    at: time,
    placeholders: placeholder,
    responses: time.map(() => 1),
    copies: time.map(() => 0),
    prompt: time.map((_, nth) => prompt.reduce((sum, list) => sum + (list[nth] as number), 0)),
    key: time.map((_, nth) => last + nth + 1),
  }
}

function lastNumber(tables: Database): number {
  return (tables.prepare('select max(id) as last from response').get()?.last as number | null | undefined) ?? 0
}
