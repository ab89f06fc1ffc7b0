import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Archive, readArchive, readContent } from '../../src/archive/archive.ts'
import type { KeptFile } from '../../src/archive/kept-state.ts'
import { type SyncOptions, syncArchive } from '../../src/archive/sync.ts'

/** The moment at which tests keep things. */
export const NOW = new Date('2026-11-15T12:00:00.000Z')

/** A root and an archive of it, for the time of a test. */
export interface MadeArchive {
  readonly root: string
  /** The folder of the archive. */
  readonly folder: string
  /** Writes a file below the root; later writes have later times. */
  write(path: string, content: string | Uint8Array): void
  remove(path: string): void
  sync(options?: Partial<SyncOptions>): ReturnType<typeof syncArchive>
  read(): Archive
  file(path: string): KeptFile
  /** What the archive has of a file; the newest generation unless one is named. */
  content(path: string, generation?: number): string
}

/** Makes a root with some files, for the time of a test. */
export async function withArchived(
  files: Readonly<Record<string, string | Uint8Array>>,
  use: (made: MadeArchive) => void | Promise<void>,
): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), 'annals-archive-'))
  const root = join(parent, 'root')
  const folder = join(parent, 'home', 'archive')
  mkdirSync(root)
  const made: MadeArchive = {
    root,
    folder,
    write(path, content) {
      const full = join(root, path)
      mkdirSync(dirname(full), { recursive: true })
      writeFileSync(full, content)
    },
    remove: (path) => rmSync(join(root, path), { recursive: true }),
    sync: (options = {}) => syncArchive(folder, { roots: [root], now: NOW, ...options }),
    read: () => readArchive(folder),
    file(path) {
      const file = readArchive(folder).manifest.state.find(root, path)
      if (!file) throw new Error(`${path} is not in the archive`)
      return file
    },
    content(path, generation) {
      const { generations } = made.file(path)
      const wanted = generations[(generation ?? generations.length) - 1]
      const bytes = wanted && readContent(readArchive(folder), wanted)
      if (!Buffer.isBuffer(bytes)) throw new Error(`${path}: ${bytes}`)
      return bytes.toString('latin1')
    },
  }
  try {
    for (const [path, content] of Object.entries(files)) made.write(path, content)
    await use(made)
  } finally {
    rmSync(parent, { recursive: true, force: true })
  }
}
