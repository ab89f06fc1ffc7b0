import { createHmac } from 'node:crypto'
import { advance, type Cursor, HEAD_BYTES, startCursor, TAIL_BYTES } from '../disk/cursor.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { placeAfter } from './row-place.ts'

/** Prefix of a keyed hash, so that nobody takes it for a plain one. */
const SEALED = 'k:'

/**
 * Makes cursors fit to leave, and knows them when they come back. Hashes of what is in a log leave only under a key that stays
 * here: of a log that is mostly known, a plain hash gives away the rest to who tries all that it could be.
 */
export class Seal {
  readonly #key: Uint8Array

  constructor(key: Uint8Array) {
    this.#key = key
  }

  /** A keyed hash; nobody without the key can tell what it is of, or make another. */
  of(kind: string, text: string): string {
    return `${SEALED}${this.#digest(kind, text).toString('hex').slice(0, 32)}`
  }

  /**
   * A cursor as it leaves, in the shape that every receiver knows. Sizes and times stay here: lines are counted, not bytes, and
   * in the place of the time stands `order`, by which the later of two marks for one path is known.
   */
  close(cursor: Cursor, name: string, order: number): Cursor {
    const { inode, offset, line, headHash, tailHash, prefixSum } = cursor
    const place = placeAfter(line)
    return {
      ...cursor,
      offset: place,
      headLength: Math.min(HEAD_BYTES, place),
      tailLength: Math.min(TAIL_BYTES, place),
      path: name,
      inode: this.inode(inode),
      headHash: this.of('head', headHash),
      tailHash: this.of('tail', tailHash),
      prefixSum: prefixSum < 0 ? prefixSum : this.#digest('sum', `${offset} ${prefixSum}`).readUInt32BE(),
      sizeBytes: place,
      modifiedAt: order,
      settled: false,
    }
  }

  inode(inode: string | null | undefined): string | null {
    return inode ? this.of('inode', inode) : null
  }

  /** The cursor that a sealed one stands for, if the file has the very bytes that it was made of; it reads them all. */
  open(sealed: Cursor, source: Source, entry: SourceEntry): Cursor | undefined {
    const { line, generation, path, modifiedAt } = sealed
    const offset = afterLines(source, entry, line)
    if (offset === undefined || offset > entry.sizeBytes) return undefined
    const made = advance(startCursor(entry, generation), source, entry, { offset, line })
    const again = this.close(made, path, modifiedAt)
    const isSame = (['headHash', 'tailHash', 'prefixSum'] as const).every((name) => again[name] === sealed[name])
    return isSame && made.prefixSum >= 0 ? made : undefined
  }

  #digest(kind: string, text: string): Buffer {
    return createHmac('sha256', this.#key).update(`cursor\0${kind}\0${text}`).digest()
  }
}

/** The first byte after so many lines; `undefined` where a file has fewer. */
function afterLines(source: Source, entry: SourceEntry, lines: number): number | undefined {
  const chunk = Buffer.alloc(256 * 1024)
  let left = lines
  for (let at = 0; left > 0; ) {
    const count = source.read(entry, at, chunk) ?? 0
    if (count === 0) return undefined
    for (let next = chunk.indexOf(0x0a); next !== -1 && next < count; next = chunk.indexOf(0x0a, next + 1)) {
      left -= 1
      if (left === 0) return at + next + 1
    }
    at += count
  }
  return 0
}
