import { createHash } from 'node:crypto'
import { ownerByPath } from './kept-files.ts'

/** The name under which something purged is remembered: nobody can tell from it what it was. */
export function purgedHash(name: string): string {
  return createHash('sha256').update(`annals purged\n${name}`).digest('hex')
}

/** Says of files, by their paths below a root, whether they were purged and must not come back. */
export function purgedTest(purged: ReadonlyMap<string, string>): (relativePath: string) => boolean {
  if (purged.size === 0) return () => false
  const known = new Map<string, boolean>()
  const isPurged = (name: string) => {
    const found = known.get(name) ?? purged.has(purgedHash(name))
    known.set(name, found)
    return found
  }
  return (relativePath) => {
    if (relativePath.endsWith('/')) return false
    const owner = ownerByPath(relativePath)
    return (typeof owner === 'string' && isPurged(owner)) || isPurged(relativePath)
  }
}
