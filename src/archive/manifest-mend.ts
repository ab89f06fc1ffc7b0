import { chainOf, HEADER, isLinked, NO_CHAIN, readCommit, readLine } from './manifest-line.ts'

/** Lines one after the other that are not what was written. */
export interface Bad {
  readonly from: number
  readonly to: number
  readonly line: number
  readonly file: number | undefined
  readonly reason: string
  /** The ends of the chains before it. */
  readonly chains: ReadonlyMap<string, string>
}

/** A longer stretch of bad lines is more than a flipped bit. */
const MOST_MENDED_BYTES = 8 * 1024

/** The one bit that makes bad lines good when it is turned back. */
export function flippedBit(bytes: Buffer, { from, to, chains }: Bad): number | undefined {
  if (to - from > MOST_MENDED_BYTES) return undefined
  const part = Buffer.from(bytes.subarray(from, to))
  for (let bit = 0; bit < part.length * 8; bit++) {
    const at = bit >> 3
    const before = part[at] as number
    part[at] = before ^ (1 << (bit & 7))
    if (areSound(part.toString('utf8'), chains, from === 0)) return from * 8 + bit
    part[at] = before
  }
  return undefined
}

function areSound(text: string, before: ReadonlyMap<string, string>, isFirst: boolean): boolean {
  const chains = new Map<string, string>()
  const lines = text.split('\n')
  if (lines.at(-1) === '' && lines.length > 1) lines.pop()
  return lines.every((line, at) => {
    if (isFirst && at === 0) return line === HEADER
    if (line.startsWith('commit\t')) return readCommit(line) !== undefined
    const read = readLine(line)
    if (typeof read === 'string') return false
    const key = chainOf(read.line)
    const isRight = isLinked(line, chains.get(key) ?? before.get(key) ?? NO_CHAIN)
    chains.set(key, read.chain)
    return isRight
  })
}
