import type { Cursor } from '../disk/cursor.ts'
import type { SourceEntry } from '../disk/source.ts'
import type { Manifest } from './manifest.ts'
import type { Ownership } from './object-owners.ts'
import type { Piece } from './objects.ts'

/** A stretch of one file on its way into the archive. */
export interface Step {
  readonly entry: SourceEntry
  readonly path: string
  readonly owner: string | null
  readonly id: number
  readonly isNewFile: boolean
  readonly generation: number
  readonly pieces: readonly Piece[]
  /** Length of the generation when this is done. */
  readonly bytes: number
  readonly cursor: Cursor
}

/** Whose the objects of a transaction are: those of its pieces, and all of a file that has another path now. */
export function ownersOf(steps: readonly Step[], manifest: Manifest): ReadonlyMap<string, readonly Ownership[]> {
  const owners = new Map<string, Ownership[]>()
  const commit = manifest.sequence + 1
  for (const { entry, path, owner: session, id, generation, pieces, isNewFile } of steps) {
    const add = (sha256: string, generation: number, offset: number) => {
      const list = owners.get(sha256) ?? []
      owners.set(sha256, [...list, { commit, root: entry.root, session, path, generation, offset }])
    }
    for (const { sha256, offset } of pieces) add(sha256, generation, offset)
    const known = isNewFile ? manifest.state.files.get(id) : undefined
    for (const [at, { frames }] of known?.generations.entries() ?? []) {
      for (const { sha256, offset } of frames) add(sha256, at + 1, offset)
    }
  }
  return owners
}

/** Where the last of some pieces ends. */
export function endOfPieces(pieces: readonly Piece[]): number {
  const last = pieces.at(-1)
  return last ? last.offset + last.bytes.length : 0
}
