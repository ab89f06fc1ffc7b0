import { roomFor } from './slab.ts'
import { isUuid, UUID_BYTES, uuidByte, uuidText } from './uuid-bytes.ts'

/**
 * Keeps each of many short texts once, as bytes in a few large pieces, and names it by a number. A log of a million rows has millions
 * of ids; as strings in maps they would take several times the memory.
 */
export class TextPool {
  readonly #pieces: Uint8Array[] = []
  /** Where the bytes of each text end, and whether it is a uuid in sixteen of them: half of all texts are. */
  #ends: Uint32Array
  #hashes: Int32Array
  /** Numbers of texts by hash, one above the number, 0 for a free slot; at most two thirds are taken. */
  #slots: Int32Array
  /** Texts with letters beyond the first 256, which take two bytes for each. */
  readonly #wide: Set<number>
  #count = 0

  constructor() {
    // Small enough for the heap: lists make a pool for every log there is.
    this.#ends = new Uint32Array(8)
    this.#hashes = new Int32Array(8)
    this.#slots = new Int32Array(16)
    this.#wide = new Set()
  }

  get size(): number {
    return this.#count
  }

  /** The number of a text, a new one if it was never seen. */
  idOf(text: string): number {
    const hash = hashOf(text)
    const slot = this.#slotOf(text, hash)
    const known = this.#slots[slot] as number
    if (known !== 0) return known - 1
    const id = this.#count++
    this.#store(id, text, hash)
    this.#slots[slot] = id + 1
    if (this.#count * 3 > this.#slots.length * 2) this.#rehash(this.#slots.length * 2)
    return id
  }

  /** The number of a text that is in here; -1 for others. */
  find(text: string): number {
    return (this.#slots[this.#slotOf(text, hashOf(text))] as number) - 1
  }

  textOf(id: number): string {
    const from = this.#startOf(id)
    const to = this.#endOf(id)
    if (this.#isUuid(id)) return uuidText((i) => this.#byteAt(from + i))
    if (this.#wide.has(id)) return this.#wideText(from, to)
    let text = ''
    // In stretches: a call takes only so many arguments.
    for (let at = from; at < to; ) {
      const piece = this.#pieces[at >> BITS] as Uint8Array
      const begin = at & MASK
      const stretch = piece.subarray(begin, Math.min(begin + STRETCH, begin + to - at, PIECE))
      text += String.fromCharCode.apply(null, stretch as unknown as number[])
      at += stretch.length
    }
    return text
  }

  #wideText(from: number, to: number): string {
    let text = ''
    for (let at = from; at < to; at += 2) text += String.fromCharCode(this.#byteAt(at) | (this.#byteAt(at + 1) << 8))
    return text
  }

  #byteAt(at: number): number {
    return (this.#pieces[at >> BITS] as Uint8Array)[at & MASK] as number
  }

  /** The piece that a byte belongs to, with room for some more: they are written one behind the other. */
  #pieceFor(at: number, bytes: number): Uint8Array {
    const piece = this.#pieces[at >> BITS]
    const needed = Math.min((at & MASK) + bytes, PIECE)
    if (piece && piece.length >= needed) return piece
    // Most logs are small; a second piece is needed only by large ones.
    const larger = new Uint8Array(at < PIECE ? Math.min(PIECE, Math.max(FIRST, needed * 2)) : PIECE)
    if (piece) larger.set(piece)
    this.#pieces[at >> BITS] = larger
    return larger
  }

  /** What it holds, to be kept and opened again with `from`. */
  parts(): PoolParts {
    const bytes = new Uint8Array(this.#startOf(this.#count))
    this.#pieces.forEach((piece, i) => {
      bytes.set(piece.subarray(0, bytes.length - i * PIECE), i * PIECE)
    })
    return { bytes, ends: this.#ends.subarray(0, this.#count), wide: [...this.#wide] }
  }

  /** The parts of a pool that would hold only some of the texts, numbered in that order. */
  pick(ids: Int32Array): PoolPieces {
    const ends = new Uint32Array(ids.length)
    const wide: number[] = []
    let end = 0
    ids.forEach((id, i) => {
      end += this.#endOf(id) - this.#startOf(id)
      ends[i] = this.#isUuid(id) ? end | UUID : end
      if (this.#wide.has(id)) wide.push(i)
    })
    return { bytes: this.#bytesOf(ids), ends, wide }
  }

  *#bytesOf(ids: Int32Array): Iterable<Uint8Array> {
    let piece = new Uint8Array(PIECE)
    let filled = 0
    for (const id of ids) {
      for (let at = this.#startOf(id); at < this.#endOf(id); at++) {
        piece[filled++] = this.#byteAt(at)
        if (filled < PIECE) continue
        yield piece
        piece = new Uint8Array(PIECE)
        filled = 0
      }
    }
    yield piece.subarray(0, filled)
  }

  /** Takes the arrays as they are: what stands in them never changes, and what is added moves to larger ones. */
  static from(parts: PoolParts): TextPool {
    const pool = new TextPool()
    pool.#count = parts.ends.length
    for (let at = 0; at < parts.bytes.length; at += PIECE) pool.#pieces.push(parts.bytes.subarray(at, at + PIECE))
    pool.#ends = parts.ends
    for (const id of parts.wide) pool.#wide.add(id)
    pool.#hashes = new Int32Array(pool.#count)
    for (let id = 0; id < pool.#count; id++) pool.#hashes[id] = hashOf(pool.textOf(id))
    let slots = 64
    while (pool.#count * 3 > slots * 2) slots *= 2
    pool.#rehash(slots)
    return pool
  }

  #startOf(id: number): number {
    return id === 0 ? 0 : this.#endOf(id - 1)
  }

  #endOf(id: number): number {
    return (this.#ends[id] as number) & ~UUID
  }

  #isUuid(id: number): boolean {
    return ((this.#ends[id] as number) & UUID) !== 0
  }

  #slotOf(text: string, hash: number): number {
    const mask = this.#slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const id = (this.#slots[slot] as number) - 1
      if (id === -1 || (this.#hashes[id] === hash && this.#isAt(id, text))) return slot
    }
  }

  #isAt(id: number, text: string): boolean {
    const from = this.#startOf(id)
    if (this.#isUuid(id)) return text.length === 36 && this.textOf(id) === text
    const length = this.#endOf(id) - from
    if (this.#wide.has(id)) return length === text.length * 2 && this.textOf(id) === text
    if (length !== text.length) return false
    for (let i = 0; i < length; i++) if (this.#byteAt(from + i) !== text.charCodeAt(i)) return false
    return true
  }

  #store(id: number, text: string, hash: number): void {
    if (id >= this.#ends.length) {
      this.#ends = larger(this.#ends, new Uint32Array(roomFor(4 * grown(id)), 0, grown(id)))
      this.#hashes = larger(this.#hashes, new Int32Array(roomFor(4 * grown(id)), 0, grown(id)))
    }
    this.#hashes[id] = hash
    if (isUuid(text)) this.#ends[id] = this.#write(id, UUID_BYTES, (i) => uuidByte(text, i)) | UUID
    else if (!isWide(text)) this.#ends[id] = this.#write(id, text.length, (i) => text.charCodeAt(i))
    else {
      this.#ends[id] = this.#write(id, text.length * 2, (i) => text.charCodeAt(i >> 1) >> (8 * (i & 1)))
      this.#wide.add(id)
    }
  }

  /** Writes the bytes of a text behind all others, and says where they end. */
  #write(id: number, length: number, byteAt: (i: number) => number): number {
    const from = this.#startOf(id)
    const end = from + length
    for (let at = from; at < end; ) {
      const piece = this.#pieceFor(at, end - at)
      const stop = Math.min(end, at - (at & MASK) + PIECE)
      for (; at < stop; at++) piece[at & MASK] = byteAt(at - from)
    }
    return end
  }

  #rehash(length: number): void {
    this.#slots = new Int32Array(roomFor(4 * length), 0, length)
    const mask = length - 1
    for (let id = 0; id < this.#count; id++) {
      let slot = (this.#hashes[id] as number) & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = id + 1
    }
  }
}

/** A pool as plain arrays. */
export interface PoolParts {
  readonly bytes: Uint8Array
  readonly ends: Uint32Array
  readonly wide: readonly number[]
}

/** The same, with the bytes one array behind the other. */
export interface PoolPieces extends Omit<PoolParts, 'bytes'> {
  readonly bytes: Iterable<Uint8Array>
}

/** The mark of a uuid in `ends`. */
const UUID = 1 << 31
const BITS = 18
const PIECE = 1 << BITS
const MASK = PIECE - 1
/** Most logs are small. */
const FIRST = 512
const STRETCH = 4096

function isWide(text: string): boolean {
  return WIDE.test(text)
}

const WIDE = /[\u0100-\uffff]/

/** FNV-1a of the text, of a long one of its two ends, with its high bits mixed in: slots are told apart by the low ones. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5 ^ text.length
  const { length } = text
  const head = length > 2 * HASHED ? HASHED : length
  for (let i = 0; i < head; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  for (let i = Math.max(head, length - HASHED); i < length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash ^ (hash >>> 15)
}

const HASHED = 32

function larger<T extends Uint32Array | Int32Array>(from: T, into: T): T {
  into.set(from)
  return into
}

/** Half as much again: twice would leave a large log's array half empty. */
function grown(needed: number): number {
  return Math.ceil(needed * 1.5) + 16
}
