/**
 * What requests hold of memory while they are read and delivered. Beyond the limit nobody else is let in; whoever is alone may
 * always go on, so that a batch that is larger than the limit is not refused for ever.
 */
export class HeldMemory {
  readonly #most: number
  #held = 0
  #owners = 0

  constructor(most: number) {
    this.#most = most
  }

  get bytes(): number {
    return this.#held
  }

  /** The share of one request. */
  share(): MemoryShare {
    let own = 0
    this.#owners += 1
    return {
      take: (bytes) => {
        if (this.#held + bytes > this.#most && this.#owners > 1) return false
        own += bytes
        this.#held += bytes
        return true
      },
      release: () => {
        this.#held -= own
        this.#owners -= 1
        own = 0
      },
    }
  }
}

export interface MemoryShare {
  /** Whether there is room for more bytes; if so they are held. */
  take(bytes: number): boolean
  /** Gives all of it back; once. */
  release(): void
}
