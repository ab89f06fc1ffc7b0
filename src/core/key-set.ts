import { NumberRows } from './number-rows.ts'

/** Which texts of many are in a set: kept as numbers, eight bytes for each, so that every row of every log can be known. */
export class KeySet {
  readonly keys: Float64Array

  constructor(keys: Float64Array) {
    this.keys = keys
  }

  static of(texts: Iterable<string>): KeySet {
    const rows = new NumberRows(1, Float64Array)
    for (const text of texts) rows.set(rows.add(), 0, keyOf(text))
    return new KeySet(rows.cells().sort())
  }

  has(text: string): boolean {
    const key = keyOf(text)
    let from = 0
    let to = this.keys.length
    while (from < to) {
      const middle = (from + to) >> 1
      if ((this.keys[middle] as number) < key) from = middle + 1
      else to = middle
    }
    return this.keys[from] === key
  }
}

/** 53 bits of two hashes: among a hundred million ids, one in a hundred million would be taken for another. */
export function keyOf(text: string): number {
  let a = 0x811c9dc5
  let b = 0x9e3779b9
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13)
  }
  return ((a ^ (a >>> 16)) >>> 0) * 2 ** 21 + ((b ^ (b >>> 15)) >>> 11)
}
