import type { Database, Row } from '../driver.ts'
import type { RowPlace } from '../text-batch.ts'

/** A call of one of the client's tools, and what came back. */
export interface KnownCall {
  readonly id: string
  readonly tool: string
  /** The file that it is about. */
  readonly path: string | null
  /** `null` where the log has only the answer. */
  readonly made: TimedPlace | null
  readonly answer: KnownAnswer | null
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

/** Which calls are asked for; without bounds all of them. */
export interface CallFilter {
  /** Only those of these tools. */
  readonly tools?: readonly string[] | undefined
  /** Only those that were made or answered from this time on, in milliseconds. */
  readonly since?: number | undefined
}

/** The calls in all logs by the paths of these, in the order in which they were made. */
export function callsByLog(
  database: Database,
  { tools, since }: CallFilter = {},
): ReadonlyMap<string, readonly KnownCall[]> {
  const ofTools = tools ? ' and t.text in (select value from json_each(?))' : ''
  const inTime = since === undefined ? '' : ' and (c.time >= ? or c.ended >= ?)'
  const values = [...(tools ? [JSON.stringify(tools)] : []), ...(since === undefined ? [] : [since, since])]
  const rows = database.prepare(`${CALLS}${ofTools}${inTime}${ORDER}`).all(...values)
  const logs = new Map<string, KnownCall[]>()
  for (const row of rows) {
    const own = logs.get(row.log_path as string)
    if (own) own.push(toCall(row))
    else logs.set(row.log_path as string, [toCall(row)])
  }
  return logs
}

/** The names of all tools that were called, in any log. */
export function toolNames(database: Database): readonly string[] {
  const rows = database.prepare('select text from name where id in (select tool from call) order by text').all()
  return rows.map(({ text }) => text as string)
}

const CALLS = `
select log.path as log_path, t.text as tool, p.text as path, c.tool_use, c.line, c.offset, c.length, c.time, c.answer_line, c.answer_offset,
  c.answer_length, c.ended, c.took, c.is_error, c.result_bytes, c.added, c.removed
from call c join log on log.id = c.log left join name t on t.id = c.tool left join name p on p.id = c.target
where log.state <> 'lost' and c.by_api is not 1`
const ORDER = ' order by c.log, coalesce(c.offset, c.answer_offset)'

/** A tool call by its id and the path of its log. */
export interface CallName {
  readonly path: string
  readonly toolUseId: string
}

/** Where calls were made; `undefined` for those that are not known. */
export function callPlaces(database: Database, calls: readonly CallName[]): readonly (RowPlace | undefined)[] {
  const statement = database.prepare(CALL)
  return calls.map(({ path, toolUseId }) => {
    const row = statement.get(path, toolUseId)
    return row && { line: row.line as number, offset: row.offset as number, length: row.length as number }
  })
}

const CALL = `
select line, offset, length from call
where log = (select id from log where path = ?) and tool_use = ? and offset is not null`

/** A call by a row of its table, joined with its names. */
export function toCall(row: Row): KnownCall {
  return {
    id: row.tool_use as string,
    tool: (row.tool as string | null) ?? 'unknown',
    path: row.path as string | null,
    made: row.offset === null ? null : toMade(row),
    answer: row.answer_offset === null ? null : toAnswer(row),
  }
}

function toMade(row: Row): TimedPlace {
  return {
    line: row.line as number,
    offset: row.offset as number,
    length: row.length as number,
    timeMs: row.time as number | null,
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
