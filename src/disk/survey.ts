import { type Cursor, inodeOf, isUntouched, type Look, type LookOptions, look, startCursor, statOf } from './cursor.ts'
import type { Source, SourceEntry } from './source.ts'

/** A listed file and its cursor: read on from `cursor.offset`. It is the known object itself when nothing changed. */
export interface Sighting {
  readonly entry: SourceEntry
  readonly look: Look
  readonly cursor: Cursor
}

/** What became of the known files, and which are new. `looks` is by path; what is `gone` keeps its cursor: it may return. */
export interface Survey {
  readonly looks: ReadonlyMap<string, Sighting>
  readonly gone: readonly Cursor[]
}

// Coarse clocks of file systems tick every few milliseconds, some only every two seconds.
const SETTLED_MS = 2000

/**
 * Matches a listing against the known cursors: which file is which. A file moved when its old path is gone and its
 * inode and bytes are found at a path nobody knew; equal bytes alone are a copy, which is a new file.
 */
export function lookAll(cursors: readonly Cursor[], source: Source, options: LookOptions = {}): Survey {
  const entries = new Map<string, SourceEntry>()
  let newest = options.now ?? Number.NEGATIVE_INFINITY
  for (const entry of source.list()) {
    entries.set(entry.path, entry)
    newest = Math.max(newest, entry.modifiedAt)
  }
  const known = new Map(cursors.map((cursor) => [cursor.path, cursor]))
  const gone = new Set([...known.values()].filter((cursor) => !entries.has(cursor.path)))
  const looks = new Map<string, Sighting>()

  for (const entry of entries.values()) {
    const here = known.get(entry.path)
    const cursor = here ?? findMoved(gone, source, entry, options)
    const seen: Look = here ? lookAt(here, source, entry, options) : arrival(cursor, entry)
    if (here && seen.kind === 'gone') gone.add(here)
    else looks.set(entry.path, { entry, look: seen, cursor: goOn(cursor, seen, entry, newest) })
    if (cursor && !here) gone.delete(cursor)
  }
  return { looks, gone: [...gone] }
}

/** What cannot be read now is taken to be as it was. */
function lookAt(cursor: Cursor, source: Source, entry: SourceEntry, options: LookOptions): Look {
  return entry.unreadable === undefined || entry.gone ? look(cursor, source, entry, options) : { kind: 'same' }
}

function findMoved(
  gone: ReadonlySet<Cursor>,
  source: Source,
  entry: SourceEntry,
  options: LookOptions,
): Cursor | undefined {
  for (const cursor of gone) {
    // Of an unread file nothing is known but a number, which may have been given to another file since.
    const canMove = cursor.offset > 0 && cursor.inode !== null && cursor.inode === inodeOf(entry)
    if (canMove && look(cursor, source, entry, options).kind === 'moved') return cursor
  }
  return undefined
}

function arrival(from: Cursor | undefined, entry: SourceEntry): Look {
  return from ? { kind: 'moved', from: from.path, grown: entry.sizeBytes > from.offset } : { kind: 'new' }
}

function goOn(cursor: Cursor | undefined, seen: Look, entry: SourceEntry, newest: number): Cursor {
  const isOld = entry.modifiedAt < newest - SETTLED_MS
  if (!cursor) return startCursor(entry, 1, isOld)
  if (seen.kind === 'new-generation') return startCursor(entry, cursor.generation + 1, isOld)
  const settled = isOld || (cursor.settled && isUntouched(cursor, entry))
  const isAsKnown = cursor.path === entry.path && isUntouched(cursor, entry) && inodeOf(entry) === cursor.inode
  return isAsKnown && settled === cursor.settled ? cursor : { ...cursor, ...statOf(entry), settled }
}
