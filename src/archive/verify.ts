import { join } from 'node:path'
import { isOpenToOthers } from '../state/private-file.ts'
import { type Amount, type Archive, amountOf, readArchive } from './archive.ts'
import type { KeptFile } from './kept-state.ts'
import { type LostObject, lostIn, lostObjects } from './lost-found.ts'
import type { Frame } from './manifest-line.ts'
import {
  type ArchiveProblem,
  beforeProblems,
  manifestProblems,
  sentence,
  strayProblems,
  type Touched,
} from './problems.ts'
import { recoverState } from './recover.ts'
import { straysOf } from './strays.ts'
import { wrongOwners } from './upkeep.ts'

/** What a check of everything found. */
export interface Verified extends Amount {
  readonly objects: number
  /** Objects that nothing refers to and that hold nothing of their own: cleared away by the next keep. */
  readonly idle: number
  readonly problems: readonly ArchiveProblem[]
  /** Objects that have no place in any file. */
  readonly lost: readonly LostObject[]
}

export interface VerifyOptions {
  readonly now: Date
  readonly progress?: (doneBytes: number, totalBytes: number) => void
}

/** Reads everything again and compares it with its hashes. Changes nothing. */
export function verifyArchive(folder: string, options: VerifyOptions): Verified {
  let found: Verified | undefined
  for (let round = 0; ; round++) {
    const archive = readArchive(folder)
    recoverIfNeeded(archive)
    const { problems, ...rest } = examine(archive, options)
    const keys = found && new Set(found.problems.map(keyOfProblem))
    // Another process may write meanwhile: what it touches is wrong in one look only.
    found = { ...rest, problems: keys ? problems.filter((one) => keys.has(keyOfProblem(one))) : problems }
    const isSame = readArchive(folder).manifest.sequence === archive.manifest.sequence
    if (found.problems.length === 0 || isSame || round === 3) return found
  }
}

function keyOfProblem({ file, message }: ArchiveProblem): string {
  return `${file}\0${message}`
}

/** Where the manifest is not all there, puts back in memory what objects say; gives the files and the number to go on from. */
export function recoverIfNeeded(archive: Archive): ReturnType<typeof recoverState> | undefined {
  const { manifest } = archive
  const isOld = () =>
    straysOf(archive).some(
      ({ kind, owners }) => kind === 'alone' && owners.some(({ commit }) => commit > manifest.sequence),
    )
  return manifest.isDamaged || isOld() ? recoverState(archive) : undefined
}

/** Looks at everything. */
export function examine(archive: Archive, { progress }: VerifyOptions): Verified {
  const { manifest, objects } = archive
  const { state } = manifest
  const users = new Map<string, { readonly frame: Frame; readonly touches: Touched[] }>()
  for (const { file, generation, frame } of state.frames()) {
    const user = users.get(frame.sha256) ?? { frame, touches: [] }
    user.touches.push(touchedBy(file, generation, frame))
    users.set(frame.sha256, user)
  }
  const amount = amountOf(state.files.values())
  const problems = [...manifestProblems(archive), ...beforeProblems(archive), ...modeProblems(archive)]
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
  const strays = straysOf(archive)
  const lost = lostObjects(archive)
  problems.push(...ownerProblems(archive), ...strayProblems(archive, strays), ...lostProblems(lost))
  const idle = strays.filter(({ kind }) => kind !== 'alone').length + objects.unfinished(state.references()).length
  return { ...amount, objects: users.size, idle, problems, lost }
}

function touchedBy(file: KeptFile, generation: number, frame: Frame): Touched {
  const { owner: session, root, path } = file
  return { session, root, path, generation, from: frame.offset, to: frame.offset + frame.rawBytes }
}

/** The words beside objects are compared with the manifest. Archives of the first format have none. */
function ownerProblems(archive: Archive): ArchiveProblem[] {
  const { manifest, objects } = archive
  if (manifest.format === 1) return []
  return Array.from(wrongOwners(archive), ({ sha256, areNamed }) => {
    const message = `${areNamed ? 'One of its lines has changed since it was written.' : 'It does not name all whose the object is.'} The manifest does.`
    return { kind: 'owners', file: objects.ownersPath(sha256), message, touches: [], isLoss: false, repaired: false }
  })
}

function lostProblems(lost: readonly LostObject[]): ArchiveProblem[] {
  const unreadable = lost.filter(({ bytes }) => bytes === null)
  const message = 'It belongs to no file and cannot be unpacked. Delete it once you have looked at it.'
  return unreadable.map(({ file }) => ({ kind: 'lost', file, message, touches: [], isLoss: true, repaired: false }))
}

function modeProblems({ folder, manifest, objects }: Archive): ArchiveProblem[] {
  const lost = lostIn(folder)
  const inFolders = [objects, lost].flatMap((one) => one.names().map((name) => join(one.folder, name)))
  const paths = [folder, objects.folder, lost.folder, manifest.path, manifest.before, ...inFolders]
  const message = 'Others on this machine can read it.'
  return paths
    .filter(isOpenToOthers)
    .map((file) => ({ kind: 'permissions', file, message, touches: [], isLoss: false, repaired: false }))
}
