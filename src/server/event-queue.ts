/** A reader that falls this far behind has gone, or should begin anew. */
const MOST_UNREAD = 1000

/** What waits to be sent to one reader. */
export class EventQueue {
  #waiting: string[] = []
  #isClosed = false
  #wake = () => {}

  push(text: string): void {
    if (this.#waiting.length >= MOST_UNREAD) this.#isClosed = true
    else this.#waiting.push(text)
    this.#wake()
  }

  close(): void {
    this.#isClosed = true
    this.#wake()
  }

  /** All of it as bytes, as fast as the reader takes them. */
  stream(cancel: () => void): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder()
    return new ReadableStream({
      pull: async (controller) => {
        const text = await this.#next()
        if (text === undefined) controller.close()
        else controller.enqueue(encoder.encode(text))
      },
      cancel,
    })
  }

  /** The next text, when there is one; `undefined` at the end. */
  async #next(): Promise<string | undefined> {
    while (this.#waiting.length === 0 && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    // All that waits goes in one piece.
    return this.#waiting.length > 0 ? this.#waiting.splice(0).join('') : undefined
  }
}
