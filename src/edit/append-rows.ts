import type { JsonObject } from '../core/json.ts'
import { bytesFrom, mustSee } from './seen.ts'
import type { AppendStep } from './step.ts'

/** Appends rows to a log as the client does; a last line that was never ended is ended first, or both would be lost. */
export function appendRows(log: string, rows: readonly JsonObject[]): AppendStep {
  const before = mustSee(log)
  const size = before.cursor.sizeBytes
  const isEnded = size === 0 || bytesFrom(log, size - 1)[0] === 10
  return { action: 'append', path: log, before, bytes: Buffer.from((isEnded ? '' : '\n') + rowLines(rows)) }
}

/** Rows as lines of a log. */
export function rowLines(rows: readonly JsonObject[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}
