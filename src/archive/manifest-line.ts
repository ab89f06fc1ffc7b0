import { sha256Of } from '../disk/checksums.ts'
import { isSafePath } from './kept-files.ts'

/** One line of a manifest, without the chain at its end. */
export type Line =
  | { readonly kind: 'root'; readonly root: number; readonly path: string }
  | {
      readonly kind: 'file'
      readonly file: number
      readonly root: number
      /** The session it belongs to; `null` for what sessions share. */
      readonly owner: string | null
      /** Relative to the root, with `/` between its parts. */
      readonly path: string
    }
  | ({ readonly kind: 'frame'; readonly file: number; readonly generation: number } & Frame)
  | ({ readonly kind: 'seen'; readonly file: number; readonly generation: number } & Seen)
  | { readonly kind: 'purged'; readonly hash: string; readonly at: string }

/** A stretch of a file: where it begins, and the object that holds it. */
export interface Frame {
  readonly offset: number
  readonly rawBytes: number
  readonly storedBytes: number
  /** CRC-32 of the stored bytes, eight hex digits. */
  readonly sum: string
  /** SHA-256 of the raw bytes, which names the object. */
  readonly sha256: string
}

/** How far a generation was taken, and what the file was like then. */
export interface Seen {
  /** Length of the generation in the archive. */
  readonly bytes: number
  /** Milliseconds since 1970. */
  readonly modifiedAt: number
  /** The cursor in the original, as JSON without its path. */
  readonly cursor: string
}

/** The end of a transaction: the lines before it count only if it is there. */
export interface Commit {
  readonly sequence: number
  readonly at: string
  /** Over the hash of the commit before, its own number and time, and all lines since. */
  readonly hash: string
}

/** What a chain begins with. */
export const NO_CHAIN = '0'.repeat(64)

/** More than a frame ever holds; a manifest that says more would make us fill the memory. */
export const MOST_RAW_BYTES = 64 * 1024 * 1024

/** The chain that a line belongs to: each line of a file holds a hash over itself and the one before. */
export function chainOf(line: Line): string {
  return line.kind === 'root' || line.kind === 'purged' ? '' : String(line.file)
}

/** Writes a line and the new end of its chain. */
export function writeLine(line: Line, previous: string): { readonly text: string; readonly chain: string } {
  const fields = fieldsOf(line)
  const chain = linked(previous, fields)
  return { text: `${fields}\t${chain}`, chain }
}

function fieldsOf(line: Line): string {
  switch (line.kind) {
    case 'root':
      return ['root', line.root, encodeField(line.path)].join('\t')
    case 'file':
      return [
        'file',
        line.file,
        line.root,
        line.owner === null ? '-' : encodeField(line.owner),
        encodeField(line.path),
      ].join('\t')
    case 'frame': {
      const { file, generation, offset, rawBytes, storedBytes, sum, sha256 } = line
      return ['frame', file, generation, offset, rawBytes, storedBytes, sum, sha256].join('\t')
    }
    case 'seen':
      return ['seen', line.file, line.generation, line.bytes, line.modifiedAt, line.cursor].join('\t')
    case 'purged':
      return ['purged', line.hash, line.at].join('\t')
  }
}

/** Links fields to what precedes them. `printf '%s\n%s' previous fields | sha256sum` gives the same. */
function linked(previous: string, fields: string): string {
  return sha256Of(`${previous}\n${fields}`)
}

/** Reads a line; gives what is wrong with it in words where it is none that we could have written. */
export function readLine(text: string): { readonly line: Line; readonly chain: string } | string {
  const fields = text.split('\t')
  const chain = fields.pop() ?? ''
  if (!isHash(chain)) return 'it does not end with a hash'
  const line = readFields(fields)
  return typeof line === 'string' ? line : { line, chain }
}

/** Whether the chain at the end of a line follows from the one before. */
export function isLinked(text: string, previous: string): boolean {
  const at = text.lastIndexOf('\t')
  return linked(previous, text.slice(0, at)) === text.slice(at + 1)
}

/** Thousands of lines are read whenever annals starts, so this is written to cost little. */
function readFields(fields: readonly string[]): Line | string {
  const [kind, first = '', second = '', third = '', fourth = ''] = fields
  if (kind === 'frame' && fields.length === 8) return readFrame(fields)
  if (kind === 'seen' && fields.length === 6) {
    const [file, generation, bytes] = [toCount(first), toCount(second), toCount(third)]
    const modifiedAt = Number(fourth)
    const isRight = file >= 0 && generation >= 0 && bytes >= 0 && fourth !== '' && Number.isFinite(modifiedAt)
    return isRight
      ? { kind, file, generation, bytes, modifiedAt, cursor: fields[5] as string }
      : 'its numbers are not valid'
  }
  if (kind === 'file' && fields.length === 5) {
    const [file, root] = [toCount(first), toCount(second)]
    const path = decodeField(fourth)
    if (file < 0 || root < 0) return 'its numbers are not valid'
    if (!isSafePath(path)) return 'its path is not allowed'
    return { kind, file, root, owner: third === '-' ? null : decodeField(third), path }
  }
  if (kind === 'root' && fields.length === 3) {
    const [root, path] = [toCount(first), decodeField(second)]
    return root >= 0 && isRoot(path) ? { kind, root, path } : 'its root is not an absolute path'
  }
  if (kind === 'purged' && fields.length === 3) {
    return isHash(first) ? { kind, hash: first, at: second } : 'its hash is not valid'
  }
  return 'it is not a line of a manifest'
}

function readFrame(fields: readonly string[]): Line | string {
  const [, first = '', second = '', third = '', fourth = '', fifth = '', sum = '', sha256 = ''] = fields
  const [file, generation, offset] = [toCount(first), toCount(second), toCount(third)]
  const [rawBytes, storedBytes] = [toCount(fourth), toCount(fifth)]
  if (file < 0 || generation < 0 || offset < 0) return 'its numbers are not valid'
  const isPossible = rawBytes > 0 && rawBytes <= MOST_RAW_BYTES && storedBytes >= 0 && storedBytes <= MOST_RAW_BYTES
  if (!isPossible || !Number.isSafeInteger(offset + rawBytes)) return 'its sizes are not possible'
  if (!isHash(sha256) || !/^[0-9a-f]{8}$/.test(sum)) return 'its hashes are not valid'
  return { kind: 'frame', file, generation, offset, rawBytes, storedBytes, sum, sha256 }
}

/** A number from 0 on; -1 for anything else. */
export function toCount(text: string): number {
  const number = text === '' ? -1 : Number(text)
  return Number.isSafeInteger(number) && number >= 0 ? number : -1
}

/** Whether a text is a SHA-256 in hex digits. */
export function isHash(text: string): boolean {
  return text.length === 64 && /^[0-9a-f]+$/.test(text)
}

/** Whether a root of a manifest is a path that leads nowhere else. */
export function isRoot(path: string): boolean {
  const isAbsolute = /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(path)
  return isAbsolute && !path.includes('\0') && !path.split(/[\\/]/).some((part) => part === '..' || part === '.')
}

/** Ends a transaction. `text` are its lines, each with its newline. */
export function makeCommit(sequence: number, at: string, previous: string, text: string | Uint8Array): Commit {
  const head = `${previous}\n${sequence}\t${at}\n`
  return { sequence, at, hash: sha256Of(head, text) }
}

/** The line of a commit. */
export function writeCommit({ sequence, at, hash }: Commit): string {
  return ['commit', sequence, at, hash].join('\t')
}

/** Reads the end of a transaction; `undefined` for any other line. */
export function readCommit(text: string): Commit | undefined {
  const [, sequence, at, hash] = /^commit\t(\d{1,15})\t([0-9TZ:.-]+)\t([0-9a-f]{64})$/.exec(text) ?? []
  if (sequence === undefined || at === undefined || hash === undefined) return undefined
  return { sequence: Number(sequence), at, hash }
}

/** Control characters, which would end a field or a line, and `%` itself are written as `%` and two hex digits. */
export function encodeField(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is encoded
  const encoded = text.replace(/[\u0000-\u001f\u007f%]/g, (it) => `%${it.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return encoded === '-' ? '%2d' : encoded
}

/** Gives back what was encoded. */
export function decodeField(text: string): string {
  if (!text.includes('%')) return text
  return text.replace(/%([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
