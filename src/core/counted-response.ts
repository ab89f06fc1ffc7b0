import type { NumberRows } from './number-rows.ts'
import type { OwnerRule } from './owner.ts'
import type { TextPool } from './text-pool.ts'
import type { Response, UsageRow } from './usage.ts'
import type { UsageTable } from './usage-table.ts'

/** A response, whose part its first row came with, and who else holds it. */
export interface Attributed<T> extends Response {
  readonly owner: T
  /** Its copies in other files, one for each. */
  readonly copies: readonly Copy<T>[]
}

/** The rows of a response in a file that does not own it. */
export interface Copy<T> {
  /** The first of them. */
  readonly first: TableRow
  readonly owner: T
  /** Why it is the copy. */
  readonly rule: OwnerRule
}

/** A row by its number in a table. */
export interface TableRow {
  readonly table: UsageTable
  readonly row: number
}

/** Rows that were added together: some of one table, for one owner. */
export interface Part<T> {
  readonly table: UsageTable
  /** Number of the table's file. */
  readonly file: number
  readonly owner: T
}

/** What responses were counted in: a row of numbers for the rows that each file has of a request. */
export interface Count<T> {
  /** Message and request ids. */
  readonly pool: TextPool
  readonly parts: readonly Part<T>[]
  readonly entries: NumberRows<Int32Array>
}

/** The columns of an entry. */
export const MESSAGE = 0
/** Number of the request's id; the empty one where a row has none. */
export const REQUEST = 1
/** The part and the row of the row that counts. */
export const KEPT = 2
/** The same of the first in the file. */
export const FIRST = 4
export const ROWS = 6
export const FILE = 7
/** The next entry of the same message; -1 behind the last. */
export const NEXT = 8
export const WIDTH = 9

const NO_COPIES: readonly never[] = []

/** A response that reads its entry when it is asked: there may be hundreds of thousands, of which each is asked for little. */
export class Counted<T> implements Attributed<T> {
  readonly #count: Count<T>
  readonly #entry: number
  readonly copies: readonly Copy<T>[]

  constructor(count: Count<T>, entry: number, copies: readonly Copy<T>[] = NO_COPIES) {
    this.#count = count
    this.#entry = entry
    this.copies = copies
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
    return this.copies.length + 1
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
