/** The key of a row that has no uuid. */
export const NO_KEY = -1

/**
 * A hash of 53 bits, which a double holds exactly. Tables know rows by that of their uuid: of a hundred million rows, a lookup finds
 * a wrong one in one of ninety million cases. The skim makes the same number (`skim/wasm/ids.as.ts`).
 */
export function textKey(text: string): number {
  let a = FIRST
  let b = SECOND
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13)
  }
  return joined(a, b)
}

/** The same of whole numbers. */
export function numbersKey(...numbers: readonly number[]): number {
  let a = FIRST
  let b = SECOND
  for (const number of numbers) {
    const high = number / 2 ** 32
    a = Math.imul(a ^ number, 0x85ebca6b)
    a ^= a >>> 15
    b = Math.imul(b + number, 0xc2b2ae35) ^ (b >>> 13)
    a = Math.imul(a ^ high, 0x85ebca6b)
    a ^= a >>> 15
    b = Math.imul(b + high, 0xc2b2ae35) ^ (b >>> 13)
  }
  return joined(a, b)
}

const FIRST = 0x811c9dc5
const SECOND = 0x9e3779b9

function joined(a: number, b: number): number {
  return ((a ^ (a >>> 16)) >>> 0) * 2 ** 21 + ((b ^ (b >>> 15)) >>> 11)
}
