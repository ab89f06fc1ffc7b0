import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Failure } from '../core/failure.ts'
import { isInside } from '../disk/regular-file.ts'
import { missingFolders } from './perform.ts'
import type { Plan } from './plan.ts'
import { bytesFrom, seeFile } from './seen.ts'

/** A file as it was, and where it belongs. */
export interface RestoredFile {
  readonly path: string
  readonly bytes: Uint8Array
  /** When it was so, for the one who reads the plan. */
  readonly when: string
  /** The working folder of its session. */
  readonly cwd: string | null
  /** Folders that are no place for files of a person: roots, and our own. */
  readonly closed: readonly string[]
}

/** Puts a file back as it was; the present one is kept for `undo`. Only below the working folder, unless that is meant. */
export function planRestoreFile({ path, bytes, when, cwd, closed }: RestoredFile, force: boolean): Plan {
  const folder = nearestFolder(dirname(path))
  const real = join(realpathSync(folder), path.slice(folder.length))
  mustBeAllowed(path, real, cwd, closed, force)
  const before = seeFile(path) ?? null
  if (before && bytesFrom(path, 0).equals(bytes)) {
    throw new Failure('CANNOT_RUN', `${path} is as it was ${when} already.`)
  }
  return {
    name: 'restore-file',
    summary: `put back ${basename(path)} as it was ${when}`,
    sessions: [],
    steps: [
      ...missingFolders(dirname(path)).map((step) => ({ ...step, mode: 0o755 })),
      // Its time is now: builds and editors look at it.
      { action: 'write', path, before, content: () => bytes, mode: before?.mode ?? 0o644, modifiedAt: null },
    ],
    expect: ['What commands or people changed in it since is gone from the file, and comes back with `annals undo`.'],
    left: [],
  }
}

/** A path comes from a log, which may say anything. */
function mustBeAllowed(
  path: string,
  real: string,
  cwd: string | null,
  closed: readonly string[],
  force: boolean,
): void {
  const refuse = (why: string, hint: string) => new Failure('CANNOT_WRITE', `${path} ${why}.`, { hint })
  if (isInside(real, closed))
    throw refuse('is in a folder of Claude Code or of annals', 'Write it elsewhere: annals files --at … --out FILE')
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw refuse('is a link, and is left alone', 'Write it elsewhere: annals files --at … --out FILE')
  }
  const home = cwd !== null && lstatSync(cwd, { throwIfNoEntry: false }) ? realpathSync(cwd) : cwd
  if (force || (home !== null && isInside(real, [home]))) return
  throw refuse(
    home === null ? 'is in no known working folder' : `leads out of ${home}, the folder of its session`,
    'Add --force if that is where it belongs.',
  )
}

function nearestFolder(folder: string): string {
  return lstatSync(folder, { throwIfNoEntry: false }) || folder === dirname(folder)
    ? folder
    : nearestFolder(dirname(folder))
}
