import type { RowTable } from '../../core/facts/row-table.ts'
import type { Database, Row } from '../driver.ts'
import { allRowTables } from '../row-tables.ts'
import type { SpokenRow } from '../text-batch.ts'

/** What was said and done in a log, beside the calls of tools: what statistics count. */
export interface LogActivity {
  /** Rows of the log that are neither responses nor answers, in file order. */
  readonly spoken: readonly PlacedRow[]
  /** The responses that the log holds, owned or not, in file order. */
  readonly responses: readonly HeldResponse[]
  /** All rows of its tree, in as many pieces as it was read in. */
  readonly rows: readonly RowTable[]
}

/** Of a log that nothing is known of. */
export const NO_ACTIVITY: LogActivity = { spoken: [], responses: [], rows: [] }

/** A row of a log that is neither a response nor an answer. */
export interface PlacedRow extends SpokenRow {
  readonly kind: string
  readonly offset: number
  readonly line: number
  readonly length: number
}

/** A response in one of the logs that hold it. */
export interface HeldResponse {
  readonly offset: number
  readonly messageId: string
  readonly timeMs: number | null
  readonly model: string
  /** As the holding has it that counts. */
  readonly outputTokens: number
  readonly isSidechain: boolean
  /** It is this log's, and counts here. */
  readonly isOwned: boolean
}

/** What was said and done in all logs, by the paths of these. */
export function activityByLog(database: Database): ReadonlyMap<string, LogActivity> {
  const logs = new Map<number, { spoken: PlacedRow[]; responses: HeldResponse[]; rows: RowTable[] }>()
  const paths = new Map<string, LogActivity>()
  for (const { id, path } of database.prepare("select id, path from log where state <> 'lost'").all()) {
    const activity = { spoken: [], responses: [], rows: [] }
    logs.set(id as number, activity)
    paths.set(path as string, activity)
  }
  for (const row of database.prepare(SPOKEN).all()) logs.get(row.log as number)?.spoken.push(toSpoken(row))
  for (const row of database.prepare(RESPONSES).all()) logs.get(row.log as number)?.responses.push(toResponse(row))
  for (const { log, rows } of allRowTables(database)) logs.get(log)?.rows.push(rows)
  return paths
}

const SPOKEN = 'select * from place where sidechain is not null order by log, offset'
const RESPONSES = `
select r.log, r.offset, r.message, r.time, r.sidechain, r.owner, c.output, m.text as model
from response r join response c on c.id = coalesce(r.counts, r.id) join name m on m.id = c.model order by r.log, r.offset`

function toSpoken(row: Row): PlacedRow {
  return {
    kind: row.kind as string,
    offset: row.offset as number,
    line: row.line as number,
    length: row.length as number,
    time: row.time as number | null,
    key: row.key as number | null,
    parent: row.parent as number | null,
    isSidechain: row.sidechain === 1,
    isFork: row.fork === 1,
    isCustom: row.custom === 1,
  }
}

function toResponse(row: Row): HeldResponse {
  return {
    offset: row.offset as number,
    messageId: row.message as string,
    timeMs: row.time as number | null,
    model: row.model as string,
    outputTokens: row.output as number,
    isSidechain: row.sidechain === 1,
    isOwned: row.owner === 1,
  }
}
