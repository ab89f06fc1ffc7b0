import { sha256Of } from '../disk/checksums.ts'
import { NO_CHAIN } from './manifest-line.ts'

/** The first line of a manifest: how long it is and with which commit it ends. One of format 1 says neither. */
export type Head = { readonly format: 1 } | ({ readonly format: 2 } & End)

/** The end of a manifest. A copy that was cut, even between two transactions, has another. */
export interface End {
  /** Bytes of the whole file, the first line included. */
  readonly length: number
  /** Number and hash of the last commit. */
  readonly sequence: number
  readonly head: string
}

const OLD_HEAD = 'annals archive 1'
const NEW_HEAD = 'annals archive 2'

/** Numbers are as wide as they can get, so that the first line of all manifests has the same length. */
const DIGITS = 15

/** Bytes of a first line, its newline included. */
export const HEAD_BYTES = [NEW_HEAD, '0'.repeat(DIGITS), '0'.repeat(DIGITS), NO_CHAIN, NO_CHAIN].join('\t').length + 1

/** Writes the first line, with its newline. */
export function headLine({ length, sequence, head }: End): string {
  const numbers = [length, sequence].map((number) => String(number).padStart(DIGITS, '0'))
  const fields = [NEW_HEAD, ...numbers, head].join('\t')
  return `${fields}\t${hashOf(fields)}\n`
}

/** Reads the first line; `undefined` for one that we did not write. */
export function readHead(text: string): Head | undefined {
  if (text === OLD_HEAD) return { format: 1 }
  const [, fields, length, sequence, head, hash] =
    /^(annals archive 2\t(\d{15})\t(\d{15})\t([0-9a-f]{64}))\t([0-9a-f]{64})$/.exec(text) ?? []
  if (fields === undefined || head === undefined || hashOf(fields) !== hash) return undefined
  return { format: 2, length: Number(length), sequence: Number(sequence), head }
}

function hashOf(fields: string): string {
  return sha256Of(fields)
}
