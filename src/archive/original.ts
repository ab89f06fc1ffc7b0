import { readSync } from 'node:fs'
import { fill } from '../disk/fill.ts'
import { withRegular } from '../disk/regular-file.ts'

/** A stretch of a file as it is on the disk now; `undefined` where it does not have it, or cannot be read. */
export function readOriginal(path: string, from: number, to: number): Buffer | undefined {
  const bytes = Buffer.alloc(to - from)
  try {
    const read = (fd: number) => fill((at, into) => readSync(fd, into, 0, into.length, at), from, bytes)
    return withRegular(path, read, () => undefined) === bytes.length ? bytes : undefined
  } catch {
    return undefined
  }
}
