import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { Failure } from '../core/failure.ts'
import { fileLibrary } from '../disk/one-file.ts'
import type { Warning } from '../disk/warning.ts'
import { findSession } from '../history/find.ts'
import { foundSession, type Session } from './session.ts'

/** Opens one log that lies anywhere, with the folder of its agents beside it. Nothing is kept of it. */
export async function openFile(
  path: string,
  options: { readonly onWarning?: (warning: Warning) => void } = {},
): Promise<Session> {
  const file = resolve(path)
  if (!existsSync(file)) throw new Failure('NOT_FOUND', `There is no file ${file}.`)
  const context = {
    library: fileLibrary(file),
    now: new Date(),
    cwd: process.cwd(),
    home: homedir(),
    currentSession: undefined,
    warn: options.onWarning ?? (() => {}),
    progress: () => {},
  }
  return foundSession(context, await findSession(context, file))
}
