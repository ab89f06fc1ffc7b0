/** Gives one object for all that are alike, as far as they come near each other: rows of a log differ in few things. */
export class Alikes<T> {
  readonly #recent: T[] = []
  readonly #isAlike: (one: T, other: T) => boolean

  constructor(isAlike: (one: T, other: T) => boolean) {
    this.#isAlike = isAlike
  }

  of(made: T): T {
    for (const one of this.#recent) if (this.#isAlike(one, made)) return one
    // They are looked through for every row: of a log that has many, a few stay.
    if (this.#recent.length === MOST) this.#recent.length = 0
    this.#recent.push(made)
    return made
  }
}

const MOST = 32
