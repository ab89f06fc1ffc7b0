import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Where bundles are put: each is a root of its own, named by what is in it. */
export function importsFolder(dataDir: string): string {
  return join(dataDir, 'imports')
}

/** The roots that bundles were imported into. What is still being unpacked is none yet. */
export function importedRoots(dataDir: string): readonly string[] {
  const folder = importsFolder(dataDir)
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    const names = entries.filter((entry) => entry.isDirectory() && /^[0-9a-f]{32}$/.test(entry.name))
    return names.map(({ name }) => join(folder, name)).sort()
  } catch {
    return []
  }
}
