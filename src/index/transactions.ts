import type { Database } from './driver.ts'
import { unmarkListing } from './listing-mark.ts'
import { patiently } from './trouble.ts'

/** Who writes in a transaction. */
interface Writer {
  /** Does what is left at the end of a transaction. */
  settle?(): void
  /** Forgets what was written in a transaction that did not happen. */
  rollBack(): void
}

/** Transactions one after the other, each begun by the first change and committed when it has taken enough bytes of logs. */
export class Transactions {
  readonly #database: Database
  readonly #writer: Writer
  readonly #mostBytes: number
  /** Bytes in the open one; `undefined` where none is open. */
  #bytes: number | undefined

  constructor(database: Database, writer: Writer, mostBytes: number) {
    this.#database = database
    this.#writer = writer
    this.#mostBytes = mostBytes
  }

  /** Makes sure that one is open. */
  begin(): void {
    if (this.#bytes !== undefined) return
    patiently(() => this.#database.exec('begin immediate'))
    unmarkListing(this.#database)
    this.#bytes = 0
  }

  /** Counts what was written in it. */
  add(bytes: number): void {
    this.#bytes = (this.#bytes ?? 0) + bytes
    if (this.#bytes >= this.#mostBytes) this.commit()
  }

  commit(): void {
    if (this.#bytes === undefined) return
    this.#writer.settle?.()
    this.#database.exec('commit')
    this.#bytes = undefined
  }

  /** After a full disk SQLite has rolled back by itself, and says so if it is asked again. */
  rollBack(): void {
    this.#writer.rollBack()
    if (this.#bytes === undefined) return
    this.#bytes = undefined
    try {
      this.#database.exec('rollback')
    } catch {
      return
    }
  }

  /** Does the last of the work and commits it; what fails leaves nothing half-written. */
  finish(rest: () => void): void {
    try {
      rest()
      this.commit()
    } catch (error) {
      this.rollBack()
      throw error
    }
  }
}
