import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { listFolder } from '../disk/small-file.ts'
import type { EditedSession } from './plan.ts'
import { folderOfLog } from './rename.ts'

/** A session with what no path tells is its own. */
export interface SessionFamily extends EditedSession {
  /** The working folder that it belongs to. */
  readonly cwd: string | null
  /** Logs of agents that lie beside it, as older clients wrote them, with their descriptions. */
  readonly flatAgents: readonly string[]
  /** Plans that no other session has. */
  readonly plans: readonly string[]
}

/** Files and folders, each folder after all that is in it. */
export interface Walked {
  readonly files: readonly string[]
  readonly folders: readonly string[]
}

/** Everything that a root holds of a session, wherever it lies; the log is the last file. */
export function sessionFiles({ root, id, log, flatAgents, plans }: SessionFamily): Walked {
  const own = [folderOfLog(log), ...BY_SESSION.map((name) => join(root, name, id))].map(walk)
  return {
    files: [...own.flatMap(({ files }) => files), ...todosOf(root, id), ...plans, ...flatAgents, log].filter(
      existsSync,
    ),
    folders: own.flatMap(({ folders }) => folders),
  }
}

/** Folders of a root that have one for each session. */
const BY_SESSION = ['file-history', 'image-cache', 'tasks', 'session-env']

/** The lists of what is to be done of a session and its agents. */
export function todosOf(root: string, id: string): readonly string[] {
  return listFolder(join(root, 'todos'), [])
    .filter(({ kind, name }) => kind === 'file' && name.startsWith(`${id}-agent-`))
    .map(({ path }) => path)
}

/** A folder and all below it. What is neither file nor folder is passed over, and keeps its folder. */
export function walk(folder: string): Walked {
  const files: string[] = []
  const folders: string[] = []
  for (const { kind, path } of listFolder(folder, [])) {
    if (kind === 'file') files.push(path)
    else if (kind === 'folder') {
      const below = walk(path)
      files.push(...below.files)
      folders.push(...below.folders)
    }
  }
  return { files, folders: existsSync(folder) ? [...folders, folder] : folders }
}
