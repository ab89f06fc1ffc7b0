import { grown } from './text-pool.ts'

/** Rows of numbers, all of one width, in one array that grows. */
export class NumberRows<A extends Int32Array | Float64Array> {
  readonly width: number
  #cells: A
  #length: number

  /** Takes over the array, with its cells as the first rows. */
  constructor(width: number, cells: A) {
    this.width = width
    this.#cells = cells
    this.#length = cells.length / width
  }

  get length(): number {
    return this.#length
  }

  get(row: number, column: number): number {
    return this.#cells[row * this.width + column] as number
  }

  /** Adds a row of zeros and gives its number. */
  add(): number {
    const row = this.#length++
    const end = this.#length * this.width
    if (end > this.#cells.length) {
      const larger = new (this.#cells.constructor as new (length: number) => A)(grown(this.#length) * this.width)
      larger.set(this.#cells)
      this.#cells = larger
    }
    return row
  }

  set(row: number, column: number, value: number): void {
    this.#cells[row * this.width + column] = value
  }

  /** A copy of what it holds. */
  cells(): A {
    return this.#cells.slice(0, this.#length * this.width) as A
  }
}
