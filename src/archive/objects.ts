import { fstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, sha256Of } from '../disk/checksums.ts'
import { errorCode, withRegular } from '../disk/regular-file.ts'
import { readWhole, writePrivateFileSoon } from '../state/private-file.ts'
import { type Frame, MOST_RAW_BYTES } from './manifest-line.ts'
import { keyOfOwner, type Owners, type Ownership, readOwners, writeOwners } from './object-owners.ts'

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

  constructor(archive: string, folder = 'data') {
    this.folder = join(archive, folder)
  }

  path(sha256: string): string {
    return join(this.folder, `${sha256}.gz`)
  }

  /** The file beside an object that says whose it is. */
  ownersPath(sha256: string): string {
    return join(this.folder, `${sha256}.of`)
  }

  /**
   * Stores a piece. Whose it is stands on the disk before the object does, so that one without a word beside it was not left by a
   * crash. Both are whole when this is done; the folder that names them has to be synced once after all.
   */
  async write({ offset, bytes, sha256 }: Piece, owners: readonly Ownership[]): Promise<Frame> {
    const stored = await compress(bytes)
    await this.addOwners(sha256, owners)
    await writePrivateFileSoon(this.path(sha256), stored)
    return { offset, rawBytes: bytes.length, storedBytes: stored.length, sum: sumOf(stored), sha256 }
  }

  /** Notes more owners of an object, beside those it has. */
  async addOwners(sha256: string, more: readonly Ownership[]): Promise<void> {
    const { owners, isDamaged } = this.owners(sha256)
    const known = new Set(owners.map(keyOfOwner))
    const added = more.filter((owner) => !known.has(keyOfOwner(owner)))
    if (added.length > 0 || isDamaged) await this.setOwners(sha256, [...owners, ...added])
  }

  async setOwners(sha256: string, owners: readonly Ownership[]): Promise<void> {
    await writePrivateFileSoon(this.ownersPath(sha256), Buffer.from(writeOwners(sha256, owners)))
  }

  /** Whose an object is; nobody's where nothing stands beside it. */
  owners(sha256: string): Owners {
    const bytes = readWhole(this.ownersPath(sha256))
    return bytes ? readOwners(sha256, bytes.toString('utf8')) : { owners: [], isDamaged: false }
  }

  /** The raw bytes of a frame, or what is wrong. Without `thorough` what gzip itself checks is enough. */
  read(frame: Frame, options: { readonly thorough?: boolean } = {}): Buffer | Flaw {
    const stored = this.#stored(frame)
    if (typeof stored === 'string') return stored
    if (options.thorough) {
      if (stored.length !== frame.storedBytes) return `it has ${stored.length} bytes instead of ${frame.storedBytes}`
      if (sumOf(stored) !== frame.sum) return 'its bytes have changed since they were written'
    }
    let raw: Buffer
    try {
      raw = zlib().gunzipSync(stored, { maxOutputLength: frame.rawBytes })
    } catch (error) {
      return error instanceof RangeError ? 'it holds more than it should' : 'it cannot be unpacked'
    }
    if (raw.length !== frame.rawBytes) return `it unpacks to ${raw.length} bytes instead of ${frame.rawBytes}`
    return options.thorough && sha256Of(raw) !== frame.sha256 ? 'its content has changed' : raw
  }

  /** What an object holds of which nothing is known but its name, and the frame that it makes at an offset; or what is wrong. */
  unpack(sha256: string, offset = 0): { readonly bytes: Buffer; readonly frame: Frame } | Flaw {
    const stored = this.#stored({ sha256, storedBytes: MOST_RAW_BYTES })
    if (typeof stored === 'string') return stored
    try {
      const bytes = zlib().gunzipSync(stored, { maxOutputLength: MOST_RAW_BYTES })
      if (sha256Of(bytes) !== sha256) return 'its content has changed'
      return {
        bytes,
        frame: { offset, rawBytes: bytes.length, storedBytes: stored.length, sum: sumOf(stored), sha256 },
      }
    } catch {
      return 'it cannot be unpacked'
    }
  }

  #stored({ sha256, storedBytes }: Pick<Frame, 'sha256' | 'storedBytes'>): Buffer | Flaw {
    const read = (fd: number): Buffer | Flaw => {
      const { size } = fstatSync(fd)
      return size > storedBytes + 1024 ? `it has ${size} bytes instead of ${storedBytes}` : readFileSync(fd)
    }
    return withRegular(this.path(sha256), read, ({ kind, message }) => (kind === 'gone' ? 'it is missing' : message))
  }

  /** Whether an object is there with the right length. */
  has({ sha256, storedBytes }: Frame): boolean {
    return withRegular(
      this.path(sha256),
      (fd) => fstatSync(fd).size === storedBytes,
      () => false,
    )
  }

  /** Removes an object, and only then the word whose it was. */
  remove(sha256: string): void {
    rmSync(this.path(sha256), { force: true })
    rmSync(this.ownersPath(sha256), { force: true })
  }

  /** The names of all objects that are there. */
  *hashes(): Generator<string> {
    for (const name of this.names()) {
      const [, sha256] = /^([0-9a-f]{64})\.gz$/.exec(name) ?? []
      if (sha256 !== undefined) yield sha256
    }
  }

  /** The names of everything in the folder, whatever it is. */
  names(): readonly string[] {
    try {
      return readdirSync(this.folder)
    } catch (error) {
      // Below what is no folder there is nothing.
      if (/^(ENOENT|ENOTDIR)$/.test(errorCode(error) ?? '')) return []
      throw error
    }
  }

  /** The names of what is no object: files that were never finished, and words beside objects that are gone. */
  unfinished(references: ReadonlyMap<string, number>): readonly string[] {
    const names = new Set(this.names())
    return [...names].filter((name) => {
      const [, sha256 = '', rest] = /^([0-9a-f]{64})(\.gz\.tmp|\.of\.tmp|\.of)$/.exec(name) ?? []
      const isOwned = names.has(`${sha256}.gz`) || references.has(sha256)
      return rest !== undefined && !(rest === '.of' && isOwned)
    })
  }

  /** Removes these. */
  tidy(references: ReadonlyMap<string, number>): void {
    for (const name of this.unfinished(references)) rmSync(join(this.folder, name), { force: true })
  }
}

// Loaded when a file is kept or read from here: most commands do neither.
const zlib = () => process.getBuiltinModule('node:zlib')

function compress(bytes: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    zlib().gzip(bytes, { level: 6, memLevel: 9 }, (error, packed) => (error ? reject(error) : resolve(packed)))
  })
}

function sumOf(bytes: Uint8Array): string {
  return crc32(bytes).toString(16).padStart(8, '0')
}
