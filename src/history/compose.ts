import { resolve } from 'node:path'
import { archiveFolder } from '../archive/archive.ts'
import { withArchive } from '../archive/archive-source.ts'
import { Library } from '../disk/library.ts'
import type { Warning } from '../disk/warning.ts'
import { rememberedFiles } from '../index/remembered.ts'

/**
 * A library; with the folder of our data, sessions that only the archive there still has are in it too, and with that of the index,
 * sessions that cannot be read now.
 */
export function openLibrary(
  roots: readonly string[],
  onWarning: (warning: Warning) => void,
  dataDir?: string | undefined,
  cacheDir?: string | undefined,
): Library {
  return new Library({
    roots,
    onWarning,
    remembered: () =>
      rememberedFiles(
        cacheDir,
        roots.map((root) => resolve(root)),
      ),
    ...(dataDir !== undefined && { open: withArchive(archiveFolder(dataDir)) }),
  })
}
