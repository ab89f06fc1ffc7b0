import { closeSync, mkdirSync, openSync, utimesSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Writes lines to a file through one buffer, so that a large file never stands in memory. */
export interface LineWriter {
  /** How many bytes were given to it. */
  readonly bytes: number
  readonly lines: number
  line(text: string): void
  close(modifiedAt: number): void
}

const BUFFER_BYTES = 1 << 20

/** Opens a file for writing, with the folders above it. */
export function lineWriter(path: string): LineWriter {
  mkdirSync(dirname(path), { recursive: true })
  const file = openSync(path, 'w', 0o600)
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  let filled = 0
  let bytes = 0
  let lines = 0
  const flush = () => {
    for (let done = 0; done < filled; ) done += writeSync(file, buffer, done, filled - done)
    filled = 0
  }
  return {
    get bytes() {
      return bytes
    },
    get lines() {
      return lines
    },
    line(text) {
      const size = Buffer.byteLength(text) + 1
      if (filled + size > BUFFER_BYTES) flush()
      bytes += size
      lines++
      if (size > BUFFER_BYTES) {
        const whole = Buffer.from(`${text}\n`)
        for (let done = 0; done < whole.length; ) done += writeSync(file, whole, done, whole.length - done)
        return
      }
      filled += buffer.write(text, filled)
      buffer[filled++] = 0x0a
    },
    close(modifiedAt) {
      flush()
      closeSync(file)
      const time = new Date(modifiedAt)
      utimesSync(path, time, time)
    },
  }
}
