import type { SourceEntry } from './source.ts'

const SETTLED_MS = 2000
const QUIET_MS = 60_000

/**
 * Tells files at rest from those that are being written. Two writes in one tick of the clock leave the same time. A file can
 * be known by its time if it is older than others, or by far older than now: a disk's clock may be a little off.
 */
export class Rest {
  readonly #newest: () => number

  /** `newest` is the time of the file that was written last. */
  constructor(newest: () => number) {
    this.#newest = newest
  }

  isSettled(entry: SourceEntry): boolean {
    return Date.now() - entry.modifiedAt > QUIET_MS || this.#newest() - entry.modifiedAt > SETTLED_MS
  }

  /** Whether a file is still the one that was read. */
  isSame(read: SourceEntry, entry: SourceEntry): boolean {
    if (read === entry) return true
    const isUntouched = read.sizeBytes === entry.sizeBytes && read.modifiedAt === entry.modifiedAt
    return isUntouched && read.inode === entry.inode && this.isSettled(entry)
  }
}
