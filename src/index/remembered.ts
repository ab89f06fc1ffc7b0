import { existsSync } from 'node:fs'
import { join, sep } from 'node:path'
import { Failure } from '../core/failure.ts'
import type { SourceEntry } from '../disk/source.ts'
import { exactly, selectAll } from './driver.ts'
import { indexName, openToRead } from './open.ts'
import { hasSqlite } from './sqlite.ts'

/** The files on disk that the index over these roots knows, as it saw them last; none where there is no index. */
export function rememberedFiles(cacheDir: string | undefined, roots: readonly string[]): readonly SourceEntry[] {
  if (cacheDir === undefined || !hasSqlite() || !existsSync(join(cacheDir, indexName(roots)))) return []
  try {
    const { database } = openToRead(cacheDir, roots)
    try {
      const state = ['path', 'size', exactly('modified')]
      const logs = selectAll(database, { columns: [...state, 'root', 'inode'], from: "log where state = 'disk'" })
      const sidecars = selectAll(database, { columns: state, from: 'sidecar' })
      const rootOf = (path: string) => roots.find((root) => path.startsWith(root + sep)) ?? ''
      return [
        ...logs.map((row) => ({ ...entryOf(row), root: String(row.root), ...inodeOf(row.inode) })),
        ...sidecars.map((row) => ({ ...entryOf(row), root: rootOf(String(row.path)) })),
      ]
    } finally {
      database.close()
    }
  } catch (error) {
    // An index that cannot be opened is told by who needs it.
    if (error instanceof Failure) return []
    throw error
  }
}

function entryOf(row: { readonly path?: unknown; readonly size?: unknown; readonly modified?: unknown }) {
  return { path: String(row.path), sizeBytes: Number(row.size), modifiedAt: Number(row.modified) }
}

function inodeOf(inode: unknown): Pick<SourceEntry, 'inode'> {
  return typeof inode === 'string' ? { inode } : {}
}
