import type { Database, Row } from './driver.ts'
import type { SpokenRow } from './text-batch.ts'

/** What was said and done in a log, beside the calls of tools: what statistics count. */
export interface LogActivity {
  /** Rows of the log that are neither responses nor answers, in file order. */
  readonly spoken: readonly PlacedRow[]
  /** The responses that the log holds, owned or not, in file order. */
  readonly responses: readonly HeldResponse[]
  /** When the first and the last row of the session itself were written, copies left out. */
  readonly span: Span | null
}

/** Of a log that nothing is known of. */
export const NO_ACTIVITY: LogActivity = { spoken: [], responses: [], span: null }

/** A row of a log that is neither a response nor an answer. */
export interface PlacedRow extends SpokenRow {
  readonly kind: string
  readonly offset: number
  readonly line: number
  readonly length: number
  /** A command that stands right under the answer of a tool. */
  readonly isByModel: boolean
}

interface Span {
  readonly firstMs: number
  readonly lastMs: number
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

/** What was said and done in all logs, by the paths of these; spans are those of rows in a period, if one is meant. */
export function activityByLog(
  database: Database,
  isIn?: (timeMs: number) => boolean,
): ReadonlyMap<string, LogActivity> {
  const logs = new Map<number, { spoken: PlacedRow[]; responses: HeldResponse[]; span: Span | null }>()
  const paths = new Map<string, LogActivity>()
  for (const { id, path } of database.prepare("select id, path from log where state <> 'lost'").all()) {
    const activity = { spoken: [], responses: [], span: null }
    logs.set(id as number, activity)
    paths.set(path as string, activity)
  }
  for (const row of database.prepare(SPOKEN).all()) logs.get(row.log as number)?.spoken.push(toSpoken(row))
  for (const row of database.prepare(RESPONSES).all()) logs.get(row.log as number)?.responses.push(toResponse(row))
  for (const row of database.prepare(isIn ? OWN_TIMES : SPANS).iterate()) {
    const [firstMs, lastMs] = [row.first as number, row.last as number]
    const log = logs.get(row.log as number)
    if (!log || (isIn && !isIn(firstMs))) continue
    const known = log.span ?? { firstMs, lastMs }
    log.span = { firstMs: Math.min(known.firstMs, firstMs), lastMs: Math.max(known.lastMs, lastMs) }
  }
  return paths
}

const SPOKEN = `
select *, kind = 'command' and exists (
  select 1 from row_key k join call c on c.log = k.log and c.answer_offset = k.offset where k.key = p.parent and k.log = p.log
) as by_model from place p where sidechain is not null order by log, offset`
const SPANS = `
select log, min(time) as first, max(time) as last from row_key where own = 1 and time is not null group by log`
const OWN_TIMES = 'select log, time as first, time as last from row_key where own = 1 and time is not null'
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
    isByModel: row.by_model === 1,
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
