import { booleanAt, numberAt, stringAt } from '../core/json.ts'
import { crc32, sha256Of } from './checksums.ts'
import { fill } from './fill.ts'
import type { Source, SourceEntry } from './source.ts'

/** Who a file is, which generation of it, how far it was read and what preceded that. Plain data: JSON keeps it whole. */
export interface Cursor {
  readonly path: string
  readonly inode: string | null
  /** Counted from 1, for this path. */
  readonly generation: number
  /** All bytes before it were taken. */
  readonly offset: number
  /** Lines before `offset`. */
  readonly line: number
  readonly headLength: number
  readonly headHash: string
  readonly tailLength: number
  readonly tailHash: string
  /** CRC-32 of all bytes before `offset`, or `UNSUMMED`. Unlike a hash it goes on from its own value, so an append costs its own bytes. */
  readonly prefixSum: number
  readonly sizeBytes: number
  readonly modifiedAt: number
  /** Whether `modifiedAt` was old when it was noted, so that any later change must have changed it. */
  readonly settled: boolean
}

/** What a look at a file says. From anything but `same` and `gone` there may be bytes to read. */
export type Look =
  | { readonly kind: 'same' }
  | { readonly kind: 'grown'; readonly from: number }
  | { readonly kind: 'moved'; readonly from: string; readonly grown: boolean }
  | { readonly kind: 'new-generation'; readonly reason: 'truncated' | 'rewritten' | 'replaced' }
  | { readonly kind: 'new' }
  | { readonly kind: 'gone' }

/** Makes a short name of some bytes. */
export type Hash = (bytes: Uint8Array) => string

/** How to look: `thorough` compares every byte read so far, whatever size and times say. */
export interface LookOptions {
  readonly hash?: Hash
  readonly thorough?: boolean
  /** The time by the clock: what was written long before it has settled. Without it, only the newest file tells. */
  readonly now?: number
}

/** How far a reader came. */
export interface Progress {
  readonly offset: number
  readonly line: number
  /** The bytes from the cursor to `offset`, if still at hand: saves reading them again, and is what was really taken. */
  readonly bytes?: Uint8Array
  /** The sum of all bytes before `offset`, if the reader made it. */
  readonly prefixSum?: number
  /** The first and the last bytes before `offset`, if the reader kept them: as many as `HEAD_BYTES` and `TAIL_BYTES` say, or all. */
  readonly ends?: Ends
}

/** How a stretch of bytes begins, where it is that of a file, and how it ends. */
export interface Ends {
  readonly head?: Uint8Array
  readonly tail: Uint8Array
}

export const HEAD_BYTES = 1024
export const TAIL_BYTES = 4096
const CHUNK_BYTES = 256 * 1024
// Stand where a sum or hash could not be made because the file changed under its reader. They match nothing, so the
// next look begins a new generation.
const NO_SUM = -1
const NO_HASH = ''
/** The sum of bytes that nobody added up. Where only it could tell whether they changed, they count as changed. */
export const UNSUMMED = -2

/** The cursor of a file of which nothing was read. It matches anything at its path. */
export function startCursor(entry: SourceEntry, generation = 1, settled = false): Cursor {
  return {
    path: entry.path,
    inode: inodeOf(entry),
    generation,
    offset: 0,
    line: 0,
    headLength: 0,
    headHash: NO_HASH,
    tailLength: 0,
    tailHash: NO_HASH,
    prefixSum: 0,
    sizeBytes: entry.sizeBytes,
    modifiedAt: entry.modifiedAt,
    settled,
  }
}

/** The cursor after a reader took everything before `progress.offset`. */
export function advance(
  cursor: Cursor,
  source: Source,
  entry: SourceEntry,
  progress: Progress,
  hash: Hash = sha256Of,
): Cursor {
  const { offset, line, bytes, ends } = progress
  const from = bytes ? withTaken(source, cursor.offset, bytes) : source
  const headLength = Math.min(HEAD_BYTES, offset)
  const tailLength = Math.min(TAIL_BYTES, offset)
  const isSummed = cursor.prefixSum !== UNSUMMED
  const sum = () => (isSummed ? sumOf(from, entry, cursor.offset, offset, cursor.prefixSum) : UNSUMMED)
  const prefixSum = progress.prefixSum ?? sum()
  return {
    path: entry.path,
    inode: inodeOf(entry),
    sizeBytes: entry.sizeBytes,
    modifiedAt: entry.modifiedAt,
    generation: cursor.generation,
    offset,
    line,
    headLength,
    headHash: headLength === cursor.headLength ? cursor.headHash : hashOf(from, entry, 0, headLength, hash, ends?.head),
    tailLength,
    tailHash: prefixSum === NO_SUM ? NO_HASH : hashOf(from, entry, offset - tailLength, offset, hash, ends?.tail),
    prefixSum,
    settled: cursor.settled && entry.modifiedAt === cursor.modifiedAt,
  }
}

/**
 * What became of the file of a cursor. Give it an entry of another path only when the old path is gone. Bytes after
 * the offset are always `grown`, so neither half a line nor a reader that stopped half-way is ever forgotten.
 *
 * Bytes decide, times only say how many to compare:
 * - none when size, time and inode are as they were, and the time is `settled`;
 * - head and tail when the file grew, or when only its inode changed (a restored copy, another mount);
 * - all that was read otherwise: touched without growing, or grown in a new inode.
 *
 * So an edit far from both windows that keeps every later byte in its place, followed by an append before the next
 * look, is found only by a `thorough` one.
 */
export function look(cursor: Cursor, source: Source, entry: SourceEntry | undefined, options: LookOptions = {}): Look {
  if (!entry) return { kind: 'gone' }
  const verdict = compare(cursor, source, entry, options)
  if (verdict === 'gone') return { kind: 'gone' }
  if (verdict === 'shorter') return { kind: 'new-generation', reason: 'truncated' }
  if (verdict === 'different') {
    return { kind: 'new-generation', reason: inodeOf(entry) === cursor.inode ? 'rewritten' : 'replaced' }
  }
  const grown = entry.sizeBytes > cursor.offset
  if (entry.path !== cursor.path) return { kind: 'moved', from: cursor.path, grown }
  return grown ? { kind: 'grown', from: cursor.offset } : { kind: 'same' }
}

/** A cursor that was kept as JSON; `undefined` for anything else, so that its file is read anew. */
export function readCursor(value: unknown): Cursor | undefined {
  const text = (key: string) => stringAt(value, key) ?? NO_HASH
  const number = (key: string) => numberAt(value, key) ?? Number.NaN
  const cursor: Cursor = {
    path: text('path'),
    inode: stringAt(value, 'inode') ?? null,
    generation: number('generation'),
    offset: number('offset'),
    line: number('line'),
    headLength: number('headLength'),
    headHash: text('headHash'),
    tailLength: number('tailLength'),
    tailHash: text('tailHash'),
    prefixSum: number('prefixSum'),
    sizeBytes: number('sizeBytes'),
    modifiedAt: number('modifiedAt'),
    settled: booleanAt(value, 'settled') ?? false,
  }
  const { path, generation, offset, line, sizeBytes, prefixSum, modifiedAt } = cursor
  const isSound =
    path !== '' &&
    [generation, offset, line, sizeBytes, prefixSum - NO_SUM].every((it) => Number.isSafeInteger(it) && it >= 0) &&
    prefixSum <= 0xffff_ffff &&
    cursor.headLength === Math.min(HEAD_BYTES, offset) &&
    cursor.tailLength === Math.min(TAIL_BYTES, offset) &&
    Number.isFinite(modifiedAt)
  return isSound ? cursor : undefined
}

/** Whether the bytes before the offset are those that were read. Compares as many as `look` says. */
function compare(
  cursor: Cursor,
  source: Source,
  entry: SourceEntry,
  { hash = sha256Of, thorough = false }: LookOptions,
): 'held' | 'different' | 'shorter' | 'gone' {
  if (cursor.offset === 0) return 'held'
  const { offset, headLength, tailLength } = cursor
  const isSameInode = inodeOf(entry) === cursor.inode
  const isAtRest = cursor.settled && isUntouched(cursor, entry)
  if (!thorough && isAtRest && isSameInode && entry.path === cursor.path) return 'held'

  const tail = readRange(source, entry, offset - tailLength, offset)
  const head = readRange(source, entry, 0, headLength)
  if (!tail || !head) return 'gone'
  if (tail.length < tailLength || head.length < headLength) return 'shorter'
  if (hash(head) !== cursor.headHash || hash(tail) !== cursor.tailHash) return 'different'

  const isAppended = isSameInode && entry.sizeBytes > cursor.sizeBytes
  if (!thorough && (isAtRest || isAppended)) return 'held'
  const isSummed = cursor.prefixSum !== UNSUMMED
  return isSummed && sumOf(source, entry, 0, offset, 0) === cursor.prefixSum ? 'held' : 'different'
}

/** Whether size and time of a file are as they were. */
export function isUntouched(cursor: Cursor, entry: SourceEntry): boolean {
  return entry.sizeBytes === cursor.sizeBytes && entry.modifiedAt === cursor.modifiedAt
}

/** What is known of a file without reading it. */
export function statOf(entry: SourceEntry): Pick<Cursor, 'path' | 'inode' | 'sizeBytes' | 'modifiedAt'> {
  return { path: entry.path, inode: inodeOf(entry), sizeBytes: entry.sizeBytes, modifiedAt: entry.modifiedAt }
}

/** The inode of a file, if its source knows one. */
export function inodeOf(entry: SourceEntry): string | null {
  return entry.inode ?? null
}

/** Bytes from `from` to `to`: fewer where the file ends, `undefined` where it is gone. */
function readRange(source: Source, entry: SourceEntry, from: number, to: number): Uint8Array | undefined {
  const bytes = new Uint8Array(to - from)
  const filled = fill((at, into) => source.read(entry, at, into), from, bytes)
  return filled === undefined ? undefined : bytes.subarray(0, filled)
}

/** `seen` are the bytes of that stretch, if the reader kept all of them. */
function hashOf(
  source: Source,
  entry: SourceEntry,
  from: number,
  to: number,
  hash: Hash,
  seen: Uint8Array | undefined,
): string {
  const bytes = seen?.length === to - from ? seen : readRange(source, entry, from, to)
  return bytes?.length === to - from ? hash(bytes) : NO_HASH
}

/** Carries a CRC-32 on over a stretch of the file; `NO_SUM` when the stretch is not all there. */
function sumOf(source: Source, entry: SourceEntry, from: number, to: number, before: number): number {
  const chunk = new Uint8Array(Math.min(CHUNK_BYTES, to - from))
  let sum = before
  for (let at = from; at < to && sum !== NO_SUM; ) {
    const part = chunk.subarray(0, Math.min(chunk.length, to - at))
    const count = source.read(entry, at, part) ?? 0
    sum = count > 0 ? crc32(part.subarray(0, count), sum) : NO_SUM
    at += count
  }
  return sum
}

/** The source, with the bytes from `start` on as they were taken from it. */
function withTaken(source: Source, start: number, bytes: Uint8Array): Source {
  return {
    list: () => source.list(),
    read(entry, offset, into) {
      if (offset < start) return source.read(entry, offset, into.subarray(0, start - offset))
      const part = bytes.subarray(offset - start, offset - start + into.length)
      into.set(part)
      return part.length
    },
  }
}
