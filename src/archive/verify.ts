import { chmodSync, closeSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { openRegular } from '../disk/regular-file.ts'
import { isOpenToOthers, syncFolder } from '../state/private-file.ts'
import { type Amount, type Archive, amountOf, changeArchive, clearLeftovers, readArchive } from './archive.ts'
import { endOf, isWhole, type KeptFile, newest } from './kept-state.ts'
import type { Frame } from './manifest-line.ts'
import { sha256Of } from './objects.ts'
import { syncArchive } from './sync.ts'

/** Something wrong with an archive, and what it touches. */
export interface ArchiveProblem {
  readonly kind: 'manifest' | 'object' | 'permissions'
  /** The file of the archive in which it is. */
  readonly file: string
  readonly message: string
  readonly touches: readonly Touched[]
  /** Something is gone that only an original can bring back. */
  readonly isLoss: boolean
  readonly repaired: boolean
}

/** A stretch of a kept file that cannot be relied on. */
export interface Touched {
  readonly session: string | null
  readonly root: string
  readonly path: string
  readonly generation: number
  readonly from: number
  readonly to: number
}

/** What a check of everything found. */
export interface Verified extends Amount {
  readonly objects: number
  /** Objects that nothing refers to: harmless, and cleared away by the next repair or purge. */
  readonly idle: number
  readonly problems: readonly ArchiveProblem[]
}

export interface VerifyOptions {
  readonly now: Date
  readonly progress?: (doneBytes: number, totalBytes: number) => void
}

/** Reads everything again and compares it with its hashes. Changes nothing. */
export function verifyArchive(folder: string, options: VerifyOptions): Verified {
  for (let round = 0; ; round++) {
    const archive = readArchive(folder)
    const found = examine(archive, options)
    // Another process may have packed something anew meanwhile.
    const isSame = readArchive(folder).manifest.changedAt === archive.manifest.changedAt
    if (found.problems.length === 0 || isSame || round === 2) return found
  }
}

/** The same, and puts right what can be: from the originals where they still are, byte for byte, and from the manifest's own hashes. */
export async function repairArchive(folder: string, options: VerifyOptions): Promise<Verified> {
  const lost: KeptFile[] = []
  const verified = await changeArchive(folder, async (archive) => {
    const found = examine(archive, options)
    const problems: ArchiveProblem[] = []
    for (const problem of found.problems) problems.push({ ...problem, repaired: await repair(archive, problem) })
    const { manifest, objects, lock } = archive
    for (const file of manifest.state.files.values()) if (file.isDamaged) lost.push(file)
    const isSure = !manifest.isDamaged
    for (const file of lost) makeWhole(file)
    lock.check()
    if (problems.length > 0) {
      syncFolder(objects.folder)
      manifest.rewrite(options.now)
    }
    // What a damaged manifest does not speak of may be all that is left of something.
    if (isSure) clearLeftovers(archive)
    return { ...found, problems }
  })
  const retaken = await takeAgain(folder, lost, options.now)
  const problems = verified.problems.map((problem) => {
    const isBack =
      problem.touches.length > 0 && problem.touches.every(({ root, path }) => retaken.has(join(root, path)))
    return { ...problem, repaired: problem.repaired || isBack }
  })
  return { ...verified, problems }
}

function examine(archive: Archive, { progress }: VerifyOptions): Verified {
  const { manifest, objects } = archive
  const { state } = manifest
  const users = new Map<string, { readonly frame: Frame; readonly touches: Touched[] }>()
  for (const { file, generation, frame } of state.frames()) {
    const user = users.get(frame.sha256) ?? { frame, touches: [] }
    user.touches.push(touchedBy(file, generation, frame))
    users.set(frame.sha256, user)
  }
  const amount = amountOf(state.files.values())
  const problems = [...manifestProblems(archive), ...modeProblems(archive)]
  let done = 0
  for (const { frame, touches } of users.values()) {
    const file = objects.path(frame.sha256)
    const bytes = objects.read(frame, { thorough: true })
    if (typeof bytes === 'string') {
      problems.push({ kind: 'object', file, message: sentence(bytes), touches, isLoss: true, repaired: false })
    }
    done += frame.storedBytes
    progress?.(done, amount.bytesStored)
  }
  return { ...amount, objects: users.size, idle: objects.idle(state.references()).length, problems }
}

function touchedBy(file: KeptFile, generation: number, frame: Frame): Touched {
  const { owner: session, root, path } = file
  return { session, root, path, generation, from: frame.offset, to: frame.offset + frame.rawBytes }
}

function manifestProblems({ manifest }: Archive): ArchiveProblem[] {
  const { damage, path: file, state } = manifest
  return damage.map(({ line, offset, length, reason, file: id, mended }) => {
    const touched = id === undefined ? undefined : state.files.get(id)
    const end = touched ? Math.max(...touched.generations.map(endOf), 0) : 0
    const touches = touched && !mended ? [{ ...placeOf(touched), from: 0, to: end }] : []
    const outcome = mended ? 'Nothing is lost by it.' : 'What it said is lost.'
    const where = `Line ${line}, bytes ${offset} to ${offset + length}`
    const message = `${where}: ${reason}. ${outcome}`
    return { kind: 'manifest', file, message, touches, isLoss: !mended, repaired: false }
  })
}

function placeOf({ owner: session, root, path, generations }: KeptFile) {
  return { session, root, path, generation: generations.length }
}

function modeProblems({ folder, manifest, objects }: Archive): ArchiveProblem[] {
  const paths = [folder, objects.folder, manifest.path, ...objects.names().map((name) => join(objects.folder, name))]
  const message = 'Others on this machine can read it.'
  return paths
    .filter(isOpenToOthers)
    .map((file) => ({ kind: 'permissions', file, message, touches: [], isLoss: false, repaired: false }))
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}

/** Puts one thing right; says whether it could. */
async function repair(archive: Archive, problem: ArchiveProblem): Promise<boolean> {
  const { folder, objects } = archive
  if (problem.kind === 'permissions') {
    chmodSync(problem.file, problem.file === folder || problem.file === objects.folder ? 0o700 : 0o600)
  }
  // The manifest is written anew when all is done.
  if (problem.kind !== 'object') return !problem.isLoss
  for (const touched of problem.touches) {
    const bytes = readOriginal(touched)
    if (!bytes) continue
    const sha256 = sha256Of(bytes)
    if (problem.file !== objects.path(sha256)) continue
    const frame = await objects.write({ offset: touched.from, bytes, sha256 })
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

function readOriginal({ root, path, from, to }: Touched): Buffer | undefined {
  const fd = openRegular(join(root, path))
  if (typeof fd !== 'number') return undefined
  try {
    const bytes = Buffer.alloc(to - from)
    for (let filled = 0; filled < bytes.length; ) {
      const count = readSync(fd, bytes, filled, bytes.length - filled, from + filled)
      if (count === 0) return undefined
      filled += count
    }
    return bytes
  } catch {
    return undefined
  } finally {
    closeSync(fd)
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
  const { taken } = await syncArchive(folder, { roots, now, only: ({ entry }) => paths.has(entry.path) })
  return new Set(taken.map(({ root, path }) => join(root, path)))
}
