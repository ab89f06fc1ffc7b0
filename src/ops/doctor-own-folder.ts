import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { problemOf } from '../disk/regular-file.ts'
import { listDrafts } from '../state/drafts.ts'
import { leftStages } from './import-stages.ts'
import type { Context } from './op.ts'

/** Whether the folders of annals can be read and written; those that are not there yet, whether they can be made. */
export function ownFolderChecks({ configDir, cacheDir, dataDir }: Context) {
  const folders = new Set([dataDir, cacheDir, configDir].filter((folder) => folder !== undefined))
  return [...folders].map((folder) => {
    const trouble = troubleAt(folder)
    const detail = trouble ?? `${folder} can be written.`
    const fix = trouble === undefined ? null : 'Set ANNALS_HOME to a folder of your own, or make this one writable.'
    return { name: 'own folder', ok: trouble === undefined, detail, fix }
  })
}

/** What killed imports and exports have left. */
export function leftoversCheck({ dataDir, library, now }: Context) {
  const drafts = dataDir === undefined ? [] : listDrafts(dataDir)
  const dead = drafts.filter(({ path, writer }) => writer === undefined && existsSync(path)).map(({ path }) => path)
  const left = [...new Set([...dead, ...leftStages(dataDir, library.roots, now)])]
  const ok = left.length === 0
  const detail = ok ? 'Nothing half-done lies around.' : `Killed imports or exports have left ${left.join(', ')}.`
  return { name: 'leftovers', ok, detail, fix: ok ? null : 'Remove it; the next import or purge does.' }
}

function troubleAt(folder: string): string | undefined {
  try {
    const stats = statSync(folder, { throwIfNoEntry: false })
    if (!stats) return dirname(folder) === folder ? undefined : troubleAt(dirname(folder))
    if (!stats.isDirectory()) return `${folder} is a file, so nothing can be kept in it.`
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const isReadOnly = error instanceof Error && 'code' in error && error.code === 'EROFS'
    const reason = isReadOnly ? 'the disk is read-only.' : problemOf(error).message
    return `${folder} cannot be used, so nothing can be kept in it: ${reason}`
  }
}
