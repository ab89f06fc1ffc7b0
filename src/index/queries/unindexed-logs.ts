import { type Database, prepared, type Row } from '../driver.ts'
import { patiently } from '../trouble.ts'

/** A log whose text is not indexed as far as its facts. */
export interface UnindexedLog {
  readonly log: number
  readonly path: string
  readonly generation: number
  /** How far its facts are read, and how far its text is indexed: offset and line. */
  readonly read: number
  readonly indexed: number
  readonly line: number
}

/** The logs whose text is behind, oldest first, so that doc ids follow time. */
export function unindexedLogs(database: Database): readonly UnindexedLog[] {
  return patiently(() => prepared(database, UNINDEXED).all()).map(toUnindexed)
}

const UNINDEXED = `select id, path, generation, read, worded, worded_line from log
where state <> 'lost' and worded_to < read order by modified, path`

function toUnindexed(row: Row): UnindexedLog {
  return {
    log: row.id as number,
    path: row.path as string,
    generation: row.generation as number,
    read: row.read as number,
    indexed: row.worded as number,
    line: row.worded_line as number,
  }
}

/** Bytes of logs whose text is not indexed. */
export function unindexedBytes(logs: readonly UnindexedLog[]): number {
  return logs.reduce((sum, { read, indexed }) => sum + read - indexed, 0)
}
