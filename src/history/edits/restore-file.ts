import { existsSync, realpathSync } from 'node:fs'
import { Failure } from '../../core/failure.ts'
import { planRestoreFile } from '../../edit/restore-file.ts'
import type { Context } from '../context.ts'
import { keyOfFiles } from '../families.ts'
import { fileBytes, openFileHistory } from '../files/file-at.ts'
import { findSession } from '../find.ts'
import { historyOf } from '../history.ts'
import type { EditResult } from './result.ts'
import { type EditHow, readyForEdits, runEdit } from './run-edit.ts'

/** Which version of a file is put back. */
export interface RestoreInput extends EditHow {
  /** A turn or the start of a uuid, or both with a session before them: `SESSION:3`. */
  readonly at: string
  readonly session?: string | undefined
}

/** Puts a file back in its place as a session had it; the present one is kept. */
export async function restoreFile(context: Context, path: string, input: RestoreInput): Promise<EditResult> {
  readyForEdits(context, input)
  if (context.rootsOnly) throw new Failure('CANNOT_RUN', 'Files are restored from the command line only.')
  const colon = input.at.lastIndexOf(':')
  const session = colon === -1 ? input.session : input.at.slice(0, colon)
  const point = input.at.slice(colon + 1)
  const history = await openFileHistory(context, { path, session })
  const file = history.at(point)
  if (file.confidence === 'doubtful') for (const message of file.unknown) context.warn({ file: history.path, message })
  const { files } = await findSession(context, history.session)
  const infos = await (await historyOf(context).refresh()).sessions.infos([files.id])
  const closed = [...context.library.roots, context.dataDir, context.cacheDir, context.configDir]
  const restored = {
    path: history.path,
    bytes: fileBytes(file),
    when: /^\d+$/.test(point) ? `at the end of turn ${point}` : `after row ${point.slice(0, 8)}`,
    cwd: infos.get(keyOfFiles(files))?.project.path ?? null,
    closed: closed.flatMap((folder) => (folder !== undefined && existsSync(folder) ? realpathSync(folder) : [])),
  }
  return runEdit(context, planRestoreFile(restored, input.force === true), input)
}
