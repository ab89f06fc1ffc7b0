import type { Database, Statement } from '../driver.ts'
import type { Docs, Found } from './matching-docs.ts'
import type { SearchedLog } from './searched-logs.ts'

/** Finds the log that made what another has copied: the one that owns the response it belongs to. */
export class Originals {
  readonly #docs: Docs
  readonly #logOf: (id: number) => SearchedLog | undefined
  readonly #database: Database
  #origin: Statement | undefined

  /** Only logs that `logOf` gives are searched. */
  constructor(database: Database, docs: Docs, logOf: (id: number) => SearchedLog | undefined) {
    this.#docs = docs
    this.#logOf = logOf
    this.#database = database
  }

  /** Of copies the one in the log that made it, where that is searched. */
  of(one: Found): Found {
    this.#origin ??= this.#database.prepare(ORIGIN)
    const origin = this.#origin.get(one.log.id, one.offset)?.origin as number | undefined
    const log = origin === undefined || origin === one.log.id ? undefined : this.#logOf(origin)
    return (log && this.#docs.copyIn(log, one.copy)) ?? one
  }
}

/** The log that owns the first response that ends at a place or behind it. */
const ORIGIN = `
select o.log as origin from response r join response o on o.message = r.message and o.owner = 1
where r.id = (select id from response where log = ? and last_offset >= ? order by last_offset limit 1)`
