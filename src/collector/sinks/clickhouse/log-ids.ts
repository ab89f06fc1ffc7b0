/** An index numbers logs and the records in them together: more than this do not fit into one number. */
const MOST = 2 ** 28

/** Small numbers for logs, in place of those of the store: the same ones as long as no two fall together. */
export class LogIds {
  readonly #small = new Map<number, number>()
  readonly #stored = new Map<number, number>()

  /** Numbers all logs anew, in the order given. */
  take(logs: readonly number[]): void {
    this.#small.clear()
    this.#stored.clear()
    for (const id of logs) {
      let small = 1 + (id % MOST)
      while (this.#stored.has(small)) small = 1 + (small % MOST)
      this.#small.set(id, small)
      this.#stored.set(small, id)
    }
  }

  /** `undefined` for a log that came since the logs were listed. */
  numberOf(id: number): number | undefined {
    return this.#small.get(id)
  }

  storedOf(numbers: readonly number[]): readonly number[] {
    return numbers.flatMap((number) => this.#stored.get(number) ?? [])
  }
}
