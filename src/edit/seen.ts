import { type BigIntStats, fstatSync, lstatSync, readSync } from 'node:fs'
import { basename } from 'node:path'
import { Failure } from '../core/failure.ts'
import { advance, type Cursor, look, startCursor } from '../disk/cursor.ts'
import { withRegular } from '../disk/regular-file.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { readWhole } from '../state/private-file.ts'

/** A file as it was when it was looked at: every byte of it, and what is put back with them. Plain data. */
export interface Seen {
  readonly cursor: Cursor
  readonly mode: number
}

/** What became of a file since: `grown` where it has all bytes that were seen and more after them. */
export type Change = 'same' | 'grown' | 'changed' | 'gone'

/** Looks at a file, all of it; `undefined` where there is none. What is not a regular file is refused with a sentence. */
export function seeFile(path: string): Seen | undefined {
  const entry = entryAt(path)
  if (!entry) return undefined
  const cursor = advance(startCursor(entry, 1, true), FILES, entry, { offset: entry.sizeBytes, line: 0 })
  if (cursor.prefixSum < 0) throw new Failure('CANNOT_RUN', `${path} changed while it was read.`, { hint: AGAIN })
  return { cursor, mode: entry.mode }
}

/** The same, for a file that must be there. */
export function mustSee(path: string): Seen {
  const seen = seeFile(path)
  if (seen) return seen
  throw new Failure('NOT_FOUND', `There is no file ${path}.`, { hint: AGAIN })
}

/** What will be seen of a file once these bytes stand in it. */
export function seenAs(path: string, bytes: Uint8Array, mode: number): Seen {
  const entry = { root: path, path, sizeBytes: bytes.length, modifiedAt: 0 }
  const source: Source = {
    list: () => [entry],
    read(_, offset, into) {
      const part = bytes.subarray(offset, offset + into.length)
      into.set(part)
      return part.length
    },
  }
  return { cursor: advance(startCursor(entry), source, entry, { offset: bytes.length, line: 0 }), mode }
}

/** Compares a file with what was seen of it, byte for byte; it may lie elsewhere by now. */
export function changeOf({ cursor }: Seen, path = cursor.path): Change {
  const entry = entryAt(path)
  if (!entry) return 'gone'
  const { kind } = look({ ...cursor, path }, FILES, entry, { thorough: true })
  if (kind === 'same') return entry.sizeBytes === cursor.sizeBytes ? 'same' : 'changed'
  // Of an empty file, everything is what was appended to it.
  return kind === 'grown' ? 'grown' : kind === 'gone' ? 'gone' : 'changed'
}

/** Whether nothing tells that a file was touched since: asked right before a step, when all bytes were compared already. */
export function isUntouchedSince({ cursor }: Seen, path = cursor.path): boolean {
  const entry = entryAt(path)
  return entry?.sizeBytes === cursor.sizeBytes && entry.inode === cursor.inode && entry.modifiedAt === cursor.modifiedAt
}

/** The bytes of a file from an offset on. */
export function bytesFrom(path: string, offset: number): Buffer {
  return (readWhole(path) ?? Buffer.alloc(0)).subarray(offset)
}

const AGAIN = 'Nothing was changed. Try again.'

interface Entry extends SourceEntry {
  readonly inode: string
  readonly mode: number
}

function entryAt(path: string): Entry | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (stats?.isFile()) return toEntry(path, stats)
  if (stats === undefined) return undefined
  const what = stats.isSymbolicLink() ? 'a link' : stats.isDirectory() ? 'a folder' : 'not a regular file'
  throw new Failure('CANNOT_RUN', `${path} is ${what}, and is left alone.`, {
    hint: `Look at ${basename(path)} first.`,
  })
}

function toEntry(path: string, stats: BigIntStats): Entry {
  const modifiedAt = Number(stats.mtimeNs) / 1e6
  const inode = `${stats.dev}:${stats.ino}`
  return { root: path, path, sizeBytes: Number(stats.size), modifiedAt, inode, mode: Number(stats.mode) & 0o7777 }
}

/** Any plain file of the machine, opened for each read: a few large ones are all that is asked for. */
const FILES: Source = {
  list: () => [],
  read({ path }, offset, into) {
    const fill = (fd: number) => (fstatSync(fd).size < offset ? 0 : readSync(fd, into, 0, into.length, offset))
    return withRegular(path, fill, () => undefined)
  },
}
