/** Rows of numbers, all of one width, in pieces: a table that grows is never copied. */
export class NumberRows<A extends Int32Array | Float64Array> {
  readonly width: number
  readonly #make: (length: number) => A
  readonly #pieces: A[] = []
  #length = 0

  /** `cells` are the first rows. */
  constructor(width: number, make: (length: number) => A, cells?: A) {
    this.width = width
    this.#make = make
    if (!cells) return
    this.#length = cells.length / width
    for (let at = 0; at < cells.length; at += PIECE * width) {
      const piece = make(Math.min(PIECE * width, cells.length - at))
      piece.set(cells.subarray(at, at + piece.length))
      this.#pieces.push(piece)
    }
  }

  get length(): number {
    return this.#length
  }

  get(row: number, column: number): number {
    return (this.#pieces[row >> BITS] as A)[(row & MASK) * this.width + column] as number
  }

  /** Adds a row of zeros and gives its number. */
  add(): number {
    const row = this.#length++
    const needed = ((row & MASK) + 1) * this.width
    const piece = this.#pieces[row >> BITS]
    if (!piece) this.#pieces.push(this.#make(row === 0 ? FIRST * this.width : PIECE * this.width))
    else if (piece.length < needed) {
      const larger = this.#make(Math.min(PIECE * this.width, needed * 4))
      larger.set(piece)
      this.#pieces[row >> BITS] = larger
    }
    return row
  }

  set(row: number, column: number, value: number): void {
    ;(this.#pieces[row >> BITS] as A)[(row & MASK) * this.width + column] = value
  }

  /** A copy of what it holds. */
  cells(): A {
    const cells = this.#make(this.#length * this.width)
    this.#pieces.forEach((piece, i) => {
      const at = i * PIECE * this.width
      cells.set(piece.subarray(0, Math.min(piece.length, cells.length - at)), at)
    })
    return cells
  }
}

const BITS = 12
const PIECE = 1 << BITS
const MASK = PIECE - 1
/** Most logs are small. */
const FIRST = 4
