import { crc32 } from 'node:zlib'
import type { Draw } from './kind.ts'
import { ALPHABET, type Random } from './random.ts'

/** So many characters of a named alphabet. */
export function of(alphabet: keyof typeof ALPHABET, least: number, most = least): Draw {
  return (random) => random.chars(ALPHABET[alphabet], random.between(least, most))
}

/** Draws and fixed text, one after another. */
export function joined(...parts: readonly (string | Draw)[]): Draw {
  return (random) => parts.map((part) => (typeof part === 'string' ? part : part(random))).join('')
}

/** Random bytes in base64, with its padding. */
export function base64Of(bytes: number): Draw {
  return (random) => random.bytes(bytes).toString('base64')
}

/** A version 4 UUID. */
export const uuid: Draw = (random) => {
  const hex = (length: number): string => random.chars(ALPHABET.hex, length)
  return `${hex(8)}-${hex(4)}-4${hex(3)}-${random.pick(['8', '9', 'a', 'b'])}${hex(3)}-${hex(12)}`
}

/** 30 characters and the six of their CRC-32 in base 62, as GitHub and npm write tokens. */
export const checksummed: Draw = (random) => {
  const body = random.chars(ALPHABET.base62, 30)
  let rest = crc32(body)
  let sum = ''
  for (let digit = 0; digit < 6; digit++) {
    sum = ALPHABET.base62[rest % 62] + sum
    rest = Math.floor(rest / 62)
  }
  return body + sum
}

/** Payload and signature of a JSON Web Token, which follow the header: it is public and the same for all. */
export const jwtRest: Draw = (random) => {
  const payload = { sub: random.chars(ALPHABET.digits, 10), name: random.pick(WORDS), iat: random.between(16e8, 18e8) }
  return `${Buffer.from(JSON.stringify(payload)).toString('base64url')}.${random.chars(ALPHABET.base64url, 43)}`
}

/** The header of a JSON Web Token signed with HS256. */
export const JWT_HEADER = `${Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT' })).toString('base64url')}.`

/** A password as people think them up: a word, a number, at times a sign; 8 to 16 characters. */
export const humanPassword: Draw = (random) => {
  const word = random.pick(WORDS)
  const spelled = random.pick([word, word.toLowerCase(), word.replace(/o/g, '0').replace(/i/g, '1')])
  return spelled + random.chars(ALPHABET.digits, random.between(3, 4)) + random.pick(['', '', '!', '!!', '*', '_'])
}

/** A password as a generator makes them, of signs that need no escaping in a shell, a URL or quotes. */
export const strongPassword: Draw = (random) => {
  const length = random.between(12, 24)
  return (
    random.chars(ALPHABET.base62, 1) + random.chars(`${ALPHABET.base62}-_.~`, length) + random.pick(['7', 'K', 'x'])
  )
}

/** Either sort of password that may stand in a URL or a shell unescaped. */
export const password: Draw = (random) =>
  random.pick([strongPassword, strongPassword, withoutSigns(humanPassword)])(random)

/** A password with signs that JSON, HTML, a URL or a shell would have to escape. */
export const awkwardPassword: Draw = (random) =>
  `${random.chars(ALPHABET.base62, 5)}${random.chars('&<>%+=!^*', 3)}${random.chars(ALPHABET.base62, 6)}$${random.chars(ALPHABET.base62, 3)}`

/** Four words with hyphens. */
export const passphrase: Draw = (random: Random) =>
  Array.from({ length: 4 }, () => random.pick(WORDS).toLowerCase()).join('-')

function withoutSigns(draw: Draw): Draw {
  return (random) => draw(random).replace(/[!*]/g, '')
}

const WORDS = [
  'Dragon',
  'Falcon',
  'Sunshine',
  'Liverpool',
  'Pepper',
  'Monkey',
  'Harley',
  'Winter',
  'Orchid',
  'Trinity',
  'Maverick',
  'Barcelona',
  'Phoenix',
  'Biscuit',
  'Violin',
  'Walnut',
  'Glacier',
  'Magnolia',
  'Saturn',
  'Copper',
]
