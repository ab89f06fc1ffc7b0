/** A source of chance that gives the same values for the same seed. */
export interface Random {
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number
  between(least: number, most: number): number
  pick<T>(choices: readonly T[]): T
  /** So many characters of an alphabet. */
  chars(alphabet: string, length: number): string
  bytes(length: number): Buffer
}

/** The alphabets that secrets are written in. */
export const ALPHABET = {
  digits: '0123456789',
  hex: '0123456789abcdef',
  lower: 'abcdefghijklmnopqrstuvwxyz',
  lower36: 'abcdefghijklmnopqrstuvwxyz0123456789',
  upper36: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  letters: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  base32: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  base62: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  base64: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  base64url: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
  bech32: 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L',
  base58: '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz',
} as const

/** Starts a source of chance from a seed; equal seeds give equal values. */
export function randomFrom(seed: string): Random {
  let state = hashOf(seed)
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    pick: <T>(choices: readonly T[]) => choices[below(choices.length)] as T,
    chars: (alphabet, length) => Array.from({ length }, () => alphabet[below(alphabet.length)]).join(''),
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  }
}

/** FNV-1a, so that seeds which differ in one character give unrelated values. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}
