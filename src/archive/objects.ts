import { createHash } from 'node:crypto'
import { closeSync, fstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { crc32, gunzipSync, gzip } from 'node:zlib'
import { openRegular } from '../disk/regular-file.ts'
import { readWhole, writePrivateFileSoon } from '../state/private-file.ts'
import type { Frame } from './manifest-line.ts'

/** A stretch of raw bytes that is to be stored. */
export interface Piece {
  readonly offset: number
  readonly bytes: Uint8Array
  readonly sha256: string
}

/** Why an object does not give what it should, in words. */
export type Flaw = string

/**
 * Frames are no larger, so that a read from the middle of a file costs little; and no smaller but at the end of a file, since
 * small ones compress badly: the last is packed anew with what follows until it has this much.
 */
export const MOST_FRAME_BYTES = 1024 * 1024
export const LEAST_FRAME_BYTES = 128 * 1024

/** Cuts bytes that begin at `offset` into frames. */
export function cut(bytes: Uint8Array, offset: number): Piece[] {
  const pieces: Piece[] = []
  for (let from = 0; from < bytes.length; ) {
    const left = bytes.length - from
    const length = left <= MOST_FRAME_BYTES + LEAST_FRAME_BYTES ? left : MOST_FRAME_BYTES
    const part = bytes.subarray(from, from + length)
    pieces.push({ offset: offset + from, bytes: part, sha256: sha256Of(part) })
    from += length
  }
  return pieces
}

/** The objects of an archive: each a gzip file that is named after the SHA-256 of what is in it. */
export class Objects {
  readonly folder: string

  constructor(archive: string) {
    this.folder = join(archive, 'data')
  }

  path(sha256: string): string {
    return join(this.folder, `${sha256}.gz`)
  }

  /** Stores a piece. It is whole on the disk when this is done; the folder that names it has to be synced once after all. */
  async write({ offset, bytes, sha256 }: Piece): Promise<Frame> {
    const stored = await compress(bytes, { level: 6, memLevel: 9 })
    await writePrivateFileSoon(this.path(sha256), stored)
    return { offset, rawBytes: bytes.length, storedBytes: stored.length, sum: sumOf(stored), sha256 }
  }

  /** The raw bytes of a frame, or what is wrong. Without `thorough` what gzip itself checks is enough. */
  read(frame: Frame, options: { readonly thorough?: boolean } = {}): Buffer | Flaw {
    const stored = this.#stored(frame)
    if (typeof stored === 'string') return stored
    if (options.thorough) {
      if (stored.length !== frame.storedBytes) return `it has ${stored.length} bytes instead of ${frame.storedBytes}`
      if (sumOf(stored) !== frame.sum) return 'its bytes are not those that were written'
    }
    let raw: Buffer
    try {
      raw = gunzipSync(stored, { maxOutputLength: frame.rawBytes })
    } catch (error) {
      return error instanceof RangeError ? 'it holds more than it should' : 'it cannot be unpacked'
    }
    if (raw.length !== frame.rawBytes) return `it unpacks to ${raw.length} bytes instead of ${frame.rawBytes}`
    return options.thorough && sha256Of(raw) !== frame.sha256 ? 'it unpacks to something else' : raw
  }

  #stored({ sha256, storedBytes }: Frame): Buffer | Flaw {
    const path = this.path(sha256)
    const fd = openRegular(path)
    if (typeof fd !== 'number') return fd.kind === 'gone' ? 'it is missing' : fd.message
    try {
      const { size } = fstatSync(fd)
      if (size > storedBytes + 1024) return `it has ${size} bytes instead of ${storedBytes}`
    } finally {
      closeSync(fd)
    }
    return readWhole(path) ?? 'it is missing'
  }

  /** Whether an object is there with the right length. */
  has({ sha256, storedBytes }: Frame): boolean {
    const fd = openRegular(this.path(sha256))
    if (typeof fd !== 'number') return false
    try {
      return fstatSync(fd).size === storedBytes
    } finally {
      closeSync(fd)
    }
  }

  remove(sha256: string): void {
    rmSync(this.path(sha256), { force: true })
  }

  /** The names of everything in the folder, whatever it is. */
  names(): readonly string[] {
    try {
      return readdirSync(this.folder)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
      throw error
    }
  }

  /** Removes what nothing refers to: left by one that was killed, or by a purge. Gives how many and how large. */
  sweep(references: ReadonlyMap<string, number>): number {
    const idle = this.idle(references)
    for (const name of idle) rmSync(join(this.folder, name), { force: true })
    return idle.length
  }

  /** Our own files that nothing refers to. */
  idle(references: ReadonlyMap<string, number>): readonly string[] {
    return this.names().filter((name) => {
      const [, sha256, isUnfinished] = /^([0-9a-f]{64})\.gz(\.tmp)?$/.exec(name) ?? []
      return sha256 !== undefined && (isUnfinished !== undefined || !references.has(sha256))
    })
  }
}

/** A hash as hex digits. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

const compress = promisify<Uint8Array, { level: number; memLevel: number }, Buffer>(gzip)

function sumOf(bytes: Uint8Array): string {
  return crc32(bytes).toString(16).padStart(8, '0')
}
