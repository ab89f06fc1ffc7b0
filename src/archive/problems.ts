import type { Archive } from './archive.ts'
import { endOf, type KeptFile } from './kept-state.ts'
import { flawOfBefore } from './manifest-read.ts'
import type { Ownership } from './object-owners.ts'
import { type Stray, straysOf } from './strays.ts'

/** Something wrong with an archive, and what it touches. */
export interface ArchiveProblem {
  readonly kind: 'manifest' | 'before' | 'object' | 'owners' | 'stray' | 'lost' | 'permissions'
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

/** What can be told without unpacking everything, and forbids to change an archive: a damaged manifest, objects it does not know. */
export function gravestProblems(archive: Archive): readonly ArchiveProblem[] {
  const problems = manifestProblems(archive).filter(({ isLoss }) => isLoss)
  return problems.length > 0 ? problems : strayProblems(archive, straysOf(archive))
}

/** What is wrong with the manifest. */
export function manifestProblems({ manifest }: Archive): ArchiveProblem[] {
  const { damage, path: file, state } = manifest
  return damage.map(({ line, offset, length, reason, file: id, mended }) => {
    const touched = id === undefined ? undefined : state.files.get(id)
    const touches = touched && !mended ? [wholeOf(touched)] : []
    const outcome = mended ? 'Nothing is lost by it.' : 'It cannot be relied on.'
    const where = line === 0 ? '' : `Line ${line}, bytes ${offset} to ${offset + length}: `
    const message = `${line === 0 ? sentence(reason) : `${where}${reason}.`} ${outcome}`
    return { kind: 'manifest', file, message, touches, isLoss: !mended, repaired: false }
  })
}

function wholeOf(file: KeptFile): Touched {
  const { owner: session, root, path, generations } = file
  const to = Math.max(...generations.map(endOf), 0)
  return { session, root, path, generation: generations.length, from: 0, to }
}

/** What is wrong with the copy of the manifest before. Archives of the first format have none. */
export function beforeProblems({ manifest, folder }: Archive): ArchiveProblem[] {
  const flaw = manifest.format === 2 ? flawOfBefore(folder) : undefined
  if (flaw === undefined) return []
  const message = `${sentence(flaw)} The manifest itself does not need it.`
  return [{ kind: 'before', file: manifest.before, message, touches: [], isLoss: false, repaired: false }]
}

/** Objects that may be all that is left of something. */
export function strayProblems({ objects }: Archive, strays: readonly Stray[]): ArchiveProblem[] {
  const alone = strays.filter(({ kind }) => kind === 'alone')
  return alone.map(({ sha256, owners }) => {
    const message = 'Nothing in the manifest refers to it, and it may be all that is left of something.'
    const touches = owners.map(touchedOwner)
    return { kind: 'stray', file: objects.path(sha256), message, touches, isLoss: false, repaired: false }
  })
}

function touchedOwner({ session, root, path, generation, offset }: Ownership): Touched {
  return { session, root, path, generation, from: offset, to: offset }
}

/** Words as a sentence. */
export function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}
