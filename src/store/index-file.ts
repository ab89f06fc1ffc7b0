import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { indexBytes, isUnwritable, type OpenIndex, openTables, tablesInMemory } from '../index/open.ts'
import { SCHEMA, TABLES } from './schema.ts'

const NAME = `index-${SCHEMA}.db`

/** Opens the index of words in a folder; without one, or where it cannot be written, it lives in memory. */
export function openIndex(folder: string | undefined): OpenIndex {
  return openTables(folder, NAME, TABLES)
}

/** An index in memory, for a folder that cannot be written or has no room left. */
export function indexInMemory(folder: string): OpenIndex {
  return tablesInMemory(folder, TABLES)
}

/** Removes the index of this schema, for a rebuild; one that cannot be removed is told when it is opened. */
export function removeIndex(folder: string): void {
  try {
    for (const tail of ['', '-wal', '-shm']) rmSync(join(folder, NAME + tail), { force: true })
  } catch (error) {
    if (!isUnwritable(error)) throw error
  }
}

/** How large the index in a folder is; 0 where there is none. */
export function indexSize(folder: string): number {
  return indexBytes(join(folder, NAME))
}
