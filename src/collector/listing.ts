import { statSync } from 'node:fs'
import type { Source, SourceEntry } from '../disk/source.ts'
import type { Choices } from './choices.ts'
import { type CollectedFile, collectedFile, inOrder } from './collected-files.ts'

/** The files that are collected, as they were listed last. */
export class Listing {
  readonly #source: Source
  readonly #choices: Choices
  readonly #entries = new Map<string, SourceEntry>()

  constructor(source: Source, choices: Choices) {
    this.#source = source
    this.#choices = choices
  }

  /** Lists all of them. */
  all(): readonly CollectedFile[] {
    this.#entries.clear()
    for (const entry of this.#source.list()) this.#entries.set(entry.path, entry)
    return this.#files(this.#entries.values())
  }

  /** The logs that were listed last. */
  logs(): readonly CollectedFile[] {
    return this.#files(this.#entries.values()).filter(({ role }) => role === 'log')
  }

  /** Files that were listed before, as they are now; `undefined` where one is new or gone, and all have to be looked at. */
  some(paths: ReadonlySet<string>): readonly CollectedFile[] | undefined {
    const entries: SourceEntry[] = []
    for (const path of paths) {
      const before = this.#entries.get(path)
      const stats = before && !before.gone ? statSync(path, { throwIfNoEntry: false }) : undefined
      if (!before || !stats?.isFile()) return undefined
      const inode = `${stats.dev}:${stats.ino}`
      // Another file lies there now: it may have come from anywhere.
      if (inode !== before.inode) return undefined
      entries.push({ ...before, sizeBytes: stats.size, modifiedAt: stats.mtimeMs, inode })
    }
    return this.#files(entries)
  }

  #files(entries: Iterable<SourceEntry>): readonly CollectedFile[] {
    return inOrder(Array.from(entries).flatMap((entry) => collectedFile(entry, this.#choices) ?? []))
  }
}
