import { basename } from 'node:path'
import { type LookOptions, look } from '../disk/cursor.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import type { Tracked } from './state.ts'

/** The known logs by the paths at which they lie now, and which of them were moved there. */
export interface Moves {
  readonly tracked: ReadonlyMap<string, Tracked>
  readonly moved: ReadonlySet<string>
  /** Logs that are nowhere, and whose place another has taken. */
  readonly displaced: readonly Tracked[]
}

/**
 * Finds where each known log lies now. A log is at its path as long as its inode is; else it is where its inode and its bytes
 * are, also where another log lay before; else another file has taken its path. One that is gone is found under its own name
 * in another folder, by its bytes alone: it came from another file system. A log that is nowhere keeps its path: it may return.
 */
export function findMoves(
  known: Iterable<Tracked>,
  displaced: readonly Tracked[],
  entries: ReadonlyMap<string, SourceEntry>,
  source: Source,
  options: LookOptions,
): Moves {
  const tracked = new Map<string, Tracked>()
  const moved = new Set<string>()
  const moveTo = (one: Tracked, places: readonly SourceEntry[] = []): boolean => {
    const to = places.find(({ path }) => !tracked.has(path))
    if (!to || !HELD.has(look(one.cursor, source, to, options).kind)) return false
    tracked.set(to.path, { ...one, cursor: { ...one.cursor, path: to.path } })
    moved.add(to.path)
    return true
  }
  const astray: Tracked[] = []
  for (const one of known) {
    const here = entries.get(one.cursor.path)
    if (here && (here.inode ?? null) === one.cursor.inode) tracked.set(here.path, one)
    else astray.push(one)
  }
  const byInode = grouped(entries.values(), ({ inode }) => inode)
  const isLeft = (one: Tracked) => !moveTo(one, byInode.get(one.cursor.inode ?? ''))
  const left = astray.filter(isLeft)
  const nowhere = displaced.filter(isLeft)
  for (const one of left) {
    const { path } = one.cursor
    if (entries.has(path) && !tracked.has(path)) tracked.set(path, one)
    else nowhere.push(one)
  }
  if (nowhere.length === 0) return { tracked, moved, displaced: nowhere }
  const unknown = [...entries.values()].filter(({ path }) => !tracked.has(path))
  const byName = grouped(unknown, ({ path }) => basename(path))
  const gone = nowhere.filter((one) => !moveTo(one, byName.get(basename(one.cursor.path))))
  // The newest has the right to the path.
  const rest = gone.reverse().filter((one) => {
    if (tracked.has(one.cursor.path)) return true
    tracked.set(one.cursor.path, one)
    return false
  })
  return { tracked, moved, displaced: rest.reverse() }
}

const HELD: ReadonlySet<string> = new Set(['moved', 'same', 'grown'])

function grouped(entries: Iterable<SourceEntry>, keyOf: (entry: SourceEntry) => string | undefined) {
  const groups = new Map<string, SourceEntry[]>()
  for (const entry of entries) {
    const key = keyOf(entry)
    if (key === undefined) continue
    const group = groups.get(key)
    if (group) group.push(entry)
    else groups.set(key, [entry])
  }
  return groups
}
