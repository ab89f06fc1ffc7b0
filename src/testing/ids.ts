/** Where made-up identifiers come from: the same seed gives the same ids, in the same order, on every machine. */
export interface IdSource {
  /** A whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number
  pick<T>(items: readonly [T, ...T[]]): T
  hex(length: number): string
  base36(length: number): string
  uuid(): string
  messageId(): string
  requestId(): string
  toolUseId(): string
  /** A plan name as the client makes them, for example `quiet-folding-harbor`. */
  slug(): string
}

const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz'
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const QUALITIES: readonly [string, ...string[]] = ['quiet', 'brave', 'mellow', 'bright', 'gentle', 'nimble', 'sunny']
const DEEDS: readonly [string, ...string[]] = ['folding', 'drifting', 'humming', 'sailing', 'baking', 'knitting']
const THINGS: readonly [string, ...string[]] = ['harbor', 'lantern', 'otter', 'meadow', 'teapot', 'comet', 'willow']

/** Makes ids from a seed. Never looks at the clock or at `Math.random`. */
export function idSource(seed: string): IdSource {
  const next = numbers(seed)
  const below = (limit: number) => Math.floor((next() / 0x1_0000_0000) * limit)
  const pick = <T>(items: readonly [T, ...T[]]): T => items[below(items.length)] ?? items[0]
  const letters = (alphabet: string, length: number) => {
    let text = ''
    while (text.length < length) text += alphabet[below(alphabet.length)]
    return text
  }
  const hex = (length: number) => letters('0123456789abcdef', length)
  return {
    below,
    pick,
    hex,
    base36: (length) => letters(BASE36, length),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${letters('89ab', 1)}${hex(3)}-${hex(12)}`,
    messageId: () => `msg_01${letters(BASE58, 22)}`,
    requestId: () => `req_011${letters(BASE58, 21)}`,
    toolUseId: () => `toolu_01${letters(BASE58, 22)}`,
    slug: () => `${pick(QUALITIES)}-${pick(DEEDS)}-${pick(THINGS)}`,
  }
}

/** A small seeded generator (sfc32) of unsigned 32-bit numbers. */
function numbers(seed: string): () => number {
  let a = 0x9e3779b9
  let b = 0x243f6a88
  let c = 0xb7e15162
  let counter = 1
  const step = () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return sum >>> 0
  }
  for (let i = 0; i < seed.length; i++) {
    a ^= Math.imul(seed.charCodeAt(i) + i, 0x85ebca6b)
    step()
  }
  for (let i = 0; i < 16; i++) step()
  return step
}
