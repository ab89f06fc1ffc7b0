import type { Cursor } from '../disk/cursor.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import type { Claim, Claims } from './claims.ts'
import { signOf } from './documents.ts'
import type { Names } from './names.ts'
import type { Seal } from './seal.ts'

/** A log that was found again by what the sink has of it. */
export interface Found {
  readonly claim: Claim
  readonly cursor: Cursor
}

/**
 * Marks of logs that this machine remembers nothing of. What they say of a log is sealed: it cannot be read, but a log can be
 * held against it, the one at the path that it names, or the one that has its inode.
 */
export class SealedMarks {
  readonly #names: Names
  readonly #seal: Seal
  readonly #byName = new Map<string, Claim>()
  readonly #byInode = new Map<string, Set<Claim>>()
  readonly #byPath = new Map<string, Claim>()
  /** Logs that were held against all that could be meant, as they looked then. */
  readonly #strange = new Map<string, string>()

  constructor({ latest, displaced }: Claims, names: Names, seal: Seal) {
    this.#names = names
    this.#seal = seal
    const isUnknown = ({ mark, own }: Claim) => !own && mark.cursor !== null
    for (const claim of [...latest.values()].filter(isUnknown)) {
      this.#byName.set(claim.mark.cursor?.path ?? '', claim)
      this.#byPath.set(claim.path, claim)
    }
    for (const claim of [...latest.values(), ...displaced].filter(isUnknown)) {
      const inode = claim.mark.cursor?.inode
      if (inode) this.#byInode.set(inode, (this.#byInode.get(inode) ?? new Set()).add(claim))
    }
  }

  /** What the sink has under the name of a path, whatever lies there now. */
  at(entry: SourceEntry): Claim | undefined {
    return this.#byName.size === 0 ? undefined : this.#byName.get(this.#names.file(entry))
  }

  /** The mark that was made of a log, if there is one; it is then used up. */
  find(entry: SourceEntry, source: Source, inodes: ReadonlyMap<string, string | undefined>): Found | undefined {
    if (this.#byName.size + this.#byInode.size === 0 || this.#strange.get(entry.path) === signOf(entry))
      return undefined
    const here = this.at(entry)
    // Where the file still lies at its own path too, this is a second name of it, and a log of its own.
    const moved = [...(this.#byInode.get(this.#seal.inode(entry.inode) ?? '') ?? [])].filter(
      (claim) => claim === here || inodes.get(claim.path) !== entry.inode,
    )
    for (const claim of new Set([...moved, ...(here ? [here] : [])])) {
      const cursor = claim.mark.cursor && this.#seal.open(claim.mark.cursor, source, entry)
      if (!cursor) continue
      this.#drop(claim)
      return { claim, cursor }
    }
    this.#strange.set(entry.path, signOf(entry))
    return undefined
  }

  /** Another log was delivered from a path: what the sink had of the one before is past. */
  forget(path: string): void {
    const claim = this.#byPath.get(path)
    if (claim) this.#drop(claim)
  }

  #drop(claim: Claim): void {
    const { path, inode } = claim.mark.cursor ?? { path: '', inode: null }
    if (this.#byName.get(path) === claim) this.#byName.delete(path)
    if (this.#byPath.get(claim.path) === claim) this.#byPath.delete(claim.path)
    this.#byInode.get(inode ?? '')?.delete(claim)
  }
}
