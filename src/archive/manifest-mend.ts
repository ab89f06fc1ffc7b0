import { readHead } from './manifest-head.ts'
import { chainOf, isLinked, makeCommit, NO_CHAIN, readCommit, readLine } from './manifest-line.ts'

/** Lines one after the other that are not what was written. */
export interface Bad {
  readonly from: number
  readonly to: number
  readonly line: number
  readonly file: number | undefined
  readonly reason: string
  /** The ends of the chains before it. */
  readonly chains: ReadonlyMap<string, string>
  /** Nothing is lost by it, also where it cannot be mended. */
  readonly isHarmless: boolean
  /** It is a commit line, whose hash also needs that of the commit before and the lines between. */
  readonly ends?: { readonly previous: string; readonly linesFrom: number }
}

/** A longer stretch of bad lines is more than a flipped bit. */
const MOST_MENDED_BYTES = 8 * 1024

/** The one bit that makes bad lines good when it is turned back. */
export function flippedBit(bytes: Buffer, bad: Bad): number | undefined {
  const { from, to, chains } = bad
  if (to - from > MOST_MENDED_BYTES) return undefined
  const isGood = bad.ends ? commitTest(bytes, bad.ends, from) : (text: string) => areSound(text, chains, from === 0)
  const part = Buffer.from(bytes.subarray(from, to))
  for (let bit = 0; bit < part.length * 8; bit++) {
    const at = bit >> 3
    const before = part[at] as number
    part[at] = before ^ (1 << (bit & 7))
    if (isGood(part.toString('utf8'))) return from * 8 + bit
    part[at] = before
  }
  return undefined
}

/** Most bits of a commit line are its hash: what that should be is computed once for each number and time. */
function commitTest(bytes: Buffer, { previous, linesFrom }: NonNullable<Bad['ends']>, to: number) {
  const hashes = new Map<string, string>()
  return (text: string): boolean => {
    const commit = readCommit(text)
    if (!commit) return false
    const key = `${commit.sequence}\t${commit.at}`
    const known = hashes.get(key)
    const hash = known ?? makeCommit(commit.sequence, commit.at, previous, bytes.subarray(linesFrom, to)).hash
    hashes.set(key, hash)
    return hash === commit.hash
  }
}

function areSound(text: string, before: ReadonlyMap<string, string>, isFirst: boolean): boolean {
  const chains = new Map<string, string>()
  const lines = text.split('\n')
  if (lines.at(-1) === '' && lines.length > 1) lines.pop()
  return lines.every((line, at) => {
    if (isFirst && at === 0) return readHead(line) !== undefined
    if (line.startsWith('commit\t')) return readCommit(line) !== undefined
    const read = readLine(line)
    if (typeof read === 'string') return false
    const key = chainOf(read.line)
    const isRight = isLinked(line, chains.get(key) ?? before.get(key) ?? NO_CHAIN)
    chains.set(key, read.chain)
    return isRight
  })
}
