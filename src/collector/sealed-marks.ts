import type { Cursor } from '../disk/cursor.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import type { Claim, Claims } from './claims.ts'
import { signOf } from './documents.ts'
import { nameInProject } from './moves.ts'
import type { Names } from './names.ts'
import type { Seal } from './seal.ts'

/** A log that was found again by what the sink has of it. */
export interface Found {
  readonly claim: Claim
  readonly cursor: Cursor
}

/** Whether no log lies at a path of this machine. */
type GoneTest = (path: string) => boolean

/**
 * Marks of logs that this machine remembers nothing of. What they say of a log is sealed: it cannot be read, but a log can be
 * held against it: the one at the path that it names, the one that has its inode, or, where its path is gone, the one that has
 * its name in another project.
 */
export class SealedMarks {
  readonly #names: Names
  readonly #seal: Seal
  readonly #byName = new Map<string, Claim>()
  readonly #byInode = new Map<string, Set<Claim>>()
  readonly #byPath = new Map<string, Claim>()
  readonly #byNameInProject = new Map<string, Set<Claim>>()
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
      const name = nameInProject(claim.path.replace('\0', ''))
      if (name) this.#byNameInProject.set(name, (this.#byNameInProject.get(name) ?? new Set()).add(claim))
    }
  }

  /** What the sink has under the name of a path, or of a log that is gone and has this name: whatever lies there now. */
  at(entry: SourceEntry, isGone: GoneTest): Claim | undefined {
    return this.#here(entry) ?? this.#namesakes(entry, isGone).at(-1)
  }

  /** The mark that was made of a log, if there is one; it is then used up. */
  find(
    entry: SourceEntry,
    source: Source,
    inodes: ReadonlyMap<string, string | undefined>,
    isGone: GoneTest,
  ): Found | undefined {
    if (this.#byName.size + this.#byInode.size === 0 || this.#strange.get(entry.path) === signOf(entry))
      return undefined
    const here = this.#here(entry)
    // Where the file still lies at its own path too, this is a second name of it, and a log of its own.
    const moved = [...(this.#byInode.get(this.#seal.inode(entry.inode) ?? '') ?? [])].filter(
      (claim) => claim === here || inodes.get(claim.path) !== entry.inode,
    )
    for (const claim of new Set([...moved, ...(here ? [here] : []), ...this.#namesakes(entry, isGone)])) {
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

  #here(entry: SourceEntry): Claim | undefined {
    return this.#byName.size === 0 ? undefined : this.#byName.get(this.#names.file(entry))
  }

  #namesakes({ path }: SourceEntry, isGone: GoneTest): readonly Claim[] {
    if (this.#byNameInProject.size === 0) return []
    return [...(this.#byNameInProject.get(nameInProject(path) ?? '') ?? [])].filter(
      (claim) => claim.path === path || isGone(claim.path),
    )
  }

  #drop(claim: Claim): void {
    const { path, inode } = claim.mark.cursor ?? { path: '', inode: null }
    if (this.#byName.get(path) === claim) this.#byName.delete(path)
    if (this.#byPath.get(claim.path) === claim) this.#byPath.delete(claim.path)
    this.#byInode.get(inode ?? '')?.delete(claim)
    this.#byNameInProject.get(nameInProject(claim.path.replace('\0', '')) ?? '')?.delete(claim)
  }
}
