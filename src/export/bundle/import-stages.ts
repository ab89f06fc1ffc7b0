import { lstatSync } from 'node:fs'
import { listFolder } from '../../disk/small-file.ts'
import { importsFolder } from '../../history/imported-roots.ts'
import { isRemoved, listDrafts, removeDeadDrafts } from '../../state/drafts.ts'

/** What the name of a folder begins with while something is unpacked into it. */
export const STAGE = 'annals-import-'

const DAY_MS = 86_400_000

/** Removes what killed imports and exports have left: by their notes, and in these folders by its name. Gives what is gone. */
export function clearLeftovers(dataDir: string | undefined, folders: readonly string[], now: Date): readonly string[] {
  const noted = dataDir === undefined ? [] : removeDeadDrafts(dataDir)
  return [...noted, ...leftStages(dataDir, folders, now).filter(isRemoved)]
}

/**
 * Stages that nobody is known to write. In our own folder each has a note while it is written; in a root of the client, one
 * without may be of an import that could keep none, until it is a day old.
 */
export function leftStages(dataDir: string | undefined, folders: readonly string[], now: Date): readonly string[] {
  const written = new Set(dataDir === undefined ? [] : listDrafts(dataDir).map(({ path }) => path))
  const own = dataDir === undefined ? undefined : importsFolder(dataDir)
  return [...new Set([...folders, ...(own === undefined ? [] : [own])])].flatMap((folder) =>
    stagesIn(folder).filter((path) => !written.has(path) && (folder === own || isOld(path, now))),
  )
}

/** What killed processes have left that holds files of a session. */
export function leftoversOf(
  dataDir: string | undefined,
  folders: readonly string[],
  now: Date,
  session: string,
): readonly string[] {
  const noted = dataDir === undefined ? [] : listDrafts(dataDir).filter(({ writer }) => writer === undefined)
  const left = [...noted.map(({ path }) => path), ...leftStages(dataDir, folders, now)]
  return [...new Set(left)].filter((path) => namesBelow(path).some((name) => name.includes(session)))
}

function namesBelow(folder: string): readonly string[] {
  return listFolder(folder, []).flatMap(({ kind, name, path }) => [
    name,
    ...(kind === 'folder' ? namesBelow(path) : []),
  ])
}

function stagesIn(folder: string): readonly string[] {
  return listFolder(folder, []).flatMap(({ name, path }) => (name.startsWith(`.${STAGE}`) ? [path] : []))
}

function isOld(path: string, now: Date): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats !== undefined && now.getTime() - stats.mtimeMs > DAY_MS
}
