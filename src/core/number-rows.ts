import { roomFor, SLAB_BYTES } from './slab.ts'

/** Rows of numbers, all of one width, in pieces: a table that grows is never copied. */
export class NumberRows<A extends Int32Array | Float64Array> {
  readonly width: number
  readonly #Numbers: NumbersOf<A>
  readonly #pieces: A[] = []
  #length = 0
  /** Where the pieces of a huge table are cut from, and how far it is cut up. */
  #slab: ArrayBuffer | undefined
  #cut = 0

  /** `cells` are the first rows, taken as they are. */
  constructor(width: number, Numbers: NumbersOf<A>, cells?: A) {
    this.width = width
    this.#Numbers = Numbers
    if (!cells) return
    this.#length = cells.length / width
    for (let at = 0; at < cells.length; at += PIECE * width) {
      this.#pieces.push(cells.subarray(at, at + PIECE * width) as A)
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
    if (!piece) this.#pieces.push(row === 0 ? new this.#Numbers(FIRST * this.width) : this.#newPiece())
    else if (piece.length < needed) {
      const larger = new this.#Numbers(Math.min(PIECE * this.width, needed * 4))
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
    const cells = new this.#Numbers(this.#length * this.width)
    this.#pieces.forEach((piece, i) => {
      const at = i * PIECE * this.width
      cells.set(piece.subarray(0, cells.length - at), at)
    })
    return cells
  }

  #newPiece(): A {
    const length = PIECE * this.width
    if (this.#pieces.length < MANY) return new this.#Numbers(length)
    const bytes = length * this.#Numbers.BYTES_PER_ELEMENT
    if (!this.#slab || this.#cut + bytes > this.#slab.byteLength) {
      this.#slab = roomFor(SLAB_BYTES)
      this.#cut = 0
    }
    const piece = new this.#Numbers(this.#slab, this.#cut, length)
    this.#cut += bytes
    return piece
  }
}

const BITS = 12
const PIECE = 1 << BITS
const MASK = PIECE - 1
/** Most logs are small. */
const FIRST = 4
/** A table of so many pieces is huge. */
const MANY = 64

interface NumbersOf<A> {
  new (length: number): A
  new (buffer: ArrayBuffer, byteOffset: number, length: number): A
  readonly BYTES_PER_ELEMENT: number
}
