import { closeSync, readSync } from 'node:fs'
import { openRegular } from '../disk/regular-file.ts'

/** A stretch of a file as it is on the disk now; `undefined` where it does not have it, or cannot be read. */
export function readOriginal(path: string, from: number, to: number): Buffer | undefined {
  const fd = openRegular(path)
  if (typeof fd !== 'number') return undefined
  try {
    const bytes = Buffer.alloc(to - from)
    for (let filled = 0; filled < bytes.length; ) {
      const count = readSync(fd, bytes, filled, bytes.length - filled, from + filled)
      if (count === 0) return undefined
      filled += count
    }
    return bytes
  } catch {
    return undefined
  } finally {
    closeSync(fd)
  }
}
