import { join } from 'node:path'
import { type Found, listFolder } from './small-file.ts'
import type { Warning } from './warning.ts'

/** The folder where hooks may leave environment scripts for a session. Its files are secrets and never opened. */
export interface SessionEnv {
  readonly session: string
  /** An empty folder is a leftover: the client makes one at every start. */
  readonly isEmpty: boolean
}

/** Lists the environment folders of a root by name alone. */
export function listSessionEnvs(root: string): Found<SessionEnv> {
  const warnings: Warning[] = []
  const items = listFolder(join(root, 'session-env'), warnings)
    .filter((entry) => entry.kind === 'folder')
    .map(({ name, path }) => {
      const before = warnings.length
      const names = listFolder(path, warnings)
      // A folder that cannot be listed is not known to be empty.
      return { session: name, isEmpty: names.length === 0 && warnings.length === before }
    })
  return { items, warnings }
}
