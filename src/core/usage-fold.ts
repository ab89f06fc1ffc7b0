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
  WIDTH,
} from './counted-response.ts'
import { NumberRows } from './number-rows.ts'
import { TextPool } from './text-pool.ts'
import type { Response, UsageRow } from './usage.ts'
import { type UsageRows, UsageTable } from './usage-table.ts'

/**
 * Counts each response once, known by its message id, over all rows it is given. The order of giving does not matter. Two
 * different request ids under one message id are two responses. It holds numbers rather than rows: a log may have a million.
 */
export class UsageFold<T = undefined> {
  readonly #count: Count<T> & { readonly parts: Part<T>[] }
  readonly #files = new Map<string, number>()
  /** The newest entry of each message, by the number of its id, counted from 1; the others stand behind it. */
  #heads = new Int32Array(64)
  /** The files of the entries that stand in several. */
  readonly #spread = new Map<number, Set<number>>()
  /** Parts of rows that were added one by one, by file. */
  readonly #loose = new Map<string, number>()

  /** With the pool of a table that will be added, its ids need not be kept twice. */
  constructor(pool: TextPool = new TextPool()) {
    const filesOf = (entry: number) => this.#spread.get(entry)?.size ?? 1
    this.#count = { pool, parts: [], entries: new NumberRows(WIDTH, Int32Array), filesOf }
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
    return all.sort((a, b) => compareViews(a.first, b.first))
  }

  /** The responses in no order; they read the tables when they are asked. */
  *each(): Iterable<Counted<T>> {
    const { entries } = this.#count
    for (let entry = 0; entry < entries.length; entry++) {
      // The newest entry of a message speaks for all that stand behind it.
      if (this.#heads[entries.get(entry, MESSAGE)] === entry + 1) yield* this.#responsesAt(entry)
    }
  }

  /** The responses of one message: mostly one. */
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
    return [...new Set(this.#entriesFrom(head).flatMap((entry) => [...this.#filesAt(entry)]))].map(
      (file) => names[file] as string,
    )
  }

  /** Of each request the rows that can decide: the one that counts and the earliest, which are mostly the same. */
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
      if (entries.get(entry, REQUEST) !== request) continue
      this.#merge(entry, { part, row, weight, file })
      return
    }
    addEntry(entries, [message, request, part, row, part, row, weight, file, head])
    this.#heads[message] = entries.length
  }

  #merge(entry: number, { part, row, weight, file }: Spot): void {
    const { entries } = this.#count
    const added = { table: this.#tableOf(part), row }
    if (compareKept(added, this.#rowAt(entry, KEPT)) < 0) putSpot(entries, entry, KEPT, part, row)
    if (compareRows(added, this.#rowAt(entry, FIRST)) < 0) putSpot(entries, entry, FIRST, part, row)
    entries.set(entry, ROWS, entries.get(entry, ROWS) + weight)
    const known = entries.get(entry, FILE)
    if (known === file) return
    const files = this.#spread.get(entry) ?? new Set([known])
    this.#spread.set(entry, files.add(file))
  }

  /** The responses of a message, of which this is the newest entry. */
  *#responsesAt(head: number): Iterable<Counted<T>> {
    const { entries, pool } = this.#count
    if (entries.get(head, NEXT) === -1) {
      yield new Counted(this.#count, head)
      return
    }
    const all = this.#entriesFrom(head)
    const none = pool.find('')
    const unnamed = all.find((entry) => entries.get(entry, REQUEST) === none)
    const named = all
      .filter((entry) => entry !== unnamed)
      .sort((a, b) => compareRows(this.#rowAt(a, FIRST), this.#rowAt(b, FIRST)))
    const [earliest, ...others] = named
    if (unnamed === undefined || earliest === undefined) for (const one of named) yield new Counted(this.#count, one)
    else {
      yield this.#joined(earliest, unnamed)
      for (const one of others) yield new Counted(this.#count, one)
    }
  }

  /** Rows without a request id belong to the earliest request of their message: copies drop the id. */
  #joined(earliest: number, unnamed: number): Counted<T> {
    const { entries } = this.#count
    const kept = compareKept(this.#rowAt(unnamed, KEPT), this.#rowAt(earliest, KEPT)) < 0 ? unnamed : earliest
    const first = compareRows(this.#rowAt(unnamed, FIRST), this.#rowAt(earliest, FIRST)) < 0 ? unnamed : earliest
    const cell = (entry: number, column: number) => entries.get(entry, column)
    const one = new NumberRows(WIDTH, Int32Array)
    addEntry(one, [
      cell(earliest, MESSAGE),
      cell(earliest, REQUEST),
      cell(kept, KEPT),
      cell(kept, KEPT + 1),
      cell(first, FIRST),
      cell(first, FIRST + 1),
      cell(earliest, ROWS) + cell(unnamed, ROWS),
      cell(earliest, FILE),
      -1,
    ])
    const files = new Set([...this.#filesAt(earliest), ...this.#filesAt(unnamed)]).size
    return new Counted({ ...this.#count, entries: one, filesOf: () => files }, 0)
  }

  #entriesFrom(head: number): readonly number[] {
    const all: number[] = []
    for (let entry = head; entry !== -1; entry = this.#count.entries.get(entry, NEXT)) all.push(entry)
    return all
  }

  #filesAt(entry: number): ReadonlySet<number> {
    return this.#spread.get(entry) ?? new Set([this.#count.entries.get(entry, FILE)])
  }

  #tableOf(part: number): UsageTable {
    return (this.#count.parts[part] as Part<T>).table
  }

  #rowAt(entry: number, column: number): TableRow {
    const { entries } = this.#count
    return { table: this.#tableOf(entries.get(entry, column)), row: entries.get(entry, column + 1) }
  }
}

interface TableRow {
  readonly table: UsageTable
  readonly row: number
}

interface Spot {
  readonly part: number
  readonly row: number
  readonly weight: number
  readonly file: number
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

/** The row that counts comes first: the most output, then one that says it is final, then the earliest. */
function compareKept(a: TableRow, b: TableRow): number {
  const [one, other] = [a.table.view(a.row), b.table.view(b.row)]
  return (
    other.outputTokens - one.outputTokens ||
    Number(one.isPlaceholder) - Number(other.isPlaceholder) ||
    compareRows(a, b)
  )
}

function compareRows(a: TableRow, b: TableRow): number {
  const [one, other] = [a.table.plainTimeAt(a.row), b.table.plainTimeAt(b.row)]
  // Times as the client writes them are ordered as their texts are.
  const isPlain = one !== undefined && other !== undefined
  const time = isPlain ? one - other : compareTexts(a.table.timestampAt(a.row), b.table.timestampAt(b.row))
  return time || comparePlaces(a.table.view(a.row), b.table.view(b.row))
}

/** The same of rows that stand for themselves. */
function compareViews(a: UsageRow, b: UsageRow): number {
  return compareTexts(a.timestamp, b.timestamp) || comparePlaces(a, b)
}

function compareTexts(a: string, b: string): number {
  return compare(a || LATEST, b || LATEST)
}

function comparePlaces(a: UsageRow, b: UsageRow): number {
  return Number(a.isFork) - Number(b.isFork) || compare(a.place.file, b.place.file) || a.place.offset - b.place.offset
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
