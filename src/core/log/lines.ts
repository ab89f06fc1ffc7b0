/** Lines longer than this are not held in memory: they are hashed as they pass and reported with their place. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024

/** A line of a log, without its newline. */
export interface Line {
  /** Valid until the next line is given; empty for a line that was too long to hold. */
  readonly bytes: Uint8Array
  /** Line number, counted from 1. */
  readonly line: number
  readonly offset: number
  readonly length: number
  /** False for the last line of a file that does not end with a newline. */
  readonly complete: boolean
  /** The hash of a line that was too long to hold. */
  readonly hash?: string
}

/** A hash that is fed piece by piece. `core` has none of its own: the caller passes one in. */
export interface RunningHash {
  update(bytes: Uint8Array): void
  digest(): string
}

export interface SplitOptions {
  /** Offset of the first byte that will be pushed. */
  readonly offset?: number
  /** How many lines precede it. */
  readonly line?: number
  readonly maxLineBytes?: number
  readonly hash?: () => RunningHash
}

/**
 * Splits bytes into lines with exact offsets, on byte 0x0A and nothing else. Any chunking gives the same lines. A line
 * inside one chunk is handed on without a copy; memory stays within one chunk and one line.
 */
export class LineSplitter {
  #offset: number
  #line: number
  /** The start of a line whose end has not come yet. */
  #held: Uint8Array = new Uint8Array(0)
  #heldLength = 0
  /** Set while a line too long to hold passes by. */
  #passing: { length: number; hash: RunningHash | undefined } | undefined
  readonly #max: number
  readonly #newHash: (() => RunningHash) | undefined

  constructor(options: SplitOptions = {}) {
    this.#offset = options.offset ?? 0
    this.#line = options.line ?? 0
    this.#max = options.maxLineBytes ?? MAX_LINE_BYTES
    this.#newHash = options.hash
  }

  /** Gives every line that ends in this chunk. */
  push(chunk: Uint8Array, onLine: (line: Line) => void): void {
    let from = 0
    while (from < chunk.length) {
      const newline = chunk.indexOf(0x0a, from)
      if (newline === -1) {
        this.#hold(chunk.subarray(from))
        return
      }
      this.#end(chunk.subarray(from, newline), true, onLine)
      from = newline + 1
    }
  }

  /** Gives the last line, if the file does not end with a newline. */
  finish(onLine: (line: Line) => void): void {
    if (this.#heldLength > 0 || this.#passing) this.#end(new Uint8Array(0), false, onLine)
  }

  #end(rest: Uint8Array, complete: boolean, onLine: (line: Line) => void): void {
    let bytes = rest
    let hash: string | undefined
    if (this.#heldLength > 0 || this.#passing || rest.length > this.#max) {
      this.#hold(rest)
      bytes = this.#held.subarray(0, this.#heldLength)
    }
    const length = this.#passing?.length ?? bytes.length
    if (this.#passing) hash = this.#passing.hash?.digest() ?? ''
    const line = { bytes, line: this.#line + 1, offset: this.#offset, length, complete }
    this.#line += 1
    this.#offset += length + 1
    this.#heldLength = 0
    this.#passing = undefined
    onLine(hash === undefined ? line : { ...line, hash })
    if (this.#held.length > KEEP_BYTES) this.#held = new Uint8Array(0)
  }

  #hold(bytes: Uint8Array): void {
    if (this.#passing) {
      this.#passing.length += bytes.length
      this.#passing.hash?.update(bytes)
      return
    }
    const length = this.#heldLength + bytes.length
    if (length > this.#max) {
      const hash = this.#newHash?.()
      hash?.update(this.#held.subarray(0, this.#heldLength))
      hash?.update(bytes)
      this.#passing = { length, hash }
      this.#heldLength = 0
      this.#held = new Uint8Array(0)
      return
    }
    if (length > this.#held.length) this.#grow(length)
    this.#held.set(bytes, this.#heldLength)
    this.#heldLength = length
  }

  #grow(length: number): void {
    const larger = new Uint8Array(Math.min(Math.max(length, 2 * this.#held.length, 4096), this.#max))
    larger.set(this.#held.subarray(0, this.#heldLength))
    this.#held = larger
  }
}

/** A buffer larger than this is let go after the line that needed it. */
const KEEP_BYTES = 4 * 1024 * 1024
