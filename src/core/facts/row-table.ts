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

/** Gathers the rows of a log. */
export class RowTableFold {
  #cells = new Float64Array(64 * COLUMNS)
  #rows = 0

  add(key: number, offset: number, time: number, spent: number, flags: number): void {
    if (this.#rows * COLUMNS === this.#cells.length) {
      const larger = new Float64Array(2 * this.#cells.length)
      larger.set(this.#cells)
      this.#cells = larger
    }
    const cells = this.#cells
    let at = this.#rows * COLUMNS
    cells[at++] = key
    cells[at++] = offset
    cells[at++] = time
    cells[at++] = spent
    cells[at] = flags
    this.#rows += 1
  }

  /** All of them, column by column, so that one can be searched at once. */
  packed(): Float64Array<ArrayBuffer> {
    const rows = this.#rows
    const packed = new Float64Array(rows * COLUMNS)
    for (let column = 0; column < COLUMNS; column++) {
      for (let row = 0; row < rows; row++) packed[column * rows + row] = this.#cells[row * COLUMNS + column] as number
    }
    return packed
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
