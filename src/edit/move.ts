import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { projectKey } from '../core/encode.ts'
import { Failure } from '../core/failure.ts'
import { appendRows } from './append-rows.ts'
import { withProject } from './history-lines.ts'
import { missingFolders } from './perform.ts'
import type { Plan } from './plan.ts'
import { folderOfLog } from './rename.ts'
import type { SessionFamily } from './session-files.ts'
import { withSettings } from './settings-entry.ts'
import type { MoveStep, Step } from './step.ts'

/** Lets a session belong to another working folder: its log and its folder move, and a row says where to. */
export function planMove(session: SessionFamily, folder: string): Plan {
  const to = workingFolder(folder)
  if (session.cwd === to) throw new Failure('BAD_INPUT', `The session belongs to ${to} already.`)
  const steps = moveSteps([session], to)
  return {
    name: 'move',
    summary: `move to ${to}`,
    sessions: [session],
    steps,
    expect: [`\`claude --continue\` and the picker find it in ${to}; \`claude --resume ${session.id}\` does anywhere.`],
    left: ['The paths in its rows stay as they were, and so do the files that it is about.'],
  }
}

/** A folder that was renamed: the sessions that name it, the project's memory, and its prompts. */
export interface MovedProject {
  readonly root: string
  readonly from: string
  readonly sessions: readonly SessionFamily[]
  /** Its folder below `projects/`. */
  readonly dir: string
  /** Another folder's sessions lie there too: two paths may have one name. */
  readonly isShared: boolean
}

/** Lets all sessions of a folder belong to another, all of them or none. */
export function planMoveProject(project: MovedProject, folder: string, withSettingsToo: boolean): Plan {
  const { root, from, sessions, dir, isShared } = project
  const to = workingFolder(folder)
  if (from === to) throw new Failure('BAD_INPUT', `${from} is where it is already.`)
  const target = join(root, 'projects', projectKey(to))
  const memory = isShared ? [] : memorySteps(dir, target)
  const history = withProject(root, from, to)
  const settings = withSettingsToo ? withSettings(root, from, to) : { steps: [], left: [] }
  const moved = moveSteps(sessions, to)
  const made = moved.filter(({ action }) => action === 'make-folder')
  const isEmptied = dir !== target && !isShared
  return {
    name: 'move',
    summary: `move project ${from} to ${to}`,
    sessions,
    steps: [
      ...made,
      ...memory,
      ...moved.filter(({ action }) => action !== 'make-folder'),
      ...history.steps,
      ...settings.steps,
      ...(isEmptied ? [{ action: 'remove-folder' as const, path: dir, mode: statSync(dir).mode & 0o7777 }] : []),
    ],
    expect: [`\`claude --continue\` and the picker find ${sessions.length} sessions in ${to}.`],
    left: [
      ...(isShared ? [`${dir} holds sessions of another folder too: its memory stays there.`] : []),
      ...history.left,
      ...settings.left,
      ...(withSettingsToo ? [] : ["The client's own settings of the folder stay: --settings moves them too."]),
      'The paths in their rows stay as they were.',
    ],
  }
}

/** A folder that a person works in, by its real path, as the client would write it. */
function workingFolder(path: string): string {
  const folder = resolve(path)
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (!stats) throw new Failure('BAD_INPUT', `There is no folder ${folder}.`, { hint: 'Nothing was moved.' })
  if (!stats.isDirectory()) throw new Failure('BAD_INPUT', `${folder} is a file.`, { hint: 'Nothing was moved.' })
  return realpathSync(folder)
}

/** The row goes into the log before that moves; the log moves last, when all that belongs to it is there. */
function moveSteps(sessions: readonly SessionFamily[], to: string): readonly Step[] {
  const appended: Step[] = []
  const moves: MoveStep[] = []
  const key = projectKey(to)
  const folders = new Map<string, readonly Step[]>()
  for (const { id, root, log, flatAgents } of sessions) {
    const target = join(root, 'projects', key)
    folders.set(target, missingFolders(target))
    appended.push(appendRows(log, [{ type: 'relocated', relocatedCwd: to, sessionId: id }]))
    if (dirname(log) === target) continue
    const folder = folderOfLog(log)
    const paths = [...(existsSync(folder) ? [folder] : []), ...flatAgents, log]
    moves.push(...paths.map((path): MoveStep => ({ action: 'move', path, to: free(join(target, basename(path))) })))
  }
  return [...[...folders.values()].flat(), ...appended, ...moves]
}

/** The client makes a folder for memory even where there is none: an empty one is no reason to stop. */
function memorySteps(dir: string, target: string): readonly Step[] {
  const [from, to] = [join(dir, 'memory'), join(target, 'memory')]
  if (dir === target || !existsSync(from)) return []
  if (!existsSync(to)) return [{ action: 'move', path: from, to }]
  const names = readdirSync(from)
  if (readdirSync(to).length > 0 && names.length > 0) {
    throw new Failure('CANNOT_WRITE', `Both ${from} and ${to} hold memory, which annals does not merge.`, {
      hint: 'Nothing was moved. Merge them by hand, and try again.',
    })
  }
  const mode = statSync(from).mode & 0o7777
  const moves = names.map((name): MoveStep => ({ action: 'move', path: join(from, name), to: join(to, name) }))
  return [...moves, { action: 'remove-folder', path: from, mode }]
}

function free(path: string): string {
  if (!existsSync(path)) return path
  throw new Failure('CANNOT_WRITE', `${path} already exists, and is never overwritten.`, { hint: 'Nothing was moved.' })
}
