import type { Listing } from '../disk/library.ts'
import type { SourceEntry } from '../disk/source.ts'
import type { Warning } from '../disk/warning.ts'

/** What the writer knows of the logs, and so what operations may answer from. */
export interface ServedLogs {
  readonly listing: Listing
  /** What could not be listed or read. */
  readonly warnings: readonly Warning[]
  /** The file of the index; `null` where it cannot be kept, so that each thread has its own in memory. */
  readonly index: string | null
}

/** The same as a message, with what is new in the listing alone. */
export interface ListingUpdate extends Omit<ServedLogs, 'listing'> {
  readonly changed: readonly SourceEntry[]
  readonly removed: readonly string[]
  /** It names all files there are. */
  readonly isWhole: boolean
}

/** What a thread knows before it was told anything. */
export const NOTHING_SERVED: ServedLogs = { listing: new Map(), warnings: [], index: null }

/** What has to be told to who knows an earlier state. */
export function updateFrom({ listing: before }: ServedLogs, { listing, warnings, index }: ServedLogs): ListingUpdate {
  const changed = [...listing.values()].filter((entry) => !isSame(before.get(entry.path), entry))
  const removed = [...before.keys()].filter((path) => !listing.has(path))
  return { changed, removed, isWhole: before.size === 0, warnings, index }
}

/** The logs after an update. */
export function updated({ listing: before }: ServedLogs, update: ListingUpdate): ServedLogs {
  const { changed, removed, isWhole, warnings, index } = update
  const listing = new Map(isWhole ? [] : before)
  for (const path of removed) listing.delete(path)
  for (const entry of changed) listing.set(entry.path, entry)
  return { listing, warnings, index }
}

function isSame(before: SourceEntry | undefined, entry: SourceEntry): boolean {
  if (before === undefined || before === entry) return before === entry
  const isAlike = before.sizeBytes === entry.sizeBytes && before.modifiedAt === entry.modifiedAt
  return isAlike && before.inode === entry.inode && before.kept === entry.kept && before.gone === entry.gone
}

/** Adds a warning where it is not known yet. */
export function addWarning(warnings: Warning[], warning: Warning): void {
  const isKnown = warnings.some(({ file, message }) => file === warning.file && message === warning.message)
  if (!isKnown) warnings.push(warning)
}
