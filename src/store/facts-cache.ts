import { type JsonValue, parseJson } from '../core/json.ts'
import { type Cursor, readCursor } from '../disk/cursor.ts'
import type { FactsCache, PackedLog } from '../disk/facts-cache.ts'
import { unpackDigest, unpackFacts } from '../disk/kept-facts.ts'
import type { Database, Statement } from './driver.ts'
import { type IndexFile, openIndex } from './index-file.ts'

/**
 * Keeps the facts of logs in the index, so that a log that has not changed need not be read again. Anything that goes
 * wrong with it only means that a log is read.
 */
export class StoredFacts implements FactsCache {
  readonly #folder: string
  readonly #statements = new Map<string, Statement>()
  #index: IndexFile | undefined
  #isBroken = false

  constructor(folder: string) {
    this.#folder = folder
  }

  digest(path: string): ReturnType<FactsCache['digest']> {
    return this.#attempt((database) => {
      const row = this.#prepare(database, 'select cursor, digest from facts where path = ?').get(path)
      const cursor = row && readCursor(parseJson(String(row.cursor)))
      return row && cursor ? { cursor, digest: unpackDigest(row.digest as Uint8Array, path) } : undefined
    })
  }

  facts(path: string): ReturnType<FactsCache['facts']> {
    return this.#attempt((database) => {
      const row = this.#prepare(database, 'select cursor, rows from facts where path = ?').get(path)
      const cursor = row?.rows && readCursor(parseJson(String(row.cursor)))
      return cursor ? { cursor, known: unpackFacts(row?.rows as Uint8Array, path) } : undefined
    })
  }

  put({ path, cursor, facts, digest }: PackedLog): void {
    this.#attempt((database) => {
      const sql = 'insert or replace into facts (path, cursor, digest, rows) values (?, ?, ?, ?)'
      this.#prepare(database, sql).run(path, JSON.stringify(cursor), digest, facts)
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

  recall(key: string, stamp: string): JsonValue | undefined {
    return this.#attempt((database) => {
      const row = this.#prepare(database, 'select value from memo where key = ? and stamp = ?').get(key, stamp)
      return row && parseJson(String(row.value))
    })
  }

  remember(key: string, stamp: string, value: JsonValue): void {
    this.#remember(key, stamp, JSON.stringify(value))
  }

  recallBytes(key: string, stamp: string): Uint8Array | undefined {
    return this.#attempt((database) => {
      const row = this.#prepare(database, 'select value from memo where key = ? and stamp = ?').get(key, stamp)
      return row?.value instanceof Uint8Array ? row.value : undefined
    })
  }

  rememberBytes(key: string, stamp: string, value: Uint8Array): void {
    this.#remember(key, stamp, value)
  }

  close(): void {
    this.#statements.clear()
    this.#index?.database.close()
    this.#index = undefined
  }

  #remember(key: string, stamp: string, value: string | Uint8Array): void {
    this.#attempt((database) => {
      const sql = 'insert or replace into memo (key, stamp, value) values (?, ?, ?)'
      this.#prepare(database, sql).run(key, stamp, value)
    })
  }

  #prepare(database: Database, sql: string): Statement {
    const known = this.#statements.get(sql) ?? database.prepare(sql)
    this.#statements.set(sql, known)
    return known
  }

  #attempt<T>(action: (database: Database) => T): T | undefined {
    if (this.#isBroken) return undefined
    try {
      this.#index ??= openIndex(this.#folder)
      return action(this.#index.database)
    } catch {
      // The logs have it all; a cache that cannot be used is done without.
      this.#isBroken = true
      return undefined
    }
  }
}
