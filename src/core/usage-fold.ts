import { type Attributed, Counted, type Part, type Seen, type Settled, type Spot } from './counted-response.ts'
import { NumberRows } from './number-rows.ts'
import { TextPool } from './text-pool.ts'
import type { Response, UsageRow } from './usage.ts'
import { type UsageRows, UsageTable } from './usage-table.ts'

/**
 * Counts each response once, known by its message id, over all rows it is given. The order of giving does not matter. Two
 * different request ids under one message id are two responses. It holds numbers rather than rows: a log may have a million.
 */
export class UsageFold<T = undefined> {
  /** Message and request ids. */
  readonly #pool: TextPool
  readonly #parts: Part<T>[] = []
  readonly #files = new Map<string, number>()
  /** One for each request of each message. */
  readonly #entries = new NumberRows(WIDTH, Int32Array)
  /** The newest entry of each message, by the number of its id, counted from 1; the others stand behind it. */
  #heads = new Int32Array(64)
  /** The files of the entries that stand in several. */
  readonly #spread = new Map<number, Set<number>>()
  /** Parts of rows that were added one by one, by file. */
  readonly #loose = new Map<string, number>()

  /** With the pool of a table that will be added, its ids need not be kept twice. */
  constructor(pool: TextPool = new TextPool()) {
    this.#pool = pool
  }

  /** Adds a single row. */
  add(row: UsageRow, owner?: T): void {
    const { file } = row.place
    const known = this.#loose.get(file)
    const part = known ?? this.#addPart(new UsageTable(file), owner as T)
    this.#loose.set(file, part)
    const { table } = this.#parts[part] as Part<T>
    this.#addSpot({ part, row: table.add(row) })
  }

  /** Adds the rows of a table, or some of them, for an owner. */
  addRows({ table, rows }: UsageRows, owner: T): void {
    const part = this.#addPart(table, owner)
    if (rows) for (const row of rows) this.#addSpot({ part, row })
    else for (let row = 0; row < table.length; row++) this.#addSpot({ part, row })
  }

  /** The responses by time, as plain objects. */
  responses(): Response[] {
    const all = [...this.#settled()].sort((a, b) => this.#compareRows(a.first, b.first))
    return all.map((seen) => {
      const [kept, first] = [this.#tableOf(seen.kept), this.#tableOf(seen.first)]
      return { ...this.#countsOf(seen), kept: kept.at(seen.kept.row), first: first.at(seen.first.row) }
    })
  }

  /** The responses in no order; their rows read their tables when they are asked. */
  *each(): Iterable<Attributed<T>> {
    for (const seen of this.#settled()) yield this.#attributed(seen)
  }

  /** The responses of one message: mostly one. */
  *of(messageId: string): Iterable<Attributed<T>> {
    const message = this.#pool.find(messageId)
    const head = (this.#heads[message] ?? 0) - 1
    if (head === -1) return
    for (const seen of this.#joined(head)) yield this.#attributed({ ...seen, message })
  }

  /** The messages that there are responses of. */
  *messageIds(): Iterable<string> {
    for (let entry = 0; entry < this.#entries.length; entry++) {
      if (this.#get(entry, NEXT) === -1) yield this.#pool.textOf(this.#get(entry, MESSAGE))
    }
  }

  /** The files that a message stands in. */
  filesOf(messageId: string): readonly string[] {
    const names = [...this.#files.keys()]
    const found = new Set<string>()
    for (let entry = (this.#heads[this.#pool.find(messageId)] ?? 0) - 1; entry !== -1; entry = this.#get(entry, NEXT)) {
      for (const file of this.#filesAt(entry)) found.add(names[file] as string)
    }
    return [...found]
  }

  /** Of each request the rows that can decide: the one that counts and the earliest, which are mostly the same. */
  *decisive(): Iterable<{ readonly table: UsageTable; readonly row: number; readonly weight: number }> {
    for (let entry = 0; entry < this.#entries.length; entry++) {
      const { kept, first, rows } = this.#seenAt(entry)
      const isOne = kept.part === first.part && kept.row === first.row
      yield { table: this.#tableOf(first), row: first.row, weight: isOne ? rows : rows - 1 }
      if (!isOne) yield { table: this.#tableOf(kept), row: kept.row, weight: 1 }
    }
  }

  #addPart(table: UsageTable, owner: T): number {
    const file = this.#files.get(table.file) ?? this.#files.size
    this.#files.set(table.file, file)
    return this.#parts.push({ table, file, owner }) - 1
  }

  #addSpot(spot: Spot): void {
    const { table, file } = this.#parts[spot.part] as Part<T>
    const view = table.view(spot.row)
    const isOurs = table.pool === this.#pool
    const message = isOurs ? table.messageAt(spot.row) : this.#pool.idOf(view.messageId)
    const request = this.#pool.idOf(view.requestId)
    if (message >= this.#heads.length) this.#heads = grown(this.#heads, message)
    const head = (this.#heads[message] as number) - 1
    const weight = table.weightAt(spot.row)
    for (let entry = head; entry !== -1; entry = this.#get(entry, NEXT)) {
      if (this.#get(entry, REQUEST) !== request) continue
      this.#merge(entry, spot, weight, file)
      return
    }
    const entry = this.#entries.add()
    this.#put(entry, KEPT, spot)
    this.#put(entry, FIRST, spot)
    this.#entries.set(entry, MESSAGE, message)
    this.#entries.set(entry, REQUEST, request)
    this.#entries.set(entry, ROWS, weight)
    this.#entries.set(entry, FILE, file)
    this.#entries.set(entry, NEXT, head)
    this.#heads[message] = entry + 1
  }

  #merge(entry: number, spot: Spot, weight: number, file: number): void {
    if (this.#compareKept(spot, this.#spotAt(entry, KEPT)) < 0) this.#put(entry, KEPT, spot)
    if (this.#compareRows(spot, this.#spotAt(entry, FIRST)) < 0) this.#put(entry, FIRST, spot)
    this.#entries.set(entry, ROWS, this.#get(entry, ROWS) + weight)
    const known = this.#get(entry, FILE)
    if (known === file) return
    const files = this.#spread.get(entry) ?? new Set([known])
    this.#spread.set(entry, files.add(file))
  }

  /** Every response once. Rows without a request id belong to the earliest request of their message: copies drop the id. */
  *#settled(): Iterable<Settled> {
    for (let entry = 0; entry < this.#entries.length; entry++) {
      const message = this.#get(entry, MESSAGE)
      // The newest entry of a message speaks for all that stand behind it.
      if (this.#heads[message] !== entry + 1) continue
      if (this.#get(entry, NEXT) === -1) yield { ...this.#seenAt(entry), message }
      else for (const seen of this.#joined(entry)) yield { ...seen, message }
    }
  }

  #joined(head: number): readonly Seen[] {
    const entries: number[] = []
    for (let entry = head; entry !== -1; entry = this.#get(entry, NEXT)) entries.push(entry)
    const all = entries.map((entry) => ({ ...this.#seenAt(entry), entry }))
    const none = this.#pool.find('')
    const unnamed = all.find(({ request }) => request === none)
    const named = all.filter((seen) => seen !== unnamed).sort((a, b) => this.#compareRows(a.first, b.first))
    const [earliest, ...others] = named
    if (!unnamed || !earliest) return named
    const joined: Seen = {
      request: earliest.request,
      kept: this.#compareKept(unnamed.kept, earliest.kept) < 0 ? unnamed.kept : earliest.kept,
      first: this.#compareRows(unnamed.first, earliest.first) < 0 ? unnamed.first : earliest.first,
      rows: earliest.rows + unnamed.rows,
      files: new Set([...this.#filesAt(earliest.entry), ...this.#filesAt(unnamed.entry)]).size,
    }
    return [joined, ...others]
  }

  #seenAt(entry: number): Seen {
    return {
      request: this.#get(entry, REQUEST),
      kept: this.#spotAt(entry, KEPT),
      first: this.#spotAt(entry, FIRST),
      rows: this.#get(entry, ROWS),
      files: this.#spread.get(entry)?.size ?? 1,
    }
  }

  #filesAt(entry: number): ReadonlySet<number> {
    return this.#spread.get(entry) ?? new Set([this.#get(entry, FILE)])
  }

  #attributed(seen: Settled): Attributed<T> {
    return new Counted(this.#pool, this.#parts, seen)
  }

  #countsOf({ message, request, rows, files }: Settled) {
    return { messageId: this.#pool.textOf(message), requestId: this.#pool.textOf(request) || null, rows, files }
  }

  #get(entry: number, column: number): number {
    return this.#entries.get(entry, column)
  }

  #spotAt(entry: number, column: number): Spot {
    return { part: this.#get(entry, column), row: this.#get(entry, column + 1) }
  }

  #put(entry: number, column: number, { part, row }: Spot): void {
    this.#entries.set(entry, column, part)
    this.#entries.set(entry, column + 1, row)
  }

  #tableOf({ part }: Spot): UsageTable {
    return (this.#parts[part] as Part<T>).table
  }

  /** The row that counts comes first: the most output, then one that says it is final, then the earliest. */
  #compareKept(a: Spot, b: Spot): number {
    const [one, other] = [this.#tableOf(a).view(a.row), this.#tableOf(b).view(b.row)]
    return (
      other.outputTokens - one.outputTokens ||
      Number(one.isPlaceholder) - Number(other.isPlaceholder) ||
      this.#compareRows(a, b)
    )
  }

  #compareRows(a: Spot, b: Spot): number {
    const [tableA, tableB] = [this.#tableOf(a), this.#tableOf(b)]
    return compareTimes(tableA, a.row, tableB, b.row) || comparePlaces(tableA.view(a.row), tableB.view(b.row))
  }
}

const MESSAGE = 0
const REQUEST = 1
const KEPT = 2
const FIRST = 4
const ROWS = 6
const FILE = 7
const NEXT = 8
const WIDTH = 9

function compareTimes(tableA: UsageTable, rowA: number, tableB: UsageTable, rowB: number): number {
  const [a, b] = [tableA.plainTimeAt(rowA), tableB.plainTimeAt(rowB)]
  // Times as the client writes them are ordered as their texts are.
  if (a !== undefined && b !== undefined) return a - b
  return compare(tableA.timestampAt(rowA) || LATEST, tableB.timestampAt(rowB) || LATEST)
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
