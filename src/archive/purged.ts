import { sha256Of } from '../disk/checksums.ts'
import { ownerByPath } from './kept-files.ts'

/** The name under which something purged is remembered: nobody can tell from it what it was. */
export function purgedHash(name: string): string {
  return sha256Of(`annals purged\n${name}`)
}

/** Says whether something was purged and must not come back. */
export interface PurgedTest {
  /** A file, by its path below a root. */
  isFile(relativePath: string): boolean
  isSession(id: string): boolean
}

/** The test of what an archive says was purged. */
export function purgedTest(purged: ReadonlyMap<string, string>): PurgedTest {
  if (purged.size === 0) return NOTHING_PURGED
  const known = new Map<string, boolean>()
  const isPurged = (name: string) => {
    const found = known.get(name) ?? purged.has(purgedHash(name))
    known.set(name, found)
    return found
  }
  return {
    isFile(relativePath) {
      if (relativePath.endsWith('/')) return false
      const owner = ownerByPath(relativePath)
      return (typeof owner === 'string' && isPurged(owner)) || isPurged(relativePath)
    },
    isSession: isPurged,
  }
}

/** Nothing was purged. */
export const NOTHING_PURGED: PurgedTest = { isFile: () => false, isSession: () => false }
