import type { LogRecord } from '../core/record.ts'
import { type Cursor, look } from './cursor.ts'
import { currentFacts, type FactsCache, type PackedLog } from './facts-cache.ts'
import type { KnownFacts } from './log-facts.ts'
import { readLogFile } from './log-file.ts'
import { type LogFold, packFold, unpackFold } from './log-fold.ts'
import type { Rest } from './rest.ts'
import type { Source, SourceEntry } from './source.ts'

/** The facts of whole logs, and what they come to: kept from an earlier run, or read now. Who asks cannot tell. */
export class KnownLogs {
  readonly #source: Source
  readonly #cache: FactsCache | undefined
  readonly #rest: Rest
  /** What was asked for last: an operation asks for the same log several times, one after the other. */
  #last: { readonly entry: SourceEntry; readonly known: KnownFacts | undefined } | undefined

  constructor(source: Source, cache: FactsCache | undefined, rest: Rest) {
    this.#source = source
    this.#cache = cache
    this.#rest = rest
  }

  facts(entry: SourceEntry): KnownFacts | undefined {
    if (this.#last && this.#rest.isSame(this.#last.entry, entry)) return this.#last.known
    const { known, packed } = currentFacts(this.#source, entry, this.#cache)
    if (packed) this.keep(entry, packed)
    this.#last = { entry, known }
    return known
  }

  /** The same, if the log is the one that was asked for last. */
  opened(entry: SourceEntry): KnownFacts | undefined {
    return this.#last && this.#rest.isSame(this.#last.entry, entry) ? this.#last.known : undefined
  }

  /** The same for one that has no use for the rows afterwards: those of a huge log are many. */
  factsOnce(entry: SourceEntry, isHuge: (known: KnownFacts) => boolean): KnownFacts | undefined {
    const isOpen = this.#last?.entry === entry
    const known = this.facts(entry)
    if (!isOpen && known && isHuge(known)) this.#last = undefined
    return known
  }

  /** What a log comes to: kept while the log is what it was, else made now; `undefined` when it is gone. */
  folded<T>(entry: SourceEntry, fold: LogFold<T>): T | undefined {
    const cursor = this.#cursorOf(entry)
    const kept = cursor && this.#cache?.folded(entry.path, fold.name, stateOf(cursor))
    const known = kept && unpackFold(fold, kept)
    if (known !== undefined) return known
    const running = fold.begin()
    const read = this.#readFor(entry, cursor, (record) => running.record(record))
    if (!read) return undefined
    const value = running.end()
    if (read.cursor) this.#cache?.keepFolded(entry.path, fold.name, stateOf(read.cursor), packFold(value))
    return value
  }

  /** Keeps what is known of a log. */
  keep(entry: SourceEntry, packed: PackedLog): void {
    this.#cache?.put({ ...packed, cursor: { ...packed.cursor, settled: this.#rest.isSettled(entry) } })
  }

  /** Reads a whole log, and says which state of it that was, if it is known: then its facts are kept too. */
  #readFor(
    entry: SourceEntry,
    cursor: Cursor | undefined,
    record: (record: LogRecord) => void,
  ): { readonly cursor: Cursor | undefined } | undefined {
    if (this.#cache && !cursor) {
      const { known, packed } = currentFacts(this.#source, entry, this.#cache, record)
      if (packed) this.keep(entry, packed)
      return known && { cursor: packed?.cursor }
    }
    const totals = readLogFile(this.#source, entry, { record })
    return totals && { cursor: totals.bytes === entry.sizeBytes ? cursor : undefined }
  }

  /** The cursor of a log's kept facts, if the log is still what it was. */
  #cursorOf(entry: SourceEntry): Cursor | undefined {
    const cursor = this.#cache?.cursor(entry.path)
    if (!cursor || look(cursor, this.#source, entry).kind !== 'same') return undefined
    if (!cursor.settled && this.#rest.isSettled(entry)) this.#cache?.settle({ ...cursor, settled: true })
    return cursor
  }
}

/** A name for the bytes that a cursor has behind it. */
function stateOf({ offset, prefixSum, headHash, tailHash }: Cursor): string {
  return `${offset} ${prefixSum} ${headHash} ${tailHash}`
}
