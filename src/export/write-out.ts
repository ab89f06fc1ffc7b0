import { lstatSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Failure } from '../core/failure.ts'
import { isInside } from '../disk/regular-file.ts'
import type { Context } from '../history/context.ts'
import { fileOutlet } from './out.ts'

/**
 * Writes what a person asked for into a file of theirs, readable by them alone, in one step. Nothing that stands there is
 * replaced unless they say so, and then only a plain file; nothing is ever written into a root.
 */
export async function writeOut(
  context: Context,
  out: string,
  content: string | Uint8Array,
  options: { readonly force: boolean },
): Promise<string> {
  if (context.rootsOnly) throw new Failure('CANNOT_RUN', 'Files are written from the command line only.')
  const named = resolve(context.cwd, out)
  if (Buffer.byteLength(basename(named)) > LONGEST_NAME)
    throw new Failure('CANNOT_WRITE', `The name ${out} is too long.`)
  const path = join(realFolder(dirname(named)), basename(named))
  const roots = context.library.roots.map((root) => realpathSync(root))
  if (isInside(path, roots)) {
    throw new Failure('CANNOT_WRITE', `${named} is in a folder of Claude Code, where annals writes nothing.`)
  }
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new Failure('CANNOT_WRITE', `${named} is a link, and is left alone.`, { hint: 'Name the file it leads to.' })
  }
  const outlet = fileOutlet(path, { ...options, dataDir: context.dataDir })
  try {
    await outlet.write({ name: basename(path), content: [content] })
    outlet.commit()
  } catch (error) {
    outlet.abandon()
    throw error
  }
  return path
}

/** What file systems take, and a little room for the name of the draft. */
const LONGEST_NAME = 200

/** Where a folder really is, so that no link leads into a root. */
function realFolder(folder: string): string {
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false
  if (isFolder) return realpathSync(folder)
  throw new Failure('CANNOT_WRITE', `There is no folder ${folder}.`, { hint: 'Make it first.' })
}
