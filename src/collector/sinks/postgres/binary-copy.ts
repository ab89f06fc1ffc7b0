/** Milliseconds and days of 2000-01-01, from which PostgreSQL counts. */
const EPOCH_MS = Date.UTC(2000, 0, 1)
const DAY_MS = 86_400_000
const HEADER = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])
const CHUNK_BYTES = 64 * 1024

/**
 * Writes rows in the binary format of COPY: bytes as they are, no escapes, nothing to parse. Texts lose what PostgreSQL
 * cannot hold: NUL and lone surrogates become U+FFFD.
 */
export class CopyWriter {
  readonly #chunks: Buffer[] = []
  #buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  #at = HEADER.copy(this.#buffer)

  /** Begins a row of so many columns. */
  row(columns: number): void {
    this.#at = this.#room(2).writeInt16BE(columns, this.#at)
  }

  text(value: string | null): void {
    if (value === null) {
      this.#null()
      return
    }
    const clean = cleanText(value)
    // No UTF-16 unit takes more than three bytes.
    const buffer = this.#room(4 + clean.length * 3)
    const length = buffer.write(clean, this.#at + 4)
    buffer.writeInt32BE(length, this.#at)
    this.#at += 4 + length
  }

  bytes(value: Uint8Array | null): void {
    if (value === null) {
      this.#null()
      return
    }
    const buffer = this.#room(4 + value.length)
    this.#at = buffer.writeInt32BE(value.length, this.#at)
    buffer.set(value, this.#at)
    this.#at += value.length
  }

  integer(value: number): void {
    const buffer = this.#room(8)
    this.#at = buffer.writeInt32BE(4, this.#at)
    this.#at = buffer.writeInt32BE(value, this.#at)
  }

  bigint(value: number | null): void {
    if (value === null) {
      this.#null()
      return
    }
    const buffer = this.#room(12)
    this.#at = buffer.writeInt32BE(8, this.#at)
    this.#at = buffer.writeBigInt64BE(BigInt(value), this.#at)
  }

  boolean(value: boolean | null): void {
    if (value === null) {
      this.#null()
      return
    }
    const buffer = this.#room(5)
    this.#at = buffer.writeInt32BE(1, this.#at)
    this.#at = buffer.writeUInt8(value ? 1 : 0, this.#at)
  }

  /** A day, in milliseconds since 1970. */
  date(ms: number): void {
    this.integer((ms - EPOCH_MS) / DAY_MS)
  }

  /** A time, in milliseconds since 1970. */
  time(ms: number | null): void {
    this.bigint(ms === null ? null : (ms - EPOCH_MS) * 1000)
  }

  /** What is ready to be sent; the rest follows. */
  *take(): Generator<Buffer> {
    yield* this.#chunks.splice(0)
  }

  /** All that is left. */
  *finish(): Generator<Buffer> {
    this.#at = this.#room(2).writeInt16BE(-1, this.#at)
    yield* this.take()
    yield this.#buffer.subarray(0, this.#at)
  }

  #null(): void {
    this.#at = this.#room(4).writeInt32BE(-1, this.#at)
  }

  #room(bytes: number): Buffer {
    if (this.#at + bytes <= this.#buffer.length) return this.#buffer
    this.#chunks.push(this.#buffer.subarray(0, this.#at))
    this.#buffer = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, bytes))
    this.#at = 0
    return this.#buffer
  }
}

/** A text as PostgreSQL can hold it. Lone surrogates are replaced by whoever writes UTF-8. */
export function cleanText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text
}
