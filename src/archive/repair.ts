import { chmodSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { sha256Of } from '../disk/checksums.ts'
import { type Archive, changeArchive } from './archive.ts'
import { endOf, isWhole, type KeptFile, newest } from './kept-state.ts'
import { lostObjects, moveToLostFound } from './lost-found.ts'
import type { Frame } from './manifest-line.ts'
import { readOriginal } from './original.ts'
import type { ArchiveProblem } from './problems.ts'
import { clearPurged } from './strays.ts'
import { syncArchive } from './sync.ts'
import { writeAnew } from './upkeep.ts'
import { examine, recoverIfNeeded, type Verified, type VerifyOptions } from './verify.ts'

/**
 * Checks everything and puts right what can be: from the manifest before, from the words beside objects, and from the originals
 * where they still are, byte for byte. No object that can be read is ever deleted: one without a place is put aside.
 */
export async function repairArchive(folder: string, options: VerifyOptions): Promise<Verified> {
  const lost: KeptFile[] = []
  const verified = await changeArchive(folder, async (archive) => {
    const { manifest, lock } = archive
    const recovered = recoverIfNeeded(archive)
    const found = examine(archive, options)
    const problems: ArchiveProblem[] = []
    const isPlaced = manifest.isSureOfPast || (recovered !== undefined && recovered.files.size > 0)
    lock.check()
    for (const problem of found.problems) {
      problems.push({ ...problem, repaired: await repair(archive, problem, isPlaced) })
    }
    for (const file of manifest.state.files.values()) {
      if (file.isDamaged || recovered?.files.has(file)) lost.push(file)
      if (file.isDamaged) makeWhole(file)
    }
    lock.check()
    if (recovered) manifest.countOnFrom(recovered.sequence)
    if (problems.length > 0) await writeAnew(archive, options.now)
    await clearPurged(archive)
    return { ...found, problems, lost: lostObjects(archive) }
  })
  const retaken = await takeAgain(folder, lost, options.now)
  const problems = verified.problems.map((problem) => {
    const isBack =
      problem.touches.length > 0 && problem.touches.every(({ root, path }) => retaken.has(join(root, path)))
    return { ...problem, repaired: problem.repaired || isBack }
  })
  return { ...verified, problems }
}

/** Puts one thing right; says whether it could. */
async function repair(archive: Archive, problem: ArchiveProblem, isPlaced: boolean): Promise<boolean> {
  const { kind, file, isLoss } = problem
  if (kind === 'permissions') chmodSync(file, statSync(file).isDirectory() ? 0o700 : 0o600)
  if (kind === 'stray') moveToLostFound(archive, basename(file, '.gz'))
  // What the manifest, the one before and the words beside objects lack is written when all is known.
  if (kind === 'manifest') return !isLoss || isPlaced
  return kind === 'object' ? remake(archive, problem) : !isLoss
}

/** Makes an object anew from the original, where that still has the very same bytes. */
async function remake(archive: Archive, { file, touches }: ArchiveProblem): Promise<boolean> {
  const { objects, manifest } = archive
  const commit = manifest.sequence
  const owners = touches.map(({ from: offset, to: _, ...one }) => ({ ...one, commit, offset }))
  for (const { root, path, from, to } of touches) {
    const bytes = readOriginal(join(root, path), from, to)
    const sha256 = bytes && sha256Of(bytes)
    if (!bytes || !sha256 || file !== objects.path(sha256)) continue
    const frame = await objects.write({ offset: from, bytes, sha256 }, owners)
    replaceFrames(archive, frame)
    return true
  }
  return false
}

/** Another version of gzip may pack the same bytes differently: all who use the object must know. */
function replaceFrames({ manifest }: Archive, made: Frame): void {
  for (const { generations } of manifest.state.files.values()) {
    for (const { frames } of generations) {
      for (const [at, frame] of frames.entries()) {
        if (frame.sha256 === made.sha256) frames[at] = { ...made, offset: frame.offset }
      }
    }
  }
}

/** Keeps of a damaged file what is certain. Its cursor is forgotten, so that the original is taken anew if it is still there. */
function makeWhole(file: KeptFile): void {
  if (file.generations.length === 0) file.generations.push({ frames: [], seen: undefined })
  for (const generation of file.generations) {
    const isLast = generation === newest(file)
    if (!isLast && isWhole(generation)) continue
    const modifiedAt = generation.seen?.modifiedAt ?? 0
    generation.seen = { bytes: endOf(generation), modifiedAt, cursor: '{}' }
  }
  file.isDamaged = false
}

async function takeAgain(folder: string, files: readonly KeptFile[], now: Date): Promise<ReadonlySet<string>> {
  if (files.length === 0) return new Set()
  const paths = new Set(files.map(({ root, path }) => join(root, path)))
  const roots = [...new Set(files.map(({ root }) => root))]
  const { taken } = await syncArchive(folder, {
    roots,
    now,
    only: ({ entry }) => paths.has(entry.path),
    leavesLeftovers: true,
  })
  return new Set(taken.map(({ root, path }) => join(root, path)))
}
