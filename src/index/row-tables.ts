import { type RowTable, unpackRows } from '../core/facts/row-table.ts'
import type { Database, Row } from './driver.ts'

/** The rows of a log, in as many pieces as it was read in. */
export function rowTablesOf(database: Database, log: number): readonly RowTable[] {
  const pieces = database.prepare('select packed from rows where log = ? order by piece').all(log)
  return pieces.map(({ packed }) => unpackRows(packed as Uint8Array))
}

/** The rows of all logs, piece by piece. */
export function* allRowTables(database: Database): Generator<{ readonly log: number; readonly rows: RowTable }> {
  for (const { log, packed } of database.prepare('select log, packed from rows').iterate() as Iterable<Row>)
    yield { log: log as number, rows: unpackRows(packed as Uint8Array) }
}

/** Where the row with a key stands. */
export function offsetOfRow(pieces: readonly RowTable[], key: number): number | undefined {
  for (const { keys, offsets } of pieces) {
    const row = keys.indexOf(key)
    if (row !== -1) return offsets[row]
  }
  return undefined
}
