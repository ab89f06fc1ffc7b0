import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { LogFacts } from '../core/facts.ts'
import { isObject, parseJson } from '../core/json.ts'
import { advance, look, readCursor, startCursor } from '../disk/cursor.ts'
import type { FactsCache, KnownFacts } from '../disk/log-facts.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import type { Database } from './driver.ts'
import { type IndexFile, openIndex } from './index-file.ts'

/** The facts of a log with more rows are not kept: writing them down would take more memory than making them. */
const MOST_ROWS = 200_000

/**
 * Keeps the facts of logs between runs, so that a log that has not changed need not be read again. Anything that goes
 * wrong with it only means that a log is read.
 */
export class StoredFacts implements FactsCache {
  readonly #folder: string
  #index: IndexFile | undefined
  #isBroken = false

  constructor(folder: string) {
    this.#folder = folder
  }

  get(source: Source, entry: SourceEntry): KnownFacts | undefined {
    return this.#attempt((database) => {
      const row = database.prepare('select cursor, data from facts where path = ?').get(entry.path)
      const cursor = row && readCursor(parseJson(String(row.cursor)))
      if (!row || !cursor || look(cursor, source, entry).kind !== 'same') return undefined
      return read(row.data as Uint8Array)
    })
  }

  /** `isSettled`: whether the file's time is old enough that a later change must have changed it. */
  put(source: Source, entry: SourceEntry, known: KnownFacts, isSettled: boolean): void {
    const { totals } = known
    // The log may have grown while it was read: then the facts are of more than the listing knows.
    if (!totals || totals.bytes !== entry.sizeBytes || known.facts.nodes.length > MOST_ROWS) return
    this.#attempt((database) => {
      // The cursor stands at the very end, also behind a line without newline: what follows it makes the facts anew.
      const end = { offset: entry.sizeBytes, line: totals.endLine }
      const cursor = { ...advance(startCursor(entry), source, entry, end), settled: isSettled }
      database
        .prepare('insert or replace into facts (path, cursor, data) values (?, ?, ?)')
        .run(entry.path, JSON.stringify(cursor), written(known))
    })
  }

  close(): void {
    this.#index?.database.close()
    this.#index = undefined
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

function written(known: KnownFacts): Uint8Array {
  const facts = { ...known.facts, types: [...known.facts.types] }
  return deflateRawSync(JSON.stringify({ ...known, facts }), { level: 1 })
}

/** What we wrote ourselves, under the number of our schema; anything else is as good as absent. */
function read(data: Uint8Array): KnownFacts | undefined {
  const value: unknown = parseJson(inflateRawSync(data).toString('utf8'))
  if (!isObject(value) || !isObject(value.facts) || !Array.isArray(value.facts.types)) return undefined
  const known = value as unknown as KnownFacts
  const types = new Map(value.facts.types as unknown as [string, number][])
  return { ...known, facts: { ...(known.facts as LogFacts), types } }
}
