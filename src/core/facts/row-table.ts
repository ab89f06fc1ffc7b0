/** The rows of a log's tree, by columns: what titles, continuations and forks need of each. */
export interface RowTable {
  /** Of their uuids (`row-key`). */
  readonly keys: Float64Array
  readonly offsets: Float64Array
  /** In milliseconds, NaN for none. */
  readonly times: Float64Array
  /** How long was worked up to them, in milliseconds. */
  readonly spent: Float64Array
  /** `ACTIVE` and `OWN`. */
  readonly flags: Float64Array
}

/** On no branch that was left. */
export const ACTIVE = 1
/** Neither a copy nor an agent's. */
export const OWN = 2

const COLUMNS = 5
const NEAR = 32

/** Gathers the rows of a log, column by column, so that one can be searched at once. */
export class RowTableFold {
  #room = 64
  #cells = new Float64Array(this.#room * COLUMNS)
  #rows = 0
  /** The offsets of rows by their keys, as far as somebody asked. */
  readonly #offsets = new Map<number, number>()
  #known = 0

  add(key: number, offset: number, time: number, spent: number, flags: number): void {
    if (this.#rows === this.#room) this.#grow()
    const cells = this.#cells
    const room = this.#room
    const row = this.#rows++
    cells[row] = key
    cells[row + room] = offset
    cells[row + 2 * room] = time
    cells[row + 3 * room] = spent
    cells[row + 4 * room] = flags
  }

  /** Where a row stands. Whoever asks means one of the last, nearly always. */
  offsetOf(key: number): number | undefined {
    const cells = this.#cells
    for (let row = this.#rows - 1; row >= 0 && row >= this.#rows - NEAR; row--) {
      if (cells[row] === key) return cells[row + this.#room]
    }
    for (; this.#known < this.#rows; this.#known++)
      this.#offsets.set(cells[this.#known] as number, cells[this.#known + this.#room] as number)
    return this.#offsets.get(key)
  }

  /** Whether two rows have the same key. */
  get hasTwins(): boolean {
    const keys = this.#cells.slice(0, this.#rows).sort()
    for (let i = 1; i < keys.length; i++) if (keys[i] === keys[i - 1]) return true
    return false
  }

  packed(): Float64Array<ArrayBuffer> {
    return this.#laidOut(this.#rows)
  }

  #grow(): void {
    this.#cells = this.#laidOut(2 * this.#room)
    this.#room *= 2
  }

  /** The columns with room for so many rows each. */
  #laidOut(room: number): Float64Array<ArrayBuffer> {
    const cells = new Float64Array(room * COLUMNS)
    for (let column = 0; column < COLUMNS; column++) {
      const from = column * this.#room
      cells.set(this.#cells.subarray(from, from + this.#rows), column * room)
    }
    return cells
  }
}

/** Rows that were packed, as they were kept. */
export function unpackRows(bytes: Uint8Array): RowTable {
  const whole = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice()
  const cells = new Float64Array(whole.buffer, whole.byteOffset, whole.byteLength / 8)
  const rows = cells.length / COLUMNS
  const column = (i: number) => cells.subarray(i * rows, (i + 1) * rows)
  return { keys: column(0), offsets: column(1), times: column(2), spent: column(3), flags: column(4) }
}
