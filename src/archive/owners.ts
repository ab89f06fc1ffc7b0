import { basename, dirname, join } from 'node:path'
import { diskSource } from '../disk/disk-source.ts'
import { placeOf, relativePath } from '../disk/layout.ts'
import { readFacts } from '../disk/log-facts.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { isKeptFile, ownerByPath } from './kept-files.ts'

/** The files of a session that are on the disk, wherever in their roots they lie; its log comes last. */
export function familyOnDisk(roots: readonly string[], session: string): readonly SourceEntry[] {
  const disk = diskSource(roots, { include: isKeptFile })
  try {
    const entries = [...disk.list()]
    const ownerOf = ownersIn(entries, disk)
    const isLog = (entry: SourceEntry) => placeOf(relativePath(entry)).kind === 'session'
    return entries.filter((entry) => ownerOf(entry) === session).sort((a, b) => Number(isLog(a)) - Number(isLog(b)))
  } finally {
    disk.close()
  }
}

/**
 * Tells whose a file is: by its path, else by what is in it. The flat agent logs of older clients name their session; a plan
 * belongs to the session that has its slug.
 */
export function ownersIn(entries: readonly SourceEntry[], source: Source): (entry: SourceEntry) => string | null {
  const byPath = new Map(entries.map((entry) => [entry.path, entry]))
  let slugs: ReadonlyMap<string, string> | undefined
  return (entry) => {
    const path = relativePath(entry)
    const owner = ownerByPath(path)
    if (owner !== undefined) return owner || null
    if (path.startsWith('plans/')) {
      slugs ??= slugsOf(entries, source)
      const name = basename(path, '.md').split(/-agent-(.*)/s)[0] ?? ''
      return slugs.get(`${entry.root}\0${name}`) ?? null
    }
    const place = placeOf(path)
    const isMeta = place.kind === 'agent-meta'
    const log = isMeta ? byPath.get(join(dirname(entry.path), `agent-${place.agent}.jsonl`)) : entry
    return (log && readFacts(source, log)?.facts.sessionIds[0]) || null
  }
}

function slugsOf(entries: readonly SourceEntry[], source: Source): ReadonlyMap<string, string> {
  const slugs = new Map<string, string>()
  for (const entry of entries) {
    const place = placeOf(relativePath(entry))
    const slug = place.kind === 'session' ? readFacts(source, entry)?.facts.slug : undefined
    if (slug && place.kind === 'session') slugs.set(`${entry.root}\0${slug}`, place.session)
  }
  return slugs
}
