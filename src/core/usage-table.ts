import { type LogEvidence, NO_EVIDENCE, type RowEvidence, sessionByPlace } from './evidence.ts'
import { NumberRows } from './number-rows.ts'
import type { Holding } from './owner.ts'
import { TextPool } from './text-pool.ts'
import { plainTime } from './time.ts'
import { TOKEN_KEYS, type UsageRow } from './usage.ts'

/** The usage rows of one log, kept as numbers and shared texts. */
export class UsageTable implements Iterable<UsageRow> {
  /** The log they stand in. */
  readonly file: string
  readonly pool: TextPool
  readonly #numbers: NumberRows<Int32Array>
  readonly #amounts: NumberRows<Float64Array>
  readonly #words = new Map<number, string>()
  #log: LogEvidence

  /** `pool` keeps the texts: one of its own, or that of the rows of the tree that they stand on. */
  constructor(file: string, pool: TextPool = new TextPool(), cells?: UsageCells) {
    this.file = file
    this.pool = pool
    this.#numbers = new NumberRows(NUMBERS, Int32Array, cells?.numbers)
    this.#amounts = new NumberRows(AMOUNTS, Float64Array, cells?.amounts)
    this.#log = cells?.log ?? NO_EVIDENCE
  }

  get length(): number {
    return this.#numbers.length
  }

  /** What the whole log tells of who made its responses. */
  get log(): LogEvidence {
    return this.#log
  }

  /** Says what the whole log tells, when all of it was added. */
  describe(log: LogEvidence): void {
    this.#log = log
  }

  /**
   * Adds a row; `node` is the row of the tree that it stands on, `evidence` what the log had told up to it. Gives its number.
   */
  add(usage: UsageRow, { node = -1, evidence }: RowContext = {}): number {
    const row = this.#numbers.add()
    this.#amounts.add()
    const set = (column: number, value: number) => this.#numbers.set(row, column, value)
    const textId = (text: string | null) => (text === null ? -1 : this.pool.idOf(text))
    set(NODE, node)
    set(WEIGHT, 1)
    set(MESSAGE, this.pool.idOf(usage.messageId))
    set(REQUEST, this.pool.idOf(usage.requestId))
    set(MODEL, this.pool.idOf(usage.model))
    set(GEO, textId(usage.geo))
    set(SPEED, textId(usage.speed))
    set(LINE, usage.place.line)
    set(LENGTH, usage.place.length)
    const { isFork, isPlaceholder, isSidechain } = usage
    const known = (isFork ? IS_FORK : 0) | (isPlaceholder ? IS_PLACEHOLDER : 0) | (isSidechain ? IS_SIDECHAIN : 0)
    set(FLAGS, known | (evidence?.isMadeHere ? IS_MADE_HERE : 0))
    set(SESSION, textId(evidence?.sessionId ?? null))
    const ms = plainTime(usage.timestamp)
    this.#amounts.set(row, WRITTEN, evidence?.writtenAt ?? (Date.parse(usage.timestamp) || Number.MAX_SAFE_INTEGER))
    set(ODD_TIME, ms === undefined ? this.pool.idOf(usage.timestamp) : -1)
    this.#amounts.set(row, TIME, ms ?? 0)
    this.#amounts.set(row, OFFSET, usage.place.offset)
    TOKEN_KEYS.forEach((key, i) => {
      this.#amounts.set(row, TOKENS + i, usage[key])
    })
    return row
  }

  /** A row as a plain object. */
  at(row: number): UsageRow {
    const view = new Row(this, row)
    // Named one by one: building them from keys costs ten times as much.
    return {
      inputTokens: view.inputTokens,
      outputTokens: view.outputTokens,
      cacheReadTokens: view.cacheReadTokens,
      cacheWrite5mTokens: view.cacheWrite5mTokens,
      cacheWrite1hTokens: view.cacheWrite1hTokens,
      webSearches: view.webSearches,
      messageId: view.messageId,
      requestId: view.requestId,
      model: view.model,
      timestamp: view.timestamp,
      place: view.place,
      isFork: view.isFork,
      isSidechain: view.isSidechain,
      geo: view.geo,
      speed: view.speed,
      isPlaceholder: view.isPlaceholder,
    }
  }

  /** What a row tells of whether its response was made in this log. */
  holdingAt(row: number): Holding {
    const flags = this.#numbers.get(row, FLAGS)
    const sessionId = this.wordAt(row, SESSION)
    const { sessionId: own, endedAt, head } = this.#log
    return {
      isMarked: (flags & IS_FORK) !== 0 || (sessionId !== null && own !== null && sessionId !== own),
      isMadeHere: (flags & IS_MADE_HERE) !== 0,
      writtenAt: this.#amounts.get(row, WRITTEN),
      isNamed: sessionId !== null && sessionId === sessionByPlace(this.file),
      log: { endedAt: endedAt === '' ? 0 : Date.parse(endedAt), head, path: this.file },
    }
  }

  /** A row that reads the table when it is asked: for sums over many, of which each asks for little. */
  view(row: number): UsageRow {
    return new Row(this, row)
  }

  *[Symbol.iterator](): Iterator<UsageRow> {
    for (let row = 0; row < this.length; row++) yield this.at(row)
  }

  /** The rows that stand on some rows of the tree. */
  on(isWanted: (node: number) => boolean): UsageRows {
    return this.#where((row) => isWanted(this.#numbers.get(row, NODE)))
  }

  /** Those of sidechains inside the log, or all others. */
  ofSidechains(isSidechain: boolean): UsageRows {
    const flag = isSidechain ? IS_SIDECHAIN : 0
    return this.#where((row) => (this.#numbers.get(row, FLAGS) & IS_SIDECHAIN) === flag)
  }

  #where(isWanted: (row: number) => boolean): UsageRows {
    const { length } = this
    function* found(): Iterator<number> {
      for (let row = 0; row < length; row++) if (isWanted(row)) yield row
    }
    return { table: this, rows: { [Symbol.iterator]: found } }
  }

  /** The numbers of the rows of each message, by the number of its id in the pool. Made once; a turn asks for its own. */
  byMessage(): (message: number) => Iterable<number> {
    const first = new Int32Array(this.pool.size).fill(-1)
    const next = new Int32Array(this.length)
    for (let row = this.length - 1; row >= 0; row--) {
      const message = this.messageAt(row)
      next[row] = first[message] as number
      first[message] = row
    }
    return function* (message) {
      for (let row = first[message] ?? -1; row !== -1; row = next[row] as number) yield row
    }
  }

  /** The number of a row's message in the pool. */
  messageAt(row: number): number {
    return this.#numbers.get(row, MESSAGE)
  }

  /** The number of a row's request in the pool. */
  requestAt(row: number): number {
    return this.#numbers.get(row, REQUEST)
  }

  /** For how many rows a row stands. */
  weightAt(row: number): number {
    return this.#numbers.get(row, WEIGHT)
  }

  /** The time as the client writes it, in milliseconds; `undefined` where it is written otherwise, or not at all. */
  plainTimeAt(row: number): number | undefined {
    return this.#numbers.get(row, ODD_TIME) === -1 ? this.#amounts.get(row, TIME) : undefined
  }

  timestampAt(row: number): string {
    const odd = this.#numbers.get(row, ODD_TIME)
    return odd === -1 ? new Date(this.#amounts.get(row, TIME)).toISOString() : this.pool.textOf(odd)
  }

  numberAt(row: number, column: number): number {
    return this.#numbers.get(row, column)
  }

  amountAt(row: number, column: number): number {
    return this.#amounts.get(row, column)
  }

  /** Words that most rows share are handed out as one string. */
  wordAt(row: number, column: number): string | null {
    const id = this.#numbers.get(row, column)
    if (id === -1) return null
    const known = this.#words.get(id) ?? this.pool.textOf(id)
    this.#words.set(id, known)
    return known
  }

  /** What it holds as plain arrays, to be kept and given to the constructor again. */
  cells(): UsageCells {
    return { numbers: this.#numbers.cells(), amounts: this.#amounts.cells(), log: this.#log }
  }
}

/** Where a row stands. */
export interface RowContext {
  readonly node?: number
  readonly evidence?: RowEvidence
}

/** All rows of a table, or some of them by their numbers. */
export interface UsageRows {
  readonly table: UsageTable
  readonly rows?: Iterable<number>
}

/** A table as plain arrays; its texts are the pool's. */
export interface UsageCells {
  readonly numbers: Int32Array
  readonly amounts: Float64Array
  readonly log: LogEvidence
}

export const NODE = 0
export const WEIGHT = 1
const MESSAGE = 2
const REQUEST = 3
const MODEL = 4
const GEO = 5
const SPEED = 6
const LINE = 7
const LENGTH = 8
const FLAGS = 9
const ODD_TIME = 10
const SESSION = 11
/** How many columns of whole numbers there are. */
export const NUMBERS = 12

const TIME = 0
const OFFSET = 1
const WRITTEN = 2
/** From here on in the order of TOKEN_KEYS. */
const TOKENS = 3
/** How many columns of amounts there are. */
export const AMOUNTS = TOKENS + TOKEN_KEYS.length

const IS_FORK = 1
const IS_PLACEHOLDER = 2
const IS_SIDECHAIN = 4
const IS_MADE_HERE = 8

class Row implements UsageRow {
  readonly #table: UsageTable
  readonly #row: number

  constructor(table: UsageTable, row: number) {
    this.#table = table
    this.#row = row
  }

  get inputTokens(): number {
    return this.#table.amountAt(this.#row, TOKENS)
  }
  get outputTokens(): number {
    return this.#table.amountAt(this.#row, TOKENS + 1)
  }
  get cacheReadTokens(): number {
    return this.#table.amountAt(this.#row, TOKENS + 2)
  }
  get cacheWrite5mTokens(): number {
    return this.#table.amountAt(this.#row, TOKENS + 3)
  }
  get cacheWrite1hTokens(): number {
    return this.#table.amountAt(this.#row, TOKENS + 4)
  }
  get webSearches(): number {
    return this.#table.amountAt(this.#row, TOKENS + 5)
  }
  get messageId(): string {
    return this.#table.pool.textOf(this.#table.messageAt(this.#row))
  }
  get requestId(): string {
    return this.#table.pool.textOf(this.#table.numberAt(this.#row, REQUEST))
  }
  get model(): string {
    return this.#table.wordAt(this.#row, MODEL) as string
  }
  get timestamp(): string {
    return this.#table.timestampAt(this.#row)
  }
  get place(): UsageRow['place'] {
    const [line, length] = [this.#table.numberAt(this.#row, LINE), this.#table.numberAt(this.#row, LENGTH)]
    return { file: this.#table.file, line, offset: this.#table.amountAt(this.#row, OFFSET), length }
  }
  get isFork(): boolean {
    return (this.#table.numberAt(this.#row, FLAGS) & IS_FORK) !== 0
  }
  get isSidechain(): boolean {
    return (this.#table.numberAt(this.#row, FLAGS) & IS_SIDECHAIN) !== 0
  }
  get geo(): string | null {
    return this.#table.wordAt(this.#row, GEO)
  }
  get speed(): string | null {
    return this.#table.wordAt(this.#row, SPEED)
  }
  get isPlaceholder(): boolean {
    return (this.#table.numberAt(this.#row, FLAGS) & IS_PLACEHOLDER) !== 0
  }
}
