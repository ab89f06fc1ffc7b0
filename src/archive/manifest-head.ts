import { sha256Of } from '../disk/checksums.ts'
import { NO_COMMIT } from './manifest-line.ts'

/** The first line of a manifest tells its end. A copy that was cut, even between two transactions, has another. */
export interface Head {
  /** Bytes of the whole file, the first line included. */
  readonly length: number
  /** Number and hash of the last commit. */
  readonly sequence: number
  readonly head: string
}

/** Numbers are as wide as they can get, so that the first line of all manifests has the same length. */
const DIGITS = 15

/** Bytes of a first line, its newline included. */
export const HEAD_BYTES = headLine({ length: 0, sequence: 0, head: NO_COMMIT }).length

/** Writes the first line, with its newline. */
export function headLine({ length, sequence, head }: Head): string {
  const numbers = [length, sequence].map((number) => String(number).padStart(DIGITS, '0'))
  const fields = ['annals archive 3', ...numbers, head].join('\t')
  return `${fields}\t${sha256Of(fields)}\n`
}

/** Reads the first line; `undefined` for one that we did not write. */
export function readHead(text: string): Head | undefined {
  const [, fields, length, sequence, head, hash] =
    /^(annals archive 3\t(\d{15})\t(\d{15})\t([0-9a-f]{64}))\t([0-9a-f]{64})$/.exec(text) ?? []
  if (fields === undefined || head === undefined || sha256Of(fields) !== hash) return undefined
  return { length: Number(length), sequence: Number(sequence), head }
}
