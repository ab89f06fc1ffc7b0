import type { Sink } from '../sink.ts'

/** How long an answer of the store holds: whoever asks more often asks us, not it. */
const HOLDS_MS = 2_000
const MOST_MS = 5_000

/** Whether the store can be reached, asked as seldom as that can be told. */
export class Health {
  readonly #sink: Sink
  #asked: Promise<boolean> | undefined
  #askedAt = Number.NEGATIVE_INFINITY
  isUp = true

  constructor(sink: Sink) {
    this.#sink = sink
  }

  async ask(now: number): Promise<boolean> {
    if (!this.#asked || Math.abs(now - this.#askedAt) > HOLDS_MS) {
      this.#askedAt = now
      this.#asked = this.#look()
    }
    return this.#asked
  }

  async #look(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('The store does not answer.')), MOST_MS)
    })
    try {
      await Promise.race([this.#sink.check?.(), late])
      this.isUp = true
    } catch {
      this.isUp = false
    } finally {
      clearTimeout(timer)
    }
    return this.isUp
  }
}
