import { join, resolve } from 'node:path'
import { Failure } from '../../core/failure.ts'
import { planMoveProject } from '../../edit/move.ts'
import type { Context } from '../context.ts'
import { knownSessions } from '../find.ts'
import { editableFound } from './editable.ts'
import type { EditResult } from './result.ts'
import { type EditHow, readyForEdits, runEdit } from './run-edit.ts'

/** Lets all sessions of a folder that was renamed belong to its new name. */
export async function moveProject(
  context: Context,
  from: string,
  to: string,
  { settings, ...how }: EditHow & { readonly settings?: boolean | undefined } = {},
): Promise<EditResult> {
  readyForEdits(context, how)
  const { library, cwd } = context
  const path = resolve(cwd, from)
  const all = (await knownSessions(context)).filter(({ files }) => files.log && !files.log.gone)
  const own = all.filter(({ info }) => info.project.path === path || info.project.key === from)
  const dirs = [...new Set(own.map(({ files }) => files.project.dir))]
  const [dir] = dirs
  const first = own[0]
  if (dir === undefined || !first) {
    const hint = 'Run `annals projects` to see them. The path is the folder that the sessions were started in.'
    throw new Failure('NOT_FOUND', `No session belongs to ${path}.`, { hint })
  }
  if (dirs.length > 1) {
    const hint = 'Name one root with --root, or move the sessions one by one.'
    throw new Failure('CANNOT_RUN', `The sessions of ${path} lie in ${dirs.length} folders.`, { hint })
  }
  const ids = new Set(own.map(({ files }) => files))
  const isShared = all.some(({ files }) => files.project.dir === dir && !ids.has(files))
  const sessions = await Promise.all(own.map(({ files }) => editableFound(context, { library, files, agent: null })))
  const project = { root: first.info.root, from: first.info.project.path ?? path, sessions, dir, isShared }
  return runEdit(context, planMoveProject(project, join(resolve(cwd, to)), settings === true), how)
}
