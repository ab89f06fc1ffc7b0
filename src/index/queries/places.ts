import type { Database } from '../driver.ts'
import type { RowPlace } from '../text-batch.ts'

/** Rows that are read back from their logs: those of some kinds, and the calls of some tools with their answers. */
export interface RowFilter {
  readonly kinds?: readonly string[]
  readonly tools?: readonly string[]
}

/** The places of rows by the paths of their logs, in file order. */
export function placesByLog(
  database: Database,
  { kinds = [], tools = [] }: RowFilter,
): ReadonlyMap<string, readonly RowPlace[]> {
  const logs = new Map<string, RowPlace[]>()
  for (const { path, line, offset, length } of database
    .prepare(PLACES)
    .all(JSON.stringify(kinds), JSON.stringify(tools))) {
    const place = { line: line as number, offset: offset as number, length: length as number }
    const own = logs.get(path as string)
    if (own) own.push(place)
    else logs.set(path as string, [place])
  }
  return logs
}

const PLACES = `
with called as (
  select * from call where offset is not null and by_api = 0
  and tool in (select id from name where text in (select value from json_each(?2)))
)
select path, line, offset, length from (
  select log, line, offset, length from place where kind in (select value from json_each(?1))
  union select log, line, offset, length from called
  union select log, answer_line, answer_offset, answer_length from called where answer_offset is not null
) found join log on log.id = found.log where state <> 'lost' order by log, offset`
