import { closeSync, existsSync, fstatSync, linkSync, lstatSync, mkdirSync, readSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure } from '../../core/failure.ts'
import { placeOf } from '../../disk/layout.ts'
import { openRegular } from '../../disk/regular-file.ts'
import { syncFolder } from '../../state/private-file.ts'

/**
 * Moves files from a folder of ours into a root. Nothing is overwritten and no link followed: where something different stands
 * in the place of one of them, none is moved. Gives how many were; the others were there already.
 */
export function placeFiles(stage: string, root: string, paths: readonly string[]): number {
  const missing = logLast(paths).filter((path) => !isThere(join(stage, path), root, path))
  const placed: string[] = []
  const made: string[] = []
  try {
    for (const path of missing) {
      const target = join(root, ...path.split('/'))
      makeFolders(dirname(target), root, made)
      // Unlike a rename, a link never takes the place of something that has appeared there meanwhile.
      linkSync(join(stage, ...path.split('/')), target)
      placed.push(target)
    }
  } catch (error) {
    for (const target of placed) rmSync(target, { force: true })
    for (const folder of made.toReversed()) removeIfEmpty(folder)
    throw error
  }
  for (const folder of new Set(placed.map((target) => dirname(target)))) syncFolder(folder)
  return placed.length
}

/** A session appears when its log does, and then with all that belongs to it. */
function logLast(paths: readonly string[]): readonly string[] {
  const isLog = (path: string) => placeOf(path).kind === 'session'
  return [...paths.filter((path) => !isLog(path)), ...paths.filter(isLog)]
}

/** Whether a root has a file already, with all that it should have and perhaps more at its end. */
function isThere(staged: string, root: string, path: string): boolean {
  const parts = path.split('/')
  for (let depth = 1; depth < parts.length; depth++) mustBeFolder(join(root, ...parts.slice(0, depth)))
  const target = join(root, ...parts)
  if (lstatSync(target, { throwIfNoEntry: false }) === undefined) return false
  if (beginsWith(target, staged)) return true
  const hint = 'Nothing was written. Name another root with --to, or none to put it where only annals reads it.'
  throw new Failure('CANNOT_WRITE', `${target} is there already, and is something else.`, { hint })
}

function mustBeFolder(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.isDirectory()) return
  const what = stats.isSymbolicLink() ? 'a link' : 'not a folder'
  throw new Failure('CANNOT_WRITE', `${path} is ${what}; nothing was written.`, {
    hint: 'Name another root with --to.',
  })
}

/** Whether a file begins with all bytes of another. */
export function beginsWith(path: string, start: string): boolean {
  const long = openRegular(path)
  if (typeof long !== 'number') return false
  const short = openRegular(start)
  try {
    if (typeof short !== 'number') return false
    const size = fstatSync(short).size
    if (fstatSync(long).size < size) return false
    const [a, b] = [Buffer.alloc(CHUNK_BYTES), Buffer.alloc(CHUNK_BYTES)]
    for (let at = 0; at < size; ) {
      const count = readSync(short, a, 0, CHUNK_BYTES, at)
      if (count === 0 || readSync(long, b, 0, count, at) !== count) return false
      if (!a.subarray(0, count).equals(b.subarray(0, count))) return false
      at += count
    }
    return true
  } finally {
    closeSync(long)
    if (typeof short === 'number') closeSync(short)
  }
}

const CHUNK_BYTES = 1024 * 1024

function makeFolders(path: string, root: string, made: string[]): void {
  if (existsSync(path)) return
  if (path !== root) makeFolders(dirname(path), root, made)
  mkdirSync(path, { recursive: path === root, mode: 0o700 })
  made.push(path)
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Not empty, or gone: both are fine.
  }
}
