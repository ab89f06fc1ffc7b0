import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sha256Of } from '../disk/checksums.ts'
import type { Archive } from './archive.ts'
import { withoutPurged } from './history.ts'
import { HISTORY } from './kept-files.ts'
import { lostIn, moveToLostFound } from './lost-found.ts'
import type { Ownership } from './object-owners.ts'
import { readOriginal } from './original.ts'
import { purgedHash } from './purged.ts'

/** An object that nothing in the manifest refers to. */
export interface Stray {
  readonly sha256: string
  readonly owners: readonly Ownership[]
  /**
   * `purged`: of a session that is to be forgotten. `unfinished`: of a transaction that never came to its end. `spare`: what it
   * holds is elsewhere too. `alone`: it may be all that is left of something.
   */
  readonly kind: 'purged' | 'unfinished' | 'spare' | 'alone'
}

/** The objects that nothing refers to. */
export function straysOf(archive: Archive): readonly Stray[] {
  const { manifest, objects } = archive
  const references = manifest.state.references()
  const strays: Stray[] = []
  for (const sha256 of objects.hashes()) {
    if (references.has(sha256)) continue
    const { owners } = objects.owners(sha256)
    const kind = kindOf(archive, sha256, owners)
    // Another process may have removed it meanwhile.
    if (kind !== 'alone' || existsSync(objects.path(sha256))) strays.push({ sha256, owners, kind })
  }
  return strays
}

function kindOf(archive: Archive, sha256: string, owners: readonly Ownership[]): Stray['kind'] {
  const { manifest } = archive
  if (owners.length > 0 && owners.every((owner) => isPurged(archive, owner))) return 'purged'
  // A transaction that is killed leaves the next number; a higher one was committed by a manifest that is gone.
  const isNext = owners.length > 0 && owners.every(({ commit }) => commit === manifest.sequence + 1)
  if (isNext && !manifest.isDamaged) return 'unfinished'
  return owners.some((owner) => isElsewhere(archive, sha256, owner)) ? 'spare' : 'alone'
}

/** Whether an owner was purged, by its session or its path. */
export function isPurged({ manifest }: Archive, { session, path }: Ownership): boolean {
  const { purged } = manifest.state
  return purged.size > 0 && ((session !== null && purged.has(purgedHash(session))) || purged.has(purgedHash(path)))
}

/** Clears away what killed processes left. What only such an object still holds is put aside, never thrown away. */
export function clearLeftovers(archive: Archive): void {
  const { manifest, objects } = archive
  if (manifest.isDamaged) return
  for (const { sha256, owners, kind } of straysOf(archive)) {
    if (kind === 'alone') continue
    const isNeeded = kind === 'unfinished' && typeof objects.unpack(sha256) !== 'string'
    if (isNeeded && !owners.some((owner) => isElsewhere(archive, sha256, owner))) moveToLostFound(archive, sha256)
    else objects.remove(sha256)
  }
  objects.tidy(manifest.state.references())
}

/** Removes what belongs to purged sessions alone, and their names beside what others have too. */
export async function clearPurged(archive: Archive): Promise<void> {
  const { manifest, folder } = archive
  if (manifest.state.purged.size === 0) return
  const references = manifest.state.references()
  for (const objects of [archive.objects, lostIn(folder)]) {
    for (const sha256 of objects.hashes()) {
      const { owners, isDamaged } = objects.owners(sha256)
      const others = owners.filter((owner) => !isPurged(archive, owner))
      if (others.length === owners.length && !isDamaged) continue
      const isNeeded =
        others.length > 0 || owners.length === 0 || (objects === archive.objects && references.has(sha256))
      if (isNeeded) await objects.setOwners(sha256, others)
      else objects.remove(sha256)
    }
  }
}

/** Whether the bytes of an object stand where its owner says: in the original, or in what the archive has of it. */
function isElsewhere(archive: Archive, sha256: string, owner: Ownership): boolean {
  const { manifest, objects } = archive
  const unpacked = objects.unpack(sha256, owner.offset)
  if (typeof unpacked === 'string') return false
  const { bytes } = unpacked
  const [from, to] = [owner.offset, owner.offset + bytes.length]
  const original = readOriginal(join(owner.root, owner.path), from, to)
  if (original && sha256Of(original) === sha256) return true
  const kept = manifest.state.find(owner.root, owner.path)
  const frames = kept?.generations[owner.generation - 1]?.frames ?? []
  const frame = frames.find(({ offset, rawBytes }) => offset <= from && offset + rawBytes >= to)
  const there = frame && objects.read(frame, { thorough: true })
  if (frame && Buffer.isBuffer(there) && there.subarray(from - frame.offset, to - frame.offset).equals(bytes))
    return true
  return owner.path === HISTORY && hasAllLines(archive, owner, bytes)
}

/** A purge takes lines out of a history, so its stretches move: every line that may stay is looked for. */
function hasAllLines({ manifest, objects }: Archive, owner: Ownership, bytes: Buffer): boolean {
  const { purged } = manifest.state
  const kept = manifest.state.find(owner.root, owner.path)
  const there = new Set<string>()
  for (const frame of kept?.generations[owner.generation - 1]?.frames ?? []) {
    const part = objects.read(frame, { thorough: true })
    if (typeof part !== 'string') for (const line of linesOf(part)) there.add(line)
  }
  return linesOf(withoutPurged(bytes, purged)).every((line) => there.has(line))
}

function linesOf(bytes: Buffer): readonly string[] {
  return bytes.toString('latin1').split('\n')
}
