import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  asFailure,
  makePrivateFolder,
  readWhole,
  syncFolder,
  writeAllAt,
  writeNewFile,
  writePrivateFile,
} from '../state/private-file.ts'
import type { Archive } from './archive.ts'
import type { Ownership } from './object-owners.ts'
import { Objects } from './objects.ts'

/** An object that has no place in any file, and is kept beside those that have. */
export interface LostObject {
  readonly file: string
  readonly sha256: string
  /** `null` where it cannot be read. */
  readonly bytes: number | null
  readonly owners: readonly Ownership[]
}

/** The folder of objects without a place, and how it is named on a command line. */
export const LOST_FOUND = 'lost+found'

/** The objects without a place. */
export function lostObjects({ folder }: Archive): readonly LostObject[] {
  const lost = lostIn(folder)
  return [...lost.hashes()].sort().map((sha256) => {
    const unpacked = lost.unpack(sha256)
    const bytes = typeof unpacked === 'string' ? null : unpacked.bytes.length
    return { file: lost.path(sha256), sha256, bytes, owners: lost.owners(sha256).owners }
  })
}

/** Puts an object aside, with the word whose it was. */
export function moveToLostFound({ folder, objects }: Archive, sha256: string): void {
  const lost = lostIn(folder)
  makePrivateFolder(lost.folder)
  // An object is never without the word beside it.
  const owners = readWhole(objects.ownersPath(sha256))
  if (owners) writePrivateFile(lost.ownersPath(sha256), owners)
  renameSync(objects.path(sha256), lost.path(sha256))
  syncFolder(lost.folder)
  rmSync(objects.ownersPath(sha256), { force: true })
}

/** Writes what objects without a place hold into a folder, each under its own name; gives the files and those that were there. */
export function restoreLost(
  archive: Archive,
  to: string,
): { readonly written: readonly string[]; readonly bytes: number } {
  const written: string[] = []
  let bytes = 0
  try {
    mkdirSync(to, { recursive: true, mode: 0o700 })
    const lost = lostIn(archive.folder)
    for (const sha256 of lost.hashes()) {
      const unpacked = lost.unpack(sha256)
      const target = join(to, sha256)
      if (typeof unpacked === 'string' || existsSync(target)) continue
      writeNewFile(target, (fd) => writeAllAt(fd, unpacked.bytes, 0))
      written.push(target)
      bytes += unpacked.bytes.length
    }
    syncFolder(to)
    return { written, bytes }
  } catch (error) {
    throw asFailure(error, to, 'The folder')
  }
}

/** The objects that were put aside lie as those in use do. */
export function lostIn(archive: string): Objects {
  return new Objects(archive, LOST_FOUND)
}
