/**
 * Who works when: what is for one machine goes in its order, beside what is for others; what is for all of them waits until nothing
 * else is under way, and the rest waits for it.
 */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()
  #all: Promise<unknown> = Promise.resolve()

  /** Work for one machine. */
  async one<T>(machine: string, work: () => Promise<T>): Promise<T> {
    const done = Promise.all([this.#all, this.#last.get(machine)]).then(work)
    const settled = done.catch(() => {})
    this.#last.set(machine, settled)
    try {
      return await done
    } finally {
      if (this.#last.get(machine) === settled) this.#last.delete(machine)
    }
  }

  /** Work that touches what others work at. */
  all<T>(work: () => Promise<T>): Promise<T> {
    const done = Promise.all([this.#all, ...this.#last.values()]).then(work)
    this.#all = done.catch(() => {})
    return done
  }
}
