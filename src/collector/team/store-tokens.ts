import type { Row } from '../../index/driver.ts'
import { PROMPT_CLASSES } from '../../index/owner.ts'
import { QUARTER_MS, type SpendingFilter, type SpentTokens, toResponse } from '../../index/queries/spending.ts'
import type { FetchedTables } from './fetched-tables.ts'
import type { Columns, StoreReader, WhichHeld } from './store-reader.ts'

/**
 * Reads what logs spent. Responses that one log holds are summed by the store; the shared ones are settled in the tables first.
 * Neither sums nor single responses are put into tables.
 */
export class StoreTokens {
  readonly #reader: StoreReader
  readonly #tables: FetchedTables
  /** Several questions need the sums of everything. */
  #all: Promise<readonly SpentTokens[]> | undefined

  constructor(reader: StoreReader, tables: FetchedTables) {
    this.#reader = reader
    this.#tables = tables
  }

  /** Sums by quarter of an hour. */
  sums(filter: SpendingFilter = {}): Promise<readonly SpentTokens[]> {
    const which = heldBy(filter)
    if (Object.keys(which).length > 0) return this.#sums(filter, which)
    this.#all ??= this.#sums(filter, which)
    return this.#all
  }

  async #sums(filter: SpendingFilter, which: WhichHeld): Promise<readonly SpentTokens[]> {
    const [shared, own] = await Promise.all([this.#tables.fetchShared(), this.#reader.sums(which)])
    const quarterOf = ({ at }: SpentTokens) => at && Math.floor(at / QUARTER_MS) * QUARTER_MS
    return byLog(summed(shared.filter((one) => fits(filter, one, quarterOf(one)))), rowsOf(own).map(toBucket))
  }

  /** Single responses. Their keys are unique, and unknown to the tables for responses that one log holds. */
  async responses(filter: SpendingFilter): Promise<readonly SpentTokens[]> {
    const [shared, own] = await Promise.all([
      this.#tables.fetchShared(),
      this.#reader.responses(heldBy(filter), COLUMNS),
    ])
    return byLog(
      shared.filter((one) => fits(filter, one, one.at)),
      rowsOf(own).map((row, nth) =>
        toResponse({ ...toNumbers(row), ...UNSHARED, at: toNumber(row.time), key: -1 - nth }),
      ),
    )
  }
}

const FLAGS = ['fast', 'sidechain', 'abandoned', 'placeholder']
const TOKENS = ['input', 'output', 'cache_read', 'write_5m', 'write_1h', 'web_searches']
const COLUMNS = [
  ...['log', 'message', 'request', 'model', 'geo', 'line', 'offset', 'length', 'rows', 'time', 'turn'],
  ...FLAGS,
  ...TOKENS,
]
const UNSHARED = { copies: 0 }

function heldBy({ since, logs, only }: SpendingFilter): WhichHeld {
  return { ...(since !== undefined && { since, ...(logs && { logs }) }), ...(only && { only }) }
}

/** Whether a filter selects a shared response; `at` is the time that is compared. */
function fits({ since, logs = [], only }: SpendingFilter, { log }: SpentTokens, at: number | null): boolean {
  if (only) return only.includes(log)
  return since === undefined || (at !== null && at >= since - QUARTER_MS) || logs.includes(log)
}

function byLog(shared: readonly SpentTokens[], own: readonly SpentTokens[]): readonly SpentTokens[] {
  return shared.length === 0 ? own : [...shared, ...own].sort((a, b) => a.log - b.log)
}

function rowsOf(columns: Columns): readonly Row[] {
  const names = Object.keys(columns)
  return (columns.log ?? []).map((_, nth) => {
    const row: Record<string, Row[string]> = {}
    for (const name of names) row[name] = columns[name]?.[nth] ?? null
    return row
  })
}

/** Some stores return numbers as text. */
function toNumber(value: Row[string] | undefined): number | null {
  return value === null || value === undefined ? null : Number(value)
}

const NUMBERS = ['log', 'line', 'offset', 'length', 'rows', 'turn', 'placeholders', ...FLAGS, ...TOKENS]

function toNumbers(row: Row): Row {
  const numbers = NUMBERS.flatMap((name) => (name in row ? [[name, toNumber(row[name])] as const] : []))
  return { ...row, placeholders: toNumber(row.placeholder), ...Object.fromEntries(numbers) }
}

function toBucket(row: Row): SpentTokens {
  const quarter = toNumber(row.quarter)
  const at = quarter === null ? null : quarter * QUARTER_MS
  const spent = toResponse({ ...toNumbers(row), ...UNSHARED, at })
  return { ...spent, promptClass: Number(row.prompt_class), responses: Number(row.responses), call: null }
}

/** Sums of responses, as the table `bucket` has them. */
function summed(responses: readonly SpentTokens[]): readonly SpentTokens[] {
  const sums = new Map<string, SpentTokens>()
  for (const one of responses) {
    const at = one.at === null ? null : Math.floor(one.at / QUARTER_MS) * QUARTER_MS
    const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens } = one.used
    const prompt = inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens
    const promptClass = PROMPT_CLASSES.filter((above) => prompt > above).length
    const { log, model, geo, isFast, isSidechain, isAbandoned } = one
    const key = [log, at, model, geo, isFast, promptClass, isSidechain, isAbandoned].join('\0')
    const known = sums.get(key)
    sums.set(key, known ? added(known, one) : { ...one, at, promptClass, call: null })
  }
  return [...sums.values()]
}

function added(sum: SpentTokens, one: SpentTokens): SpentTokens {
  return {
    ...sum,
    used: {
      inputTokens: sum.used.inputTokens + one.used.inputTokens,
      outputTokens: sum.used.outputTokens + one.used.outputTokens,
      cacheReadTokens: sum.used.cacheReadTokens + one.used.cacheReadTokens,
      cacheWrite5mTokens: sum.used.cacheWrite5mTokens + one.used.cacheWrite5mTokens,
      cacheWrite1hTokens: sum.used.cacheWrite1hTokens + one.used.cacheWrite1hTokens,
      webSearches: sum.used.webSearches + one.used.webSearches,
    },
    responses: sum.responses + one.responses,
    rows: sum.rows + one.rows,
    copies: sum.copies + one.copies,
    placeholders: sum.placeholders + one.placeholders,
  }
}
