import { type Database, prepared, type Statement } from './driver.ts'

/** Words that many rows share (roles, tools, models, branches, paths) are kept once and named by number. */
export class Names {
  readonly #ids = new Map<string, number>()
  readonly #insert: Statement
  readonly #find: Statement

  constructor(database: Database) {
    this.#insert = prepared(database, 'insert or ignore into name (text) values (?)')
    this.#find = prepared(database, 'select id from name where text = ?')
  }

  /** The number of a word, which is added if nobody used it yet. */
  id(text: string): number
  id(text: string | null | undefined): number | null
  id(text: string | null | undefined): number | null {
    if (text === null || text === undefined || text === '') return null
    const known = this.#ids.get(text)
    if (known !== undefined) return known
    this.#insert.run(text)
    const id = Number(this.#find.get(text)?.id)
    // A path or two per row must not fill the memory of a long run.
    if (this.#ids.size > 100_000) this.#ids.clear()
    this.#ids.set(text, id)
    return id
  }

  /** What was added in a transaction that did not happen is no longer known. */
  forget(): void {
    this.#ids.clear()
  }
}
