/**
 * A number of 48 bits that stands for a uuid. The last twelve digits are random in every version of uuids that is random at all;
 * among a hundred million rows one in a hundred looked up would be taken for another, were they not asked for one by one.
 */
export function rowKey(uuid: string): number {
  let key = uuid.length === 36 ? 0 : Number.NaN
  for (let i = 24; i < 36; i++) key = key * 16 + hexDigit(uuid.charCodeAt(i))
  return Number.isNaN(key) ? Math.floor(textKey(uuid) / 32) : key
}

/** Stands for a uuid that is not there. */
export const NO_KEY = -1

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  return code >= 0x61 && code <= 0x66 ? code - 0x57 : Number.NaN
}

/** 53 bits of two hashes: among a hundred million texts, one in a hundred million would be taken for another. */
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
