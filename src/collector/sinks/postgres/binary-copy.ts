/** Milliseconds and days of 2000-01-01, from which PostgreSQL counts. */
const EPOCH_MS = Date.UTC(2000, 0, 1)
const DAY_MS = 86_400_000
const HIGH = 2 ** 32
const TEXT_OID = 25
const HEADER = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])
const CHUNK_BYTES = 64 * 1024
/** Texts up to here are written unit by unit: the way into the engine and back takes longer. */
const SHORT = 64

/**
 * Writes rows in the binary format of COPY: bytes as they are, no escapes, nothing to parse. Texts lose what PostgreSQL
 * cannot hold: NUL and lone surrogates become U+FFFD. One buffer serves all: pieces of it are gone when more is written.
 */
export class CopyWriter {
  #buffer: Buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES + 64 * 1024)
  #view = viewOf(this.#buffer)
  #at = HEADER.copy(this.#buffer)

  /** Begins a row of so many columns. */
  row(columns: number): void {
    this.#room(2)
    this.#view.setInt16(this.#at, columns)
    this.#at += 2
  }

  text(value: string | null): void {
    if (value === null) {
      this.#null()
      return
    }
    // No UTF-16 unit takes more than three bytes.
    this.#room(4 + value.length * 3)
    const start = this.#at + 4
    const length = value.length <= SHORT ? writePlain(this.#buffer, value, start) : -1
    const written = length >= 0 ? length : this.#buffer.write(cleanText(value), start)
    this.#view.setInt32(this.#at, written)
    this.#at = start + written
  }

  bytes(value: Uint8Array | null): void {
    if (value === null) {
      this.#null()
      return
    }
    this.#room(4 + value.length)
    this.#view.setInt32(this.#at, value.length)
    this.#buffer.set(value, this.#at + 4)
    this.#at += 4 + value.length
  }

  integer(value: number): void {
    this.#room(8)
    this.#view.setInt32(this.#at, 4)
    this.#view.setInt32(this.#at + 4, value)
    this.#at += 8
  }

  bigint(value: number | null): void {
    if (value === null) {
      this.#null()
      return
    }
    this.#room(12)
    const high = Math.floor(value / HIGH)
    this.#view.setInt32(this.#at, 8)
    this.#view.setInt32(this.#at + 4, high)
    this.#view.setUint32(this.#at + 8, value - high * HIGH)
    this.#at += 12
  }

  boolean(value: boolean | null): void {
    if (value === null) {
      this.#null()
      return
    }
    this.#room(5)
    this.#view.setInt32(this.#at, 1)
    this.#view.setUint8(this.#at + 4, value ? 1 : 0)
    this.#at += 5
  }

  /** A day, in milliseconds since 1970. */
  date(ms: number): void {
    this.integer((ms - EPOCH_MS) / DAY_MS)
  }

  /** A time, in milliseconds since 1970. */
  time(ms: number | null): void {
    this.bigint(ms === null ? null : (ms - EPOCH_MS) * 1000)
  }

  /** A list of texts; nothing where it is empty. */
  texts(values: readonly (string | null)[]): void {
    if (values.length === 0) {
      this.#null()
      return
    }
    this.#room(24)
    const start = this.#at
    const head = [1, values.includes(null) ? 1 : 0, TEXT_OID, values.length, 1]
    for (const [at, value] of head.entries()) this.#view.setInt32(start + 4 + at * 4, value)
    this.#at = start + 24
    for (const value of values) this.text(value)
    this.#view.setInt32(start, this.#at - start - 4)
  }

  /** What was written, once it is worth sending. Good until more is written. */
  *take(): Generator<Buffer> {
    if (this.#at < CHUNK_BYTES) return
    yield this.#buffer.subarray(0, this.#at)
    this.#at = 0
  }

  /** All that is left. */
  *finish(): Generator<Buffer> {
    this.row(-1)
    yield this.#buffer.subarray(0, this.#at)
  }

  #null(): void {
    this.#room(4)
    this.#view.setInt32(this.#at, -1)
    this.#at += 4
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.#at + bytes))
    this.#buffer.copy(larger, 0, 0, this.#at)
    this.#buffer = larger
    this.#view = viewOf(larger)
  }
}

/** A text as PostgreSQL can hold it. Lone surrogates are replaced by whoever writes UTF-8. */
export function cleanText(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text
}

/** Writes a text of plain ASCII and gives its length; -1 where it is none. */
function writePlain(to: Buffer, text: string, start: number): number {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0 || unit > 0x7f) return -1
    to[start + at] = unit
  }
  return text.length
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}
