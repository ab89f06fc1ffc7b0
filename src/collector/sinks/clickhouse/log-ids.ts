/** A log by the number that the store has for it. */
export interface NumberedLog {
  readonly id: number
  readonly machine: string
  readonly file: string
}

/** An index numbers logs and the records in them together: more than this do not fit into one number. */
const MOST = 2 ** 28

/** Small numbers for logs, in place of those of the store: the same ones as long as no two fall together. */
export class LogIds {
  readonly #list: () => readonly NumberedLog[]
  readonly #small = new Map<number, number>()
  readonly #stored = new Map<number, number>()
  #isListed = false

  constructor(list: () => readonly NumberedLog[]) {
    this.#list = list
  }

  /** Numbers all logs anew, in the order given. */
  take(logs: readonly NumberedLog[]): void {
    this.#small.clear()
    this.#stored.clear()
    this.#isListed = true
    for (const { id } of logs) {
      let small = 1 + (id % MOST)
      while (this.#stored.has(small)) small = 1 + (small % MOST)
      this.#small.set(id, small)
      this.#stored.set(small, id)
    }
  }

  /** Of a log that came since the store was asked which there are, nothing is known. */
  numberOf(id: number): number | undefined {
    this.#known()
    return this.#small.get(id)
  }

  storedOf(numbers: readonly number[]): readonly number[] {
    this.#known()
    return numbers.flatMap((number) => this.#stored.get(number) ?? [])
  }

  #known(): void {
    if (!this.#isListed) this.take(this.#list())
  }
}
