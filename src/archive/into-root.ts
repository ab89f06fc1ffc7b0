import { fstatSync, lstatSync, mkdirSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure } from '../core/failure.ts'
import { fill } from '../disk/fill.ts'
import { placeOf } from '../disk/layout.ts'
import { withRegular } from '../disk/regular-file.ts'
import { removeIfEmpty } from '../state/private-file.ts'

/** Where a file of a root goes. Fails where a folder on the way to it is a link or none: that would lead elsewhere. */
export function targetIn(root: string, path: string): string {
  const parts = path.split('/')
  for (let depth = 1; depth < parts.length; depth++) {
    const folder = join(root, ...parts.slice(0, depth))
    const stats = lstatSync(folder, { throwIfNoEntry: false })
    if (stats === undefined || stats.isDirectory()) continue
    const what = stats.isSymbolicLink() ? 'a link' : 'not a folder'
    const hint = 'Name another folder with --to.'
    throw new Failure('CANNOT_WRITE', `${folder} is ${what}; nothing was written.`, { hint })
  }
  return join(root, ...parts)
}

/** A session appears when its log does, and then with all that belongs to it. */
export function logsLast<T extends { readonly path: string }>(files: readonly T[]): readonly T[] {
  const isLog = ({ path }: T) => placeOf(path).kind === 'session'
  return [...files.filter((file) => !isLog(file)), ...files.filter(isLog)]
}

/** Makes the folders below a root that are missing, one by one, so that they can be taken back. */
export function makeFolders(path: string, root: string, made: string[]): void {
  if (path === root) mkdirSync(root, { recursive: true, mode: 0o700 })
  if (path === root || lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  makeFolders(dirname(path), root, made)
  mkdirSync(path, { mode: 0o700 })
  made.push(path)
}

/** Takes folders back that were made, as far as nothing is in them. */
export function takeBack(made: readonly string[]): void {
  for (const folder of made.toReversed()) removeIfEmpty(folder)
}

/** Whether a file begins with some bytes, so many in all. What is more at its end does not matter. */
export function beginsWith(path: string, size: number, chunks: Iterable<Buffer>): boolean {
  const compare = (fd: number) => {
    if (fstatSync(fd).size < size) return false
    let at = 0
    for (const bytes of chunks) {
      const there = Buffer.alloc(bytes.length)
      fill((from, into) => readSync(fd, into, 0, into.length, from), at, there)
      if (!there.equals(bytes)) return false
      at += bytes.length
    }
    return at === size
  }
  return withRegular(path, compare, () => false)
}
