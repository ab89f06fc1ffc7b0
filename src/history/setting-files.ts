import { join } from 'node:path'
import { archiveFolder } from '../archive/archive.ts'
import { manifestPaths } from '../archive/manifest-read.ts'
import { PRICES } from './usage/price-book.ts'

/** The files of ours that say, beside the logs, what a library holds and what it costs. */
export function settingFiles(folders: {
  readonly dataDir?: string | undefined
  readonly configDir?: string | undefined
}) {
  const { dataDir, configDir } = folders
  const archive = dataDir === undefined ? [] : [manifestPaths(archiveFolder(dataDir)).path]
  return configDir === undefined ? archive : [...archive, join(configDir, PRICES)]
}
