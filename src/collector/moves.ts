import { basename } from 'node:path'
import { type LookOptions, look } from '../disk/cursor.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import type { Tracked } from './state.ts'

/** The name of a log below the folder of its project: that of its session, or of its session's agent. It stays when the log moves. */
export function nameInProject(path: string): string | undefined {
  return /(?:^|[\\/])projects[\\/][^\\/]+[\\/]((?:[^\\/]+[\\/]subagents[\\/].*)?[^\\/]+)$/
    .exec(path)?.[1]
    ?.replaceAll('\\', '/')
}

/** The known logs by the paths at which they lie now, and which of them were moved there. */
export interface Moves {
  readonly tracked: ReadonlyMap<string, Tracked>
  readonly moved: ReadonlySet<string>
  /** Logs that are nowhere, and whose place another has taken. */
  readonly displaced: readonly Tracked[]
}

/**
 * Finds where each known log lies now. A log is at its path as long as its inode is, unless another known log with that inode
 * has the bytes; else it is where its inode and its bytes are, also where another log lay before; else another file has taken its
 * path. One that is gone is found under its own name in another folder, by its bytes alone: it came from another file system. If
 * its bytes are nowhere, a file with its name in another project is what it became: it moved and was rewritten. A log that is
 * nowhere keeps its path: it may return.
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
  const holds = (one: Tracked, entry: SourceEntry) => HELD.has(look(one.cursor, source, entry, options).kind)
  const put = (one: Tracked, { path }: SourceEntry) => {
    tracked.set(path, { ...one, cursor: { ...one.cursor, path } })
    moved.add(path)
  }
  const moveTo = (one: Tracked, places: readonly SourceEntry[] = []): boolean => {
    const to = places.find(({ path }) => !tracked.has(path))
    if (!to || !holds(one, to)) return false
    put(one, to)
    return true
  }
  const becomes = (one: Tracked, places: readonly SourceEntry[] = []): boolean => {
    const name = nameInProject(one.cursor.path)
    const to = places.find(({ path }) => !tracked.has(path) && name !== undefined && nameInProject(path) === name)
    if (to) put(one, to)
    return to !== undefined
  }
  const astray: Tracked[] = []
  for (const one of known) {
    const here = entries.get(one.cursor.path)
    if (here && (here.inode ?? null) === one.cursor.inode) tracked.set(here.path, one)
    else astray.push(one)
  }
  const byInode = grouped(entries.values(), ({ inode }) => inode)
  const placesOf = ({ cursor }: Tracked) => byInode.get(cursor.inode ?? '') ?? []
  const nowhere: Tracked[] = []
  for (const one of [...astray, ...displaced]) {
    const other = placesOf(one).map(({ path }) => tracked.get(path))[0]
    const entry = other && entries.get(other.cursor.path)
    if (!entry || holds(other, entry) || !holds(one, entry)) continue
    tracked.delete(entry.path)
    nowhere.push(other)
  }
  const isLeft = (one: Tracked) => !moveTo(one, placesOf(one))
  const left = astray.filter(isLeft)
  nowhere.push(...displaced.filter(isLeft))
  if (left.length + nowhere.length === 0) return { tracked, moved, displaced: nowhere }
  const taken = new Set(left.map(({ cursor }) => cursor.path))
  const unknown = [...entries.values()].filter(({ path }) => !tracked.has(path) && !taken.has(path))
  const byName = grouped(unknown, ({ path }) => basename(path))
  const namesakesOf = ({ cursor }: Tracked) => byName.get(basename(cursor.path))
  for (const one of left) {
    if (becomes(one, placesOf(one))) continue
    const here = entries.get(one.cursor.path)
    if (!here || tracked.has(here.path)) nowhere.push(one)
    else if (holds(one, here) || !moveTo(one, namesakesOf(one))) tracked.set(here.path, one)
  }
  const gone = nowhere.filter((one) => !moveTo(one, namesakesOf(one)))
  // The newest has the right to the path.
  const rest = gone.reverse().filter((one) => {
    if (becomes(one, namesakesOf(one))) return false
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
