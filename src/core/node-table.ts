import type { CompactionNote, Preserved, TreeNode } from './node.ts'
import { NumberRows } from './number-rows.ts'
import { type CommandRow, ROW_KINDS, type RowKind, TREE_TYPES, type TreeType } from './row-kind.ts'
import { type PoolParts, TextPool } from './text-pool.ts'
import { plainTime } from './time.ts'

/**
 * The rows of a log, kept as numbers and shared texts: some eighty bytes each where objects would take seven hundred. A row
 * is handed out as a `TreeNode` that reads the table; hold the row's index rather than many of those.
 */
export class NodeTable implements Iterable<TreeNode> {
  readonly pool: TextPool
  readonly #rows: NumberRows<Int32Array>
  /** Ids of calls made and answered, two numbers each; a row has those from its own start to that of the next row. */
  readonly #calls: NumberRows<Int32Array>
  /** What only few rows have. */
  readonly #extras: Map<number, Extras>

  constructor(parts?: NodeParts) {
    this.pool = parts ? TextPool.from(parts.pool) : new TextPool()
    this.#rows = new NumberRows(WIDTH, Int32Array, parts?.rows)
    this.#calls = new NumberRows(2, Int32Array, parts?.calls)
    this.#extras = new Map(parts?.extras)
  }

  get length(): number {
    return this.#rows.length
  }

  add(node: TreeNode): void {
    const row = this.#rows.add()
    const set = (column: number, value: number) => this.#rows.set(row, column, value)
    set(UUID, this.pool.idOf(node.uuid))
    set(PARENT, this.#idOf(node.parent))
    set(LOGICAL, this.#idOf(node.logicalParent))
    set(SUBTYPE, this.#idOf(node.subtype))
    set(MESSAGE, this.#idOf(node.messageId))
    set(MODEL, this.#idOf(node.model))
    set(AGENT, this.#idOf(node.agentId))
    set(PREVIEW, this.#idOf(node.preview))
    set(FORKED, this.#idOf(node.forkedFrom))
    set(LINE, node.line)
    set(LENGTH, node.length)
    set(OFFSET, node.offset % HALF)
    set(OFFSET + 1, Math.floor(node.offset / HALF))
    set(WHAT, TREE_TYPES.indexOf(node.type) | (ROW_KINDS.indexOf(node.kind) << 4) | (node.isSidechain ? SIDE : 0))
    this.#setTime(row, node.timestamp)
    set(CALLS, this.#calls.length)
    for (const { id, name } of node.toolUses) this.#addCall(id, this.pool.idOf(name))
    for (const { id, isError } of node.toolResults) this.#addCall(id, isError ? FAILED : ANSWERED)
    if (node.command || node.preserved || node.compaction) {
      const { command, preserved, compaction } = node
      this.#extras.set(row, { command, preserved, compaction })
    }
  }

  at(row: number): TreeNode | undefined {
    return row >= 0 && row < this.length ? new Row(this, row) : undefined
  }

  *[Symbol.iterator](): Iterator<TreeNode> {
    for (let row = 0; row < this.length; row++) yield new Row(this, row)
  }

  find(test: (node: TreeNode) => unknown): TreeNode | undefined {
    for (const node of this) if (test(node)) return node
    return undefined
  }

  findLast(test: (node: TreeNode) => boolean): TreeNode | undefined {
    for (let row = this.length - 1; row >= 0; row--) {
      const node = new Row(this, row)
      if (test(node)) return node
    }
    return undefined
  }

  some(test: (node: TreeNode) => unknown): boolean {
    return this.find(test) !== undefined
  }

  flatMap<T>(from: (node: TreeNode, row: number) => readonly T[] | T): T[] {
    const all: T[] = []
    let row = 0
    for (const node of this) {
      const found = from(node, row++)
      if (Array.isArray(found)) for (const one of found) all.push(one)
      else all.push(found as T)
    }
    return all
  }

  /** The rows as a table of their own. */
  pick(rows: Iterable<number>): NodeTable {
    const table = new NodeTable()
    for (const row of rows) table.add(new Row(this, row))
    return table
  }

  *uuids(): Iterable<string> {
    for (let row = 0; row < this.length; row++) yield this.textAt(row, UUID) as string
  }

  typeAt(row: number): TreeType {
    return TREE_TYPES[this.#rows.get(row, WHAT) & 15] as TreeType
  }

  kindAt(row: number): RowKind {
    return ROW_KINDS[(this.#rows.get(row, WHAT) >> 4) & 255] as RowKind
  }

  isSidechainAt(row: number): boolean {
    return (this.#rows.get(row, WHAT) & SIDE) !== 0
  }

  offsetAt(row: number): number {
    return this.#rows.get(row, OFFSET) + this.#rows.get(row, OFFSET + 1) * HALF
  }

  /** The number in the pool of one of a row's ids; -1 where it has none. */
  idAt(row: number, column: IdColumn): number {
    return this.#rows.get(row, column) - (column === UUID ? 0 : 1)
  }

  /** The calls a row makes or answers: numbers of their ids in the pool. */
  *callIdsAt(row: number): Iterable<number> {
    for (let i = this.#rows.get(row, CALLS); i < this.#callsEnd(row); i++) yield this.#calls.get(i, 0)
  }

  textAt(row: number, column: IdColumn): string | null {
    const id = this.idAt(row, column)
    return id === -1 ? null : this.pool.textOf(id)
  }

  numberAt(row: number, column: number): number {
    return this.#rows.get(row, column)
  }

  timeAt(row: number): string | null {
    const high = this.#rows.get(row, TIME + 1)
    const low = this.#rows.get(row, TIME)
    if (high === NO_TIME) return null
    return high === ODD_TIME ? this.pool.textOf(low) : new Date(low + high * HALF).toISOString()
  }

  /** The time of a row in milliseconds; `undefined` where it has none. */
  msAt(row: number): number | undefined {
    const high = this.#rows.get(row, TIME + 1)
    if (high >= 0) return this.#rows.get(row, TIME) + high * HALF
    const ms = Date.parse(this.timeAt(row) ?? '')
    return Number.isNaN(ms) ? undefined : ms
  }

  toolUsesAt(row: number): TreeNode['toolUses'] {
    if (this.typeAt(row) !== 'assistant') return []
    return this.#callsAt(row, (id, name) => ({ id, name: this.pool.textOf(name) }))
  }

  toolResultsAt(row: number): TreeNode['toolResults'] {
    if (this.typeAt(row) === 'assistant') return []
    return this.#callsAt(row, (id, outcome) => ({ id, isError: outcome === FAILED }))
  }

  extrasAt(row: number): Extras | undefined {
    return this.#extras.get(row)
  }

  /** What it holds as plain arrays, to be kept and given to the constructor again. */
  parts(): NodeParts {
    const [rows, calls] = [this.#rows.cells(), this.#calls.cells()]
    return { pool: this.pool.parts(), rows, calls, extras: [...this.#extras] }
  }

  /** Texts are numbered from 1 in the columns, so that 0 is none. */
  #idOf(text: string | null): number {
    return text === null ? 0 : this.pool.idOf(text) + 1
  }

  /** Times as the client writes them are kept as numbers, all others as they are. */
  #setTime(row: number, timestamp: string | null): void {
    const ms = timestamp === null ? undefined : plainTime(timestamp)
    const odd = timestamp === null ? 0 : ms === undefined ? this.pool.idOf(timestamp) : 0
    this.#rows.set(row, TIME, ms === undefined ? odd : ms % HALF)
    this.#rows.set(row, TIME + 1, ms !== undefined ? Math.floor(ms / HALF) : timestamp === null ? NO_TIME : ODD_TIME)
  }

  #addCall(id: string, what: number): void {
    const call = this.#calls.add()
    this.#calls.set(call, 0, this.pool.idOf(id))
    this.#calls.set(call, 1, what)
  }

  #callsEnd(row: number): number {
    return row + 1 < this.length ? this.#rows.get(row + 1, CALLS) : this.#calls.length
  }

  #callsAt<T>(row: number, toCall: (id: string, what: number) => T): readonly T[] {
    const calls: T[] = []
    for (let i = this.#rows.get(row, CALLS); i < this.#callsEnd(row); i++) {
      calls.push(toCall(this.pool.textOf(this.#calls.get(i, 0)), this.#calls.get(i, 1)))
    }
    return calls
  }
}

/** The rows of some nodes as a table. */
export function tableOf(nodes: Iterable<TreeNode>): NodeTable {
  const table = new NodeTable()
  for (const node of nodes) table.add(node)
  return table
}

/** A table as plain arrays. */
export interface NodeParts {
  readonly pool: PoolParts
  readonly rows: Int32Array
  readonly calls: Int32Array
  readonly extras: readonly (readonly [number, Extras])[]
}

interface Extras {
  readonly command: CommandRow | null
  readonly preserved: Preserved | null
  readonly compaction: CompactionNote | null
}

export const UUID = 0
export const PARENT = 1
export const LOGICAL = 2
export const MESSAGE = 3
const SUBTYPE = 4
export const MODEL = 5
const AGENT = 6
export const PREVIEW = 7
const FORKED = 8
const LINE = 9
const LENGTH = 10
const OFFSET = 11
const TIME = 13
const WHAT = 15
const CALLS = 16
const WIDTH = 17

type IdColumn = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8

/** Numbers beyond 31 bits stand in two columns. */
const HALF = 2 ** 31
const SIDE = 1 << 12
const NO_TIME = -1
const ODD_TIME = -2
const ANSWERED = 0
const FAILED = 1

/** A row of the table. */
class Row implements TreeNode {
  readonly #table: NodeTable
  readonly #row: number

  constructor(table: NodeTable, row: number) {
    this.#table = table
    this.#row = row
  }

  get uuid(): string {
    return this.#table.textAt(this.#row, UUID) as string
  }
  get parent(): string | null {
    return this.#table.textAt(this.#row, PARENT)
  }
  get logicalParent(): string | null {
    return this.#table.textAt(this.#row, LOGICAL)
  }
  get type(): TreeType {
    return this.#table.typeAt(this.#row)
  }
  get kind(): RowKind {
    return this.#table.kindAt(this.#row)
  }
  get subtype(): string | null {
    return this.#table.textAt(this.#row, SUBTYPE)
  }
  get isSidechain(): boolean {
    return this.#table.isSidechainAt(this.#row)
  }
  get timestamp(): string | null {
    return this.#table.timeAt(this.#row)
  }
  get line(): number {
    return this.#table.numberAt(this.#row, LINE)
  }
  get offset(): number {
    return this.#table.offsetAt(this.#row)
  }
  get length(): number {
    return this.#table.numberAt(this.#row, LENGTH)
  }
  get messageId(): string | null {
    return this.#table.textAt(this.#row, MESSAGE)
  }
  get model(): string | null {
    return this.#table.textAt(this.#row, MODEL)
  }
  get toolUses(): TreeNode['toolUses'] {
    return this.#table.toolUsesAt(this.#row)
  }
  get toolResults(): TreeNode['toolResults'] {
    return this.#table.toolResultsAt(this.#row)
  }
  get agentId(): string | null {
    return this.#table.textAt(this.#row, AGENT)
  }
  get preview(): string | null {
    return this.#table.textAt(this.#row, PREVIEW)
  }
  get command(): CommandRow | null {
    return this.#table.extrasAt(this.#row)?.command ?? null
  }
  get preserved(): Preserved | null {
    return this.#table.extrasAt(this.#row)?.preserved ?? null
  }
  get compaction(): CompactionNote | null {
    return this.#table.extrasAt(this.#row)?.compaction ?? null
  }
  get forkedFrom(): string | null {
    return this.#table.textAt(this.#row, FORKED)
  }
}
