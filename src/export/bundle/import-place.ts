import { closeSync, linkSync, lstatSync, openSync, readSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beginsWith, logsLast, makeFolders, takeBack, targetIn } from '../../archive/into-root.ts'
import { Failure } from '../../core/failure.ts'
import { chunksFrom } from '../../disk/fill.ts'
import { syncFolder } from '../../state/private-file.ts'
import type { BundledFile } from './format.ts'

/**
 * Moves files from a folder of ours into a root. Nothing is overwritten and no link followed: where something different stands
 * in the place of one of them, none is moved. Gives how many were; the others were there already.
 */
export function placeFiles(stage: string, root: string, files: readonly BundledFile[]): number {
  const missing = logsLast(files).filter((file) => !isThere(stage, root, file))
  const placed: string[] = []
  const made: string[] = []
  try {
    for (const { path } of missing) {
      const target = join(root, path)
      makeFolders(dirname(target), root, made)
      // Unlike a rename, a link never takes the place of something that has appeared there meanwhile.
      linkSync(join(stage, path), target)
      placed.push(target)
    }
  } catch (error) {
    for (const target of placed) rmSync(target, { force: true })
    takeBack(made)
    throw error
  }
  for (const folder of new Set(placed.map((target) => dirname(target)))) syncFolder(folder)
  return placed.length
}

/** Whether a root has a file already, with all that it should have and perhaps more at its end. */
function isThere(stage: string, root: string, { path, bytes }: BundledFile): boolean {
  const target = targetIn(root, path)
  if (lstatSync(target, { throwIfNoEntry: false }) === undefined) return false
  if (beginsWith(target, bytes, chunksOf(join(stage, path)))) return true
  const hint = 'Nothing was written. Name another root with --to, or none to put it where only annals reads it.'
  throw new Failure('CANNOT_WRITE', `${target} already exists, and is different.`, { hint })
}

function* chunksOf(path: string): Generator<Buffer> {
  const fd = openSync(path, 'r')
  try {
    yield* chunksFrom((offset, into) => readSync(fd, into, 0, into.length, offset))
  } finally {
    closeSync(fd)
  }
}
