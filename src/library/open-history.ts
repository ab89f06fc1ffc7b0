import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { isAbsent } from '../disk/unreadable.ts'
import type { Warning } from '../disk/warning.ts'
import { openLibrary } from '../history/compose.ts'
import { type OurFolders, ourFolders } from '../state/folders.ts'
import { type History, makeHistory } from './history.ts'

/** What a history is opened with. */
export interface OpenOptions {
  /** The config folders to read, such as `~/.claude` written out. One of several that is missing is a warning. */
  readonly roots: readonly string[]
  /** Keep what was read in the index of annals, so that the next time only what is new is read. Else it lives in memory, without words. */
  readonly cache?: boolean
  /** The folder of annals: index, archive, settings and the key of placeholders. By default that of the command line. */
  readonly home?: string
  /** Hears of what could not be read; the rest goes on without it. */
  readonly onWarning?: (warning: Warning) => void
  /** Hears how far long reading has come, in bytes. */
  readonly onProgress?: (doneBytes: number, totalBytes: number) => void
}

/** Opens what Claude Code has kept below some roots, and what annals has kept of it. Reads nothing yet. */
export async function openHistory(options: OpenOptions): Promise<History> {
  const { cache = false, onWarning = () => {}, onProgress = () => {} } = options
  const home = homedir()
  const folders: OurFolders = options.home === undefined ? ourFolders(process.env, home) : allIn(options.home)
  const roots = options.roots.map((root) => resolve(root))
  const found = roots.filter((root) => !isAbsent(root))
  // Where none is there, opening the first says so.
  const read = found.length > 0 ? found : roots
  for (const root of roots) {
    if (!read.includes(root)) onWarning({ file: root, message: 'There is no such folder: it is left out.' })
  }
  const cacheDir = cache ? folders.cacheDir : undefined
  return makeHistory({
    library: openLibrary(read, onWarning, folders.dataDir, cacheDir),
    get now() {
      return new Date()
    },
    cwd: process.cwd(),
    home,
    configDir: folders.configDir,
    dataDir: folders.dataDir,
    cacheDir,
    currentSession: undefined,
    warn: onWarning,
    progress: onProgress,
  })
}

function allIn(folder: string): OurFolders {
  const path = resolve(folder)
  return { configDir: path, dataDir: path, cacheDir: path }
}
