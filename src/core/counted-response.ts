import type { NumberRows } from './number-rows.ts'
import type { TextPool } from './text-pool.ts'
import type { Response, UsageRow } from './usage.ts'
import type { UsageTable } from './usage-table.ts'

/** A response, and whose part its first row came with. */
export interface Attributed<T> extends Response {
  readonly owner: T
}

/** Rows that were added together: some of one table, for one owner. */
export interface Part<T> {
  readonly table: UsageTable
  /** Number of the table's file. */
  readonly file: number
  readonly owner: T
}

/** What responses were counted in: a row of numbers for each request of each message. */
export interface Count<T> {
  /** Message and request ids. */
  readonly pool: TextPool
  readonly parts: readonly Part<T>[]
  readonly entries: NumberRows<Int32Array>
  /** In how many files the rows of an entry stand. */
  readonly filesOf: (entry: number) => number
}

/** The columns of an entry. */
export const MESSAGE = 0
/** Number of the request's id; the empty one where a row has none. */
export const REQUEST = 1
/** The part and the row of the row that counts. */
export const KEPT = 2
/** The same of the earliest. */
export const FIRST = 4
export const ROWS = 6
export const FILE = 7
/** The next entry of the same message; -1 behind the last. */
export const NEXT = 8
export const WIDTH = 9

/** A response that reads its entry when it is asked: there may be hundreds of thousands, of which each is asked for little. */
export class Counted<T> implements Attributed<T> {
  readonly #count: Count<T>
  readonly #entry: number

  constructor(count: Count<T>, entry: number) {
    this.#count = count
    this.#entry = entry
  }

  get messageId(): string {
    return this.#count.pool.textOf(this.#cell(MESSAGE))
  }
  get requestId(): string | null {
    return this.#count.pool.textOf(this.#cell(REQUEST)) || null
  }
  get kept(): UsageRow {
    return this.#part(KEPT).table.view(this.#cell(KEPT + 1))
  }
  get first(): UsageRow {
    return this.#part(FIRST).table.view(this.#cell(FIRST + 1))
  }
  get owner(): T {
    return this.#part(FIRST).owner
  }
  get rows(): number {
    return this.#cell(ROWS)
  }
  get files(): number {
    return this.#count.filesOf(this.#entry)
  }

  /** The response as a plain object. */
  plain(): Response {
    const { messageId, requestId, rows, files } = this
    const [kept, first] = [this.#part(KEPT).table, this.#part(FIRST).table]
    return {
      messageId,
      requestId,
      rows,
      files,
      kept: kept.at(this.#cell(KEPT + 1)),
      first: first.at(this.#cell(FIRST + 1)),
    }
  }

  #cell(column: number): number {
    return this.#count.entries.get(this.#entry, column)
  }

  #part(column: number): Part<T> {
    return this.#count.parts[this.#cell(column)] as Part<T>
  }
}
