import {
  type Count,
  Counted,
  FILE,
  FIRST,
  KEPT,
  MESSAGE,
  NEXT,
  type Part,
  REQUEST,
  ROWS,
  type TableRow,
  WIDTH,
} from './counted-response.ts'
import { NumberRows } from './number-rows.ts'
import { compareHoldings, type Holding, ownerRule } from './owner.ts'
import { TextPool } from './text-pool.ts'
import type { Response, UsageRow } from './usage.ts'
import { type UsageRows, UsageTable } from './usage-table.ts'

/**
 * Counts each response once, known by its message id, over all rows it is given, for the log that owns it (`owner.ts`). The
 * order of giving does not matter. Two different request ids under one message id are two responses. It holds numbers rather
 * than rows: a log may have a million.
 */
export class UsageFold<T = undefined> {
  /** An entry is a holding: the rows of one request in one file. */
  readonly #count: Count<T> & { readonly parts: Part<T>[] }
  readonly #files = new Map<string, number>()
  /** The newest entry of each message, by the number of its id, counted from 1; the others stand behind it. */
  #heads = new Int32Array(64)
  /** Parts of rows that were added one by one, by file. */
  readonly #loose = new Map<string, number>()

  /** With the pool of a table that will be added, its ids need not be kept twice. */
  constructor(pool: TextPool = new TextPool()) {
    this.#count = { pool, parts: [], entries: new NumberRows(WIDTH, Int32Array) }
  }

  /** Adds a single row. */
  add(row: UsageRow, owner?: T): void {
    const { file } = row.place
    const known = this.#loose.get(file)
    const part = known ?? this.#addPart(new UsageTable(file), owner as T)
    this.#loose.set(file, part)
    this.#addSpot(part, this.#tableOf(part).add(row))
  }

  /** Adds the rows of a table, or some of them, for an owner. */
  addRows({ table, rows }: UsageRows, owner: T): void {
    const part = this.#addPart(table, owner)
    if (rows) for (const row of rows) this.#addSpot(part, row)
    else for (let row = 0; row < table.length; row++) this.#addSpot(part, row)
  }

  /** The responses by time, as plain objects. */
  responses(): Response[] {
    const all = [...this.each()].map((response) => response.plain())
    return all.sort((a, b) => compareFirst(a.first, b.first))
  }

  /** The responses in no order; they read the tables when they are asked. */
  *each(): Iterable<Counted<T>> {
    const { entries } = this.#count
    for (let entry = 0; entry < entries.length; entry++) {
      // The newest entry of a message speaks for all that stand behind it.
      if (this.#heads[entries.get(entry, MESSAGE)] === entry + 1) yield* this.#responsesAt(entry)
    }
  }

  /** The responses of one message: mostly one. Rows without a request id belong to the first. */
  *of(messageId: string): Iterable<Counted<T>> {
    const head = (this.#heads[this.#count.pool.find(messageId)] ?? 0) - 1
    if (head !== -1) yield* this.#responsesAt(head)
  }

  /** The messages that there are responses of. */
  *messageIds(): Iterable<string> {
    const { entries, pool } = this.#count
    for (let entry = 0; entry < entries.length; entry++) {
      if (entries.get(entry, NEXT) === -1) yield pool.textOf(entries.get(entry, MESSAGE))
    }
  }

  /** The files that a message stands in. */
  filesOf(messageId: string): readonly string[] {
    const names = [...this.#files.keys()]
    const head = (this.#heads[this.#count.pool.find(messageId)] ?? 0) - 1
    return [...new Set(this.#entriesFrom(head).map((entry) => this.#count.entries.get(entry, FILE)))].map(
      (file) => names[file] as string,
    )
  }

  /** Of each holding the rows that can decide: the one that counts and the first, which are mostly the same. */
  *decisive(): Iterable<{ readonly table: UsageTable; readonly row: number; readonly weight: number }> {
    const { entries } = this.#count
    for (let entry = 0; entry < entries.length; entry++) {
      const [part, row] = [entries.get(entry, FIRST), entries.get(entry, FIRST + 1)]
      const [keptPart, keptRow] = [entries.get(entry, KEPT), entries.get(entry, KEPT + 1)]
      const rows = entries.get(entry, ROWS)
      const isOne = part === keptPart && row === keptRow
      yield { table: this.#tableOf(part), row, weight: isOne ? rows : rows - 1 }
      if (!isOne) yield { table: this.#tableOf(keptPart), row: keptRow, weight: 1 }
    }
  }

  #addPart(table: UsageTable, owner: T): number {
    const file = this.#files.get(table.file) ?? this.#files.size
    this.#files.set(table.file, file)
    return this.#count.parts.push({ table, file, owner }) - 1
  }

  #addSpot(part: number, row: number): void {
    const { entries, pool, parts } = this.#count
    const { table, file } = parts[part] as Part<T>
    const isOurs = table.pool === pool
    const message = isOurs ? table.messageAt(row) : pool.idOf(table.view(row).messageId)
    const request = isOurs ? table.requestAt(row) : pool.idOf(table.view(row).requestId)
    if (message >= this.#heads.length) this.#heads = grown(this.#heads, message)
    const head = (this.#heads[message] as number) - 1
    const weight = table.weightAt(row)
    for (let entry = head; entry !== -1; entry = entries.get(entry, NEXT)) {
      if (entries.get(entry, REQUEST) !== request || entries.get(entry, FILE) !== file) continue
      this.#merge(entry, part, row, weight)
      return
    }
    addEntry(entries, [message, request, part, row, part, row, weight, file, head])
    this.#heads[message] = entries.length
  }

  /** Adds a row to its holding. */
  #merge(entry: number, part: number, row: number, weight: number): void {
    const { entries } = this.#count
    const added = { table: this.#tableOf(part), row }
    const kept = this.#rowAt(entry, KEPT)
    if (compareKept(added, kept) < 0 || (compareKept(added, kept) === 0 && isBefore(added, kept))) {
      putSpot(entries, entry, KEPT, part, row)
    }
    if (isBefore(added, this.#rowAt(entry, FIRST))) putSpot(entries, entry, FIRST, part, row)
    entries.set(entry, ROWS, entries.get(entry, ROWS) + weight)
  }

  /** The responses of a message, of which this is the newest entry. */
  *#responsesAt(head: number): Iterable<Counted<T>> {
    const { entries } = this.#count
    if (entries.get(head, NEXT) === -1) yield new Counted(this.#count, head)
    else for (const holdings of this.#byRequest(this.#entriesFrom(head))) yield this.#joined(holdings)
  }

  /**
   * The holdings of each request. Copies drop the request id: rows without one belong to the request that was written first, and
   * of several to the one whose id is the smallest.
   */
  #byRequest(holdings: readonly number[]): readonly (readonly number[])[] {
    const { entries, pool } = this.#count
    const requestOf = (entry: number) => entries.get(entry, REQUEST)
    const writtenAt = (entry: number) => this.#holdingAt(entry).writtenAt
    const none = pool.find('')
    const named = holdings.filter((entry) => requestOf(entry) !== none)
    const [earliest] = named.toSorted(
      (a, b) => writtenAt(a) - writtenAt(b) || compare(pool.textOf(requestOf(a)), pool.textOf(requestOf(b))),
    )
    if (earliest === undefined) return [holdings]
    const first = requestOf(earliest)
    const others = [...new Set(named.map(requestOf))].filter((request) => request !== first)
    const ofFirst = holdings.filter((entry) => requestOf(entry) === first || requestOf(entry) === none)
    return [ofFirst, ...others.map((request) => named.filter((entry) => requestOf(entry) === request))]
  }

  /** One response of all its holdings: the first row is its owner's, the numbers are those with the most output. */
  #joined(holdings: readonly number[]): Counted<T> {
    const { entries, pool } = this.#count
    const cell = (entry: number, column: number) => entries.get(entry, column)
    const ranked = holdings.toSorted((a, b) => this.#compareEntries(a, b))
    const owner = ranked[0] as number
    const kept = ranked.reduce((best, entry) =>
      compareKept(this.#rowAt(entry, KEPT), this.#rowAt(best, KEPT)) < 0 ? entry : best,
    )
    const named = holdings.find((entry) => cell(entry, REQUEST) !== pool.find('')) ?? owner
    const one = new NumberRows(WIDTH, Int32Array)
    addEntry(one, [
      cell(owner, MESSAGE),
      cell(named, REQUEST),
      cell(kept, KEPT),
      cell(kept, KEPT + 1),
      cell(owner, FIRST),
      cell(owner, FIRST + 1),
      holdings.reduce((sum, entry) => sum + cell(entry, ROWS), 0),
      cell(owner, FILE),
      -1,
    ])
    const others = ranked.slice(1).filter((entry) => cell(entry, FILE) !== cell(owner, FILE))
    const copies = others.map((entry) => ({
      first: this.#rowAt(entry, FIRST),
      owner: (this.#count.parts[cell(entry, FIRST)] as Part<T>).owner,
      rule: ownerRule(this.#holdingAt(owner), this.#holdingAt(entry)),
    }))
    return new Counted({ ...this.#count, entries: one }, 0, copies)
  }

  #compareEntries(a: number, b: number): number {
    const order = compareHoldings(this.#holdingAt(a), this.#holdingAt(b))
    // The rows of one file may stand under two requests, one of them without an id.
    return order || (isBefore(this.#rowAt(a, FIRST), this.#rowAt(b, FIRST)) ? -1 : 1)
  }

  /** What a holding tells is what its first row tells. */
  #holdingAt(entry: number): Holding {
    const { table, row } = this.#rowAt(entry, FIRST)
    return table.holdingAt(row)
  }

  #entriesFrom(head: number): readonly number[] {
    const all: number[] = []
    for (let entry = head; entry !== -1; entry = this.#count.entries.get(entry, NEXT)) all.push(entry)
    return all
  }

  #tableOf(part: number): UsageTable {
    return (this.#count.parts[part] as Part<T>).table
  }

  #rowAt(entry: number, column: number): TableRow {
    const { entries } = this.#count
    return { table: this.#tableOf(entries.get(entry, column)), row: entries.get(entry, column + 1) }
  }
}

/** The cells in the order of the columns. */
function addEntry(entries: NumberRows<Int32Array>, cells: readonly number[]): void {
  const entry = entries.add()
  cells.forEach((cell, column) => {
    entries.set(entry, column, cell)
  })
}

function putSpot(entries: NumberRows<Int32Array>, entry: number, column: number, part: number, row: number): void {
  entries.set(entry, column, part)
  entries.set(entry, column + 1, row)
}

/** The row that counts comes first: the most output, then one that says it is final. */
function compareKept(a: TableRow, b: TableRow): number {
  const [one, other] = [a.table.view(a.row), b.table.view(b.row)]
  return other.outputTokens - one.outputTokens || Number(one.isPlaceholder) - Number(other.isPlaceholder)
}

/** Whether one row of a file stands before another. */
function isBefore(a: TableRow, b: TableRow): boolean {
  return a.table.view(a.row).place.offset < b.table.view(b.row).place.offset
}

function compareFirst(a: UsageRow, b: UsageRow): number {
  const time = compare(a.timestamp || LATEST, b.timestamp || LATEST)
  return time || compare(a.place.file, b.place.file) || a.place.offset - b.place.offset
}

/** A row without a time comes after all that have one. */
const LATEST = '\uffff'

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function grown(heads: Int32Array, needed: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.ceil((needed + 1) * 1.5))
  larger.set(heads)
  return larger
}
