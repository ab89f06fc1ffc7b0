import { type Database, prepared, type SqlValue, type Statement } from './driver.ts'

/** So many rows are added by one statement: to run one for each row takes longer than the rows themselves. */
const MANY = 64
const SOME = 8

/** Rows on their way into a table. They are in it when `flush` was called, and in the order they came. */
export class Inserts {
  readonly #database: Database
  readonly #into: string
  readonly #row: string
  readonly #width: number
  readonly #statements = new Map<number, Statement>()
  #waiting: SqlValue[] = []

  /** `into` is a table, with what is done where a row is there already: `or ignore into slug`. */
  constructor(database: Database, into: string, columns: readonly string[]) {
    this.#database = database
    this.#into = `insert ${into} (${columns.join(', ')}) values `
    this.#row = `(${columns.map(() => '?').join(', ')})`
    this.#width = columns.length
  }

  /** Adds a row: a value for each column. */
  add(...values: SqlValue[]): void {
    for (let i = 0; i < values.length; i++) this.#waiting.push(values[i] as SqlValue)
    if (this.#waiting.length === MANY * this.#width) this.flush()
  }

  /** Puts what is waiting into the table. */
  flush(): void {
    const { length } = this.#waiting
    for (let at = 0; at < length; ) {
      const rows = (length - at) / this.#width
      const count = rows >= MANY ? MANY : rows >= SOME ? SOME : 1
      const end = at + count * this.#width
      this.#statement(count).run(...(at === 0 && end === length ? this.#waiting : this.#waiting.slice(at, end)))
      at = end
    }
    this.#waiting = []
  }

  /** Forgets what is waiting. */
  forget(): void {
    this.#waiting = []
  }

  #statement(rows: number): Statement {
    const known =
      this.#statements.get(rows) ?? prepared(this.#database, this.#into + Array(rows).fill(this.#row).join())
    this.#statements.set(rows, known)
    return known
  }
}
