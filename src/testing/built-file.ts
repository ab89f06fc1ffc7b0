import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** One file of a made-up root. */
export interface BuiltFile {
  /** Where it stands in the root, with forward slashes. */
  readonly path: string
  readonly content: string | Uint8Array
  /** ISO time; the client sweeps by it. */
  readonly modifiedAt?: string | undefined
}

/** Writes files into a root folder, as the client does: readable by their owner only, with their own times. */
export function writeFiles(dir: string, files: Iterable<BuiltFile>): void {
  for (const file of files) {
    const path = join(dir, ...file.path.split('/'))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, file.content, { mode: 0o600 })
    if (file.modifiedAt === undefined) continue
    const time = new Date(file.modifiedAt)
    utimesSync(path, time, time)
  }
}
