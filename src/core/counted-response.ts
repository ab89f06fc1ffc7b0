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

/** A row of a part. */
export interface Spot {
  readonly part: number
  readonly row: number
}

/** What one request is known by: the rows that decide, how many rows there are, and in how many files. */
export interface Seen {
  /** Number of the request's id; the empty one where a row has none. */
  readonly request: number
  readonly kept: Spot
  readonly first: Spot
  readonly rows: number
  readonly files: number
}

/** A request that no other is to be joined with. */
export interface Settled extends Seen {
  /** Number of the message's id. */
  readonly message: number
}

/** A response as a few numbers: there may be hundreds of thousands at once, of which each is asked for little. */
export class Counted<T> implements Attributed<T> {
  readonly #pool: TextPool
  readonly #parts: readonly Part<T>[]
  readonly #message: number
  readonly #request: number
  readonly #keptPart: number
  readonly #keptRow: number
  readonly #firstPart: number
  readonly #firstRow: number
  readonly rows: number
  readonly files: number

  constructor(pool: TextPool, parts: readonly Part<T>[], seen: Settled) {
    this.#pool = pool
    this.#parts = parts
    this.#message = seen.message
    this.#request = seen.request
    this.#keptPart = seen.kept.part
    this.#keptRow = seen.kept.row
    this.#firstPart = seen.first.part
    this.#firstRow = seen.first.row
    this.rows = seen.rows
    this.files = seen.files
  }

  get messageId(): string {
    return this.#pool.textOf(this.#message)
  }
  get requestId(): string | null {
    return this.#pool.textOf(this.#request) || null
  }
  get kept(): UsageRow {
    return (this.#parts[this.#keptPart] as Part<T>).table.view(this.#keptRow)
  }
  get first(): UsageRow {
    return (this.#parts[this.#firstPart] as Part<T>).table.view(this.#firstRow)
  }
  get owner(): T {
    return (this.#parts[this.#firstPart] as Part<T>).owner
  }
}
