import { parseJson } from '../core/json.ts'
import { type Cursor, readCursor } from '../disk/cursor.ts'
import type { FactsCache, PackedLog } from '../disk/facts-cache.ts'
import { unpackFacts } from '../disk/kept-facts.ts'
import type { Database, Statement } from '../index/driver.ts'
import { type OpenIndex, openTables, removeIndex } from '../index/open.ts'

const NAME = 'facts-1.db'

/**
 * `facts`: the folds of whole logs, each with the cursor of the log it was made from. `folded`: what single logs came to for an
 * operation, in the state of the stamp; what is known of a log goes with its facts.
 */
const TABLES = `
create table if not exists facts (path text primary key, cursor text not null, rows blob);
create table if not exists folded (
  path text not null,
  name text not null,
  stamp text not null,
  value blob not null,
  primary key (path, name)
);
create trigger if not exists facts_forgotten after delete on facts begin
  delete from folded where path = old.path;
end;
`

/** Removes all that is kept, as a purge does. */
export function removeFacts(folder: string): void {
  removeIndex(folder, NAME)
}

/**
 * Keeps the facts of logs in the index, so that a log that has not changed need not be read again. Anything that goes
 * wrong with it only means that a log is read.
 */
export class StoredFacts implements FactsCache {
  readonly #folder: string
  readonly #statements = new Map<string, Statement>()
  #index: OpenIndex | undefined
  #isBroken = false

  constructor(folder: string) {
    this.#folder = folder
  }

  facts(path: string): ReturnType<FactsCache['facts']> {
    return this.#attempt((database) => {
      const row = this.#prepare(database, 'select cursor, rows from facts where path = ?').get(path)
      const cursor = row?.rows && readCursor(parseJson(String(row.cursor)))
      return cursor ? { cursor, known: unpackFacts(row?.rows as Uint8Array, path) } : undefined
    })
  }

  put({ path, cursor, facts }: PackedLog): void {
    this.#attempt((database) => {
      const sql = 'insert or replace into facts (path, cursor, rows) values (?, ?, ?)'
      this.#prepare(database, sql).run(path, JSON.stringify(cursor), facts)
    })
  }

  settle(cursor: Cursor): void {
    this.#attempt((database) => {
      const sql = 'update facts set cursor = ? where path = ?'
      this.#prepare(database, sql).run(JSON.stringify(cursor), cursor.path)
    })
  }

  cursor(path: string): Cursor | undefined {
    return this.#attempt((database) => {
      const row = this.#prepare(database, 'select cursor from facts where path = ?').get(path)
      return row && readCursor(parseJson(String(row.cursor)))
    })
  }

  folded(path: string, name: string, stamp: string): Uint8Array | undefined {
    return this.#attempt((database) => {
      const sql = 'select value from folded where path = ? and name = ? and stamp = ?'
      return this.#prepare(database, sql).get(path, name, stamp)?.value as Uint8Array | undefined
    })
  }

  keepFolded(path: string, name: string, stamp: string, value: Uint8Array): void {
    this.#attempt((database) => {
      // Only beside the facts of its log: who purges them meanwhile must not find it here later.
      const sql = `insert or replace into folded (path, name, stamp, value)
        select path, ?, ?, ? from facts where path = ?`
      this.#prepare(database, sql).run(name, stamp, value, path)
    })
  }

  close(): void {
    this.#statements.clear()
    this.#index?.database.close()
    this.#index = undefined
  }

  #prepare(database: Database, sql: string): Statement {
    const known = this.#statements.get(sql) ?? database.prepare(sql)
    this.#statements.set(sql, known)
    return known
  }

  #attempt<T>(action: (database: Database) => T): T | undefined {
    if (this.#isBroken) return undefined
    try {
      this.#index ??= openTables(this.#folder, NAME, TABLES)
      return action(this.#index.database)
    } catch {
      // The logs have it all; a cache that cannot be used is done without.
      this.#isBroken = true
      return undefined
    }
  }
}
