import type { Unreadable } from './unreadable.ts'

/** A file of a root as a listing found it. */
export interface SourceEntry {
  /** The config folder it belongs to, as it was named. */
  readonly root: string
  /** Absolute path, below `root`. */
  readonly path: string
  readonly sizeBytes: number
  /** Milliseconds since 1970, with fraction. */
  readonly modifiedAt: number
  /** `${dev}:${ino}`, where the source has such a thing. */
  readonly inode?: string
  /** The archive holds it as it is now. */
  readonly kept?: boolean
  /** Only the archive holds it: the file itself has vanished. */
  readonly gone?: boolean
  /** Why the file cannot be read now, where its folder cannot be; the rest is as it was seen last. */
  readonly unreadable?: string
}

/** Where bytes come from: the disk, or an archive. Both calls are synchronous. */
export interface Source {
  list(): Iterable<SourceEntry>
  /** What the last listing could not read. */
  unreadable?(): readonly Unreadable[]
  /** Fills `into` from `offset`; gives the bytes read (0 at the end), `undefined` when the file is gone. */
  read(entry: SourceEntry, offset: number, into: Uint8Array): number | undefined
}
