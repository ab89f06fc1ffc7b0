import { type Database, prepared } from './driver.ts'
import { offsetOfRow, rowTablesOf } from './row-tables.ts'
import type { KnownLog } from './straight-rows.ts'

/** What the tables know of a log that can be read on; `undefined` where it has to be read from its start. */
export function knownLog(database: Database, path: string): KnownLog | undefined {
  const row = prepared(
    database,
    'select id, value as carry, ledger from log join fact on fact.log = log.id join carry on carry.log = log.id where path = ?',
  ).get(path)
  if (!row) return undefined
  const log = row.id as number
  const pieces = rowTablesOf(database, log)
  const message = prepared(database, 'select 1 from response where message = ? and log = ?')
  return {
    carry: row.carry as string,
    ledger: row.ledger as string | null,
    offsetOf: (key) => offsetOfRow(pieces, key),
    hasMessage: (id) => message.get(id, log) !== undefined,
  }
}
