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
}

/** Where bytes come from: the disk, or an archive. Both calls are synchronous. */
export interface Source {
  list(): Iterable<SourceEntry>
  /** Fills `into` from `offset`; gives the bytes read (0 at the end), `undefined` when the file is gone. */
  read(entry: SourceEntry, offset: number, into: Uint8Array): number | undefined
}
