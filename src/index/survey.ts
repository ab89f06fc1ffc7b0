import type { Cursor } from '../disk/cursor.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { lookAll, type Sighting, type Survey } from '../disk/survey.ts'
import { type Database, exactly, type Query, type Row, selectAll } from './driver.ts'

/** What became of the logs that the index knows, and which are new. */
export interface LogSurvey extends Survey {
  /** Whether nothing about a log changed, so that its row can stay as it is. */
  readonly isAsKnown: (sighting: Sighting) => boolean
}

/** Whether every log is in the index as it is listed now, and at rest: then nothing has to be looked at or read. */
export function isUpToDate(database: Database, logs: readonly SourceEntry[]): boolean {
  const known = new Map(selectAll(database, KNOWN).map((row) => [row.path, row]))
  return (
    known.size === logs.length &&
    logs.every((entry) => {
      const row = known.get(entry.path)
      const isThere = row?.settled === 1 && row.state === stateOf(entry) && row.inode === (entry.inode ?? null)
      return isThere && row.size === entry.sizeBytes && Number(row.modified) === entry.modifiedAt
    })
  )
}

const KNOWN: Query = {
  columns: ['path', 'inode', 'size', exactly('modified'), 'state', 'settled'],
  from: "log where state <> 'lost'",
}

/** Looks at all logs; with `only` at these alone, which the source must list and no others. */
export function surveyLogs(database: Database, source: Source, only?: ReadonlySet<string>): LogSurvey {
  const known = `select ${CURSOR_COLUMNS}, state from log where state <> 'lost'`
  const rows = only
    ? database.prepare(`${known} and path in (select value from json_each(?))`).all(JSON.stringify([...only]))
    : database.prepare(known).all()
  const states = new Map(rows.map((row) => [toCursor(row), row.state]))
  const survey = lookAll([...states.keys()], source, { now: Date.now() })
  return { ...survey, isAsKnown: ({ cursor, entry }) => states.get(cursor) === stateOf(entry) }
}

/** Where a log can be read. */
export function stateOf(entry: SourceEntry): 'disk' | 'archive' {
  return entry.gone ? 'archive' : 'disk'
}

/** The columns of `log` that make a cursor, in the order of `cursorValues`. */
export const CURSOR_COLUMNS =
  'path, inode, generation, size, modified, settled, head_length, head_hash, tail_length, tail_hash, prefix_sum, read, read_line'

/** The values of these columns. */
export function cursorValues(cursor: Cursor) {
  return [
    cursor.path,
    cursor.inode,
    cursor.generation,
    cursor.sizeBytes,
    cursor.modifiedAt,
    cursor.settled ? 1 : 0,
    cursor.headLength,
    cursor.headHash,
    cursor.tailLength,
    cursor.tailHash,
    cursor.prefixSum,
    cursor.offset,
    cursor.line,
  ]
}

function toCursor(row: Row): Cursor {
  return {
    path: row.path as string,
    inode: row.inode as string | null,
    generation: row.generation as number,
    offset: row.read as number,
    line: row.read_line as number,
    headLength: row.head_length as number,
    headHash: row.head_hash as string,
    tailLength: row.tail_length as number,
    tailHash: row.tail_hash as string,
    prefixSum: row.prefix_sum as number,
    sizeBytes: row.size as number,
    modifiedAt: row.modified as number,
    settled: row.settled === 1,
  }
}
