import { archiveFolder } from '../archive/archive.ts'
import { withArchive } from '../archive/archive-source.ts'
import { Library } from '../disk/library.ts'
import type { Warning } from '../disk/warning.ts'
import { StoredFacts } from '../store/facts-cache.ts'

/**
 * A library that keeps the facts of logs in the index folder; without a folder it reads every log it is asked for. With the
 * folder of our data, sessions that only the archive there still has are in it too.
 */
export function openLibrary(
  roots: readonly string[],
  cacheDir: string | undefined,
  onWarning: (warning: Warning) => void,
  dataDir?: string | undefined,
): Library {
  return new Library({
    roots,
    onWarning,
    ...(cacheDir !== undefined && { cache: new StoredFacts(cacheDir) }),
    ...(dataDir !== undefined && { open: withArchive(archiveFolder(dataDir)) }),
  })
}
