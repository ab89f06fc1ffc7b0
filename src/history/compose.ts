import { archiveFolder } from '../archive/archive.ts'
import { withArchive } from '../archive/archive-source.ts'
import { Library } from '../disk/library.ts'
import type { Warning } from '../disk/warning.ts'

/** A library; with the folder of our data, sessions that only the archive there still has are in it too. */
export function openLibrary(
  roots: readonly string[],
  onWarning: (warning: Warning) => void,
  dataDir?: string | undefined,
): Library {
  return new Library({
    roots,
    onWarning,
    ...(dataDir !== undefined && { open: withArchive(archiveFolder(dataDir)) }),
  })
}
