/**
 * The children of every row, in file order, in two arrays of numbers: a log may have a million rows, and a list for each of
 * them would take more memory than the log.
 */
export class Children {
  /** The first child of row `i` stands at `i + 1`, that of no row at all (-1) at 0. */
  readonly #first: Int32Array
  readonly #next: Int32Array

  /** `parentOf` gives -1 for rows under none, `undefined` for rows that do not take part. */
  constructor(count: number, parentOf: (row: number) => number | undefined) {
    this.#first = new Int32Array(count + 1).fill(-1)
    this.#next = new Int32Array(count).fill(-1)
    for (let row = count - 1; row >= 0; row--) {
      const parent = parentOf(row)
      if (parent === undefined) continue
      this.#next[row] = this.#first[parent + 1] as number
      this.#first[parent + 1] = row
    }
  }

  of(row: number): readonly number[] {
    let child = this.#first[row + 1] as number
    if (child === -1) return NONE
    const children: number[] = []
    for (; child !== -1; child = this.#next[child] as number) children.push(child)
    return children
  }

  /** All rows that take part, each after its parent, without recursion: chains are as long as logs are. -1 stands first. */
  topDown(): Int32Array {
    const order = new Int32Array(this.#next.length + 1)
    let length = 1
    order[0] = -1
    for (let i = 0; i < length; i++) {
      for (
        let child = this.#first[(order[i] as number) + 1] as number;
        child !== -1;
        child = this.#next[child] as number
      ) {
        order[length++] = child
      }
    }
    return order.subarray(0, length)
  }
}

const NONE: readonly number[] = []
