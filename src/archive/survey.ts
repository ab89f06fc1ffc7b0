import { join, resolve } from 'node:path'
import { isObject, parseJson } from '../core/json.ts'
import { sha256Of } from '../disk/checksums.ts'
import { type Cursor, type Hash, readCursor } from '../disk/cursor.ts'
import { relativePath } from '../disk/layout.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { lookAll, type Sighting } from '../disk/survey.ts'
import { type KeptFiles, newest } from './kept-state.ts'
import { ownersIn } from './owners.ts'
import { purgedHash } from './purged.ts'

/** A file on the disk, and whose it is. */
export interface Wanted {
  readonly entry: SourceEntry
  readonly path: string
  readonly owner: string | null
}

/** What of some roots is to be looked at, and how. */
export interface SurveyOptions {
  readonly roots: readonly string[]
  /** Which files are wanted; without it, all. */
  readonly only?: (file: Wanted) => boolean
  /** Compare every byte that was kept with the original, whatever sizes and times say. */
  readonly thorough?: boolean
}

/** What changed since it was taken, the oldest first: it expires first. */
export interface Changes {
  readonly work: readonly Sighting[]
  readonly ownerOf: (entry: SourceEntry) => string | null
}

/** Half a hash is enough to tell whether a file changed; the frames have whole ones. */
export const shortHash: Hash = (bytes) => sha256Of(bytes).slice(0, 32)

/** Compares the files on the disk with what an archive has of them. */
export function surveyRoots(disk: Source, state: KeptFiles, options: SurveyOptions): Changes {
  const all = [...disk.list()]
  const ownerIn = ownersIn(all, disk)
  const ownerOf = (entry: SourceEntry) => {
    const known = state.find(entry.root, relativePath(entry))
    return known ? known.owner : ownerIn(entry)
  }
  const { only, thorough } = options
  const wanted = all.filter((entry) => {
    const owner = ownerOf(entry)
    if (owner !== null && state.purged.size > 0 && state.purged.has(purgedHash(owner))) return false
    return only === undefined || only({ entry, path: relativePath(entry), owner })
  })
  const cursors = cursorsOf(state, options.roots)
  // One that is there but not wanted has not moved.
  const listed = new Set(wanted.map(({ path }) => path))
  for (const { path } of all) if (!listed.has(path)) cursors.delete(path)
  const source: Source = { list: () => wanted, read: (...asked) => disk.read(...asked) }
  const { looks } = lookAll([...cursors.values()], source, { hash: shortHash, ...(thorough && { thorough }) })
  const work = [...looks.values()].filter(
    ({ look, cursor, entry }) => look.kind !== 'same' || cursors.get(entry.path) !== cursor,
  )
  return { work: work.sort((a, b) => a.entry.modifiedAt - b.entry.modifiedAt), ownerOf }
}

function cursorsOf(state: KeptFiles, named: readonly string[]): Map<string, Cursor> {
  const roots = new Set(named.map((root) => resolve(root)))
  const cursors = new Map<string, Cursor>()
  for (const file of state.files.values()) {
    if (!roots.has(file.root) || file.isDamaged) continue
    const value = parseJson(newest(file)?.seen?.cursor ?? '')
    const path = join(file.root, file.path)
    const cursor = isObject(value) ? readCursor({ ...value, path }) : undefined
    if (cursor) cursors.set(path, cursor)
  }
  return cursors
}
