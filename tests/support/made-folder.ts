import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { diskSource } from '../../src/disk/disk-source.ts'
import type { OpenFiles } from '../../src/disk/source-file.ts'

/** Makes a folder for the time of a test: path to content, `null` for a folder. It is removed afterwards. */
export function withFolder<T>(
  files: Readonly<Record<string, string | Uint8Array | null>>,
  use: (folder: string) => T,
): T {
  const folder = mkdtempSync(join(tmpdir(), 'annals-'))
  try {
    writeFiles(folder, files)
    return use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Copies a folder with the modes and times of all that is in it. `cpSync` keeps no modes of folders from Node 22 on. */
export function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  execFileSync('cp', ['-a', `${from}/.`, to])
}

/** The files beside the logs of a root, as a library opens them. */
export function filesOf(root: string): OpenFiles {
  return (include) => diskSource([root], { include })
}

/** The same for what takes time: the folder is there until `use` is done. */
export async function inFolder<T>(
  files: Readonly<Record<string, string | Uint8Array | null>>,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'annals-'))
  try {
    writeFiles(folder, files)
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function writeFiles(folder: string, files: Readonly<Record<string, string | Uint8Array | null>>): void {
  for (const [path, content] of Object.entries(files)) {
    const full = join(folder, path)
    mkdirSync(content === null ? full : dirname(full), { recursive: true })
    if (content !== null) writeFileSync(full, content)
  }
}
