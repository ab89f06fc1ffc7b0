import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** The file by which a project says that nothing of it is collected. */
export const IGNORE_FILE = '.annalsignore'

/** Says whether a project's folder is left out: by a file in it or above it, or by a list. */
export type IgnoreTest = (cwd: string | null) => boolean

/** Makes the test. Answers are kept for a while only: the file may come and go while we run. */
export function ignoreTest(listed: readonly string[], home: string, now: () => number = Date.now): IgnoreTest {
  const folders = listed.map((path) => resolve(path.replace(/^~(?=$|[/\\])/, home)))
  const known = new Map<string, { readonly isIgnored: boolean; readonly at: number }>()
  const isIgnored = (folder: string): boolean => {
    const kept = known.get(folder)
    if (kept && Math.abs(now() - kept.at) < KEPT_MS) return kept.isIgnored
    const above = dirname(folder)
    const found =
      folders.includes(folder) || existsSync(join(folder, IGNORE_FILE)) || (above !== folder && isIgnored(above))
    known.set(folder, { isIgnored: found, at: now() })
    return found
  }
  return (cwd) => cwd !== null && cwd !== '' && isIgnored(resolve(cwd))
}

const KEPT_MS = 10_000
