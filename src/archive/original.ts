import { closeSync, readSync } from 'node:fs'
import { fill } from '../disk/fill.ts'
import { openRegular } from '../disk/regular-file.ts'

/** A stretch of a file as it is on the disk now; `undefined` where it does not have it, or cannot be read. */
export function readOriginal(path: string, from: number, to: number): Buffer | undefined {
  const fd = openRegular(path)
  if (typeof fd !== 'number') return undefined
  try {
    const bytes = Buffer.alloc(to - from)
    const filled = fill((at, into) => readSync(fd, into, 0, into.length, at), from, bytes)
    return filled === bytes.length ? bytes : undefined
  } catch {
    return undefined
  } finally {
    closeSync(fd)
  }
}
