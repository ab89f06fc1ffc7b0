import type { Random } from '../random.ts'

const VERBS = [
  'read',
  'build',
  'fold',
  'parse',
  'render',
  'merge',
  'resolve',
  'count',
  'list',
  'apply',
  'check',
  'open',
]
const NOUNS = [
  'Session',
  'Record',
  'Order',
  'Customer',
  'Token',
  'Password',
  'Secret',
  'Credential',
  'Invoice',
  'Cursor',
  'Header',
  'Key',
  'Cookie',
  'Widget',
  'Query',
  'Branch',
]
const PACKAGES = [
  'lodash',
  'chalk',
  'serde',
  'tokio',
  'react-dom',
  'jsonwebtoken',
  'passport',
  'keytar',
  'css-tokenize',
]

/** A function's name, for example `readPassword`. */
export function functionName(random: Random): string {
  return random.pick(VERBS) + random.pick(NOUNS)
}

/** A noun such as code is full of, at times one that sounds like a secret. */
export function noun(random: Random): string {
  return random.pick(NOUNS)
}

/** A package's name. */
export function packageName(random: Random): string {
  return `${random.pick(PACKAGES)}${random.pick(['', '', '-core', '-utils', '-plugin'])}`
}

/** A version number. */
export function version(random: Random): string {
  return `${random.below(20)}.${random.below(30)}.${random.below(40)}`
}

/** A path of a source file. */
export function path(random: Random): string {
  return `src/${noun(random).toLowerCase()}/${functionName(random)}.${random.pick(['ts', 'py', 'go', 'rs'])}`
}

/** One of so many lines after another. */
export function lines(random: Random, count: number, draw: (random: Random, nth: number) => string): string {
  return Array.from({ length: count }, (_, nth) => draw(random, nth)).join('\n')
}
