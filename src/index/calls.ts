import type { Database, Row } from './driver.ts'
import { ownRows } from './row-tables.ts'
import type { RowPlace } from './text-batch.ts'

/** A call of one of the client's tools, and what came back. */
export interface KnownCall {
  readonly id: string
  readonly tool: string
  /** The file that it is about. */
  readonly path: string | null
  /** `null` where the log has only the answer. */
  readonly made: MadePlace | null
  readonly answer: KnownAnswer | null
}

interface MadePlace extends TimedPlace {
  /** The row is the session's own: not an agent's inside its log, and no copy. */
  readonly isOwn: boolean
}

interface TimedPlace extends RowPlace {
  readonly timeMs: number | null
}

/** The first answer to a call, see `CallAnswer`. */
interface KnownAnswer extends TimedPlace {
  readonly isError: boolean
  readonly resultBytes: number
  readonly tookMs: number | null
  readonly added: number | null
  readonly removed: number | null
}

/** The calls in all logs by the paths of these, in the order in which they were made; only those of some tools, if these are named. */
export function callsByLog(database: Database, tools?: readonly string[]): ReadonlyMap<string, readonly KnownCall[]> {
  const rows = tools
    ? database.prepare(`${CALLS} and t.text in (select value from json_each(?))${ORDER}`).all(JSON.stringify(tools))
    : database.prepare(`${CALLS}${ORDER}`).all()
  const isOwn = ownRows(database)
  const logs = new Map<string, KnownCall[]>()
  for (const row of rows) {
    const known = logs.get(row.log_path as string)
    const call = toCall(row, isOwn(row.log as number, row.offset as number))
    if (known) known.push(call)
    else logs.set(row.log_path as string, [call])
  }
  return logs
}

const CALLS = `
select log.path as log_path, t.text as tool, p.text as path, c.tool_use, c.line, c.offset, c.length, c.time, c.answer_line, c.answer_offset,
  c.answer_length, c.ended, c.took, c.is_error, c.result_bytes, c.added, c.removed, c.log
from call c join log on log.id = c.log left join name t on t.id = c.tool left join name p on p.id = c.target
where log.state <> 'lost' and c.by_api is not 1`
const ORDER = ' order by c.log, coalesce(c.offset, c.answer_offset)'

function toCall(row: Row, isOwn: boolean): KnownCall {
  return {
    id: row.tool_use as string,
    tool: (row.tool as string | null) ?? 'unknown',
    path: row.path as string | null,
    made: row.offset === null ? null : toMade(row, isOwn),
    answer: row.answer_offset === null ? null : toAnswer(row),
  }
}

function toMade(row: Row, isOwn: boolean): MadePlace {
  return {
    line: row.line as number,
    offset: row.offset as number,
    length: row.length as number,
    timeMs: row.time as number | null,
    isOwn,
  }
}

function toAnswer(row: Row): KnownAnswer {
  return {
    line: row.answer_line as number,
    offset: row.answer_offset as number,
    length: row.answer_length as number,
    timeMs: row.ended as number | null,
    isError: row.is_error === 1,
    resultBytes: row.result_bytes as number,
    tookMs: row.took as number | null,
    added: row.added as number | null,
    removed: row.removed as number | null,
  }
}
