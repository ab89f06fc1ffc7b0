import type { Tokens } from '../../core/usage/usage.ts'
import { type Database, type Query, type Row, selectAll } from '../driver.ts'

/** Tokens that a log used: one response, or all responses of a quarter of an hour that are billed alike. */
export interface SpentTokens {
  /** Id of the log that owns it. */
  readonly log: number
  /** Milliseconds since the epoch, the start of the quarter for several responses; `null` if unknown. */
  readonly at: number | null
  /** The model's name as logged. */
  readonly model: string
  readonly geo: string | null
  readonly isFast: boolean
  /** How many bounds of `PROMPT_CLASSES` the prompts exceed; `null` for one response, whose tokens tell it exactly. */
  readonly promptClass: number | null
  readonly used: Tokens
  readonly responses: number
  /** Rows it was seen on, and further logs that hold it. */
  readonly rows: number
  readonly copies: number
  readonly placeholders: number
  readonly isSidechain: boolean
  readonly isAbandoned: boolean
  /** Identifies the response; `null` for several. */
  readonly call: SingleCall | null
}

/** Identifies one response. */
export interface SingleCall {
  /** Shared by all holdings of the response. */
  readonly key: number
  readonly messageId: string
  readonly requestId: string | null
  /** Place of its first row in the log that owns it. */
  readonly line: number
  readonly offset: number
  readonly length: number
  /** Number of the turn in its log. */
  readonly turn: number | null
}

/** Selects spending; without conditions all of it. */
export interface SpendingFilter {
  /** One row per response instead of one per quarter of an hour. */
  readonly single?: boolean
  /** Milliseconds: not what was spent before, or at no known time. The result may contain up to a quarter of an hour more. */
  readonly since?: number | undefined
  /** With `since`: also everything that these logs spent. */
  readonly logs?: readonly number[]
  /** Only these logs. */
  readonly only?: readonly number[] | undefined
}

/** One page of the responses that some logs own, in the order of their ids. */
export interface ResponsePage {
  readonly logs: readonly number[]
  /** The last id of the page before. */
  readonly after: number
  readonly limit: number
}

/** Length of a bucket. */
export const QUARTER_MS = 900_000

/** What logs spent, each response once, for the log that owns it. */
export function spentTokens(database: Database, filter: SpendingFilter = {}): readonly SpentTokens[] {
  const { single = false, since, logs = [], only } = filter
  const { query, time, log } = single ? RESPONSES : BUCKETS
  const toSpent = single ? toResponse : toBucket
  if (only) return selectAll(database, where(query, `${log} in ${THESE}`), JSON.stringify(only)).map(toSpent)
  if (since === undefined) return selectAll(database, query).map(toSpent)
  const bounded = where(query, `(${time} >= ? or ${log} in ${THESE})`)
  return selectAll(database, bounded, since - QUARTER_MS, JSON.stringify(logs)).map(toSpent)
}

/** One page of responses and the id to continue after; fewer rows than `limit` on the last page. */
export function responsePage(
  database: Database,
  { logs, after, limit }: ResponsePage,
): {
  readonly rows: readonly SpentTokens[]
  readonly last: number
} {
  const ids = selectAll(database, PAGE, JSON.stringify(logs), after, limit).map(({ id }) => id as number)
  const rows = selectAll(database, where(RESPONSES.query, `r.id in ${THESE}`), JSON.stringify(ids))
  return { rows: rows.map(toResponse), last: ids.at(-1) ?? after }
}

/** What all logs of a session spent, lost ones included, unless another log owns it. */
export function spentBySession(
  database: Database,
  { root, project, id }: { readonly root: string; readonly project: string; readonly id: string },
): readonly SpentTokens[] {
  return selectAll(database, OF_SESSION, root, project, id).map(toResponse)
}

/** Responses that logs hold and other logs own: of all logs, or of some. */
export function inheritedTokens(database: Database, logs?: readonly number[]): readonly SpentTokens[] {
  const rows = logs
    ? selectAll(database, where(INHERITED, `r.log in ${THESE}`), JSON.stringify(logs))
    : selectAll(database, INHERITED)
  return rows.map(toResponse)
}

/** Start of the last quarter of an hour in which something was spent, in milliseconds. */
export function lastSpentAt(database: Database): number | undefined {
  const at = database.prepare(`select max(quarter) * ${QUARTER_MS} as at from bucket`).get()?.at
  return (at as number | null | undefined) ?? undefined
}

function where(query: Query, condition: string): Query {
  return { ...query, from: `${query.from} and ${condition}` }
}

/** Ids given as a JSON array. */
const THESE = '(select value from json_each(?))'

const PAGE: Query = {
  columns: ['id'],
  from: `(select id from response where owner = 1 and log in ${THESE} and id > ? order by id limit ?)`,
}

const COUNTED = `
response r join response c on c.id = coalesce(r.counts, r.id) join name m on m.id = c.model
left join name g on g.id = c.geo join log l on l.id = r.log`

const TOKENS = ['input', 'output', 'cache_read', 'write_5m', 'write_1h', 'web_searches']

const COLUMNS = [
  ...TOKENS.map((name) => `c.${name}`),
  'c.placeholder as placeholders',
  'r.log',
  'r.time as at',
  'm.text as model',
  'g.text as geo',
  'c.fast',
  'r.sidechain',
  'r.abandoned',
  'c.id as key',
  ...['message', 'request', 'line', 'offset', 'length', 'turn'].map((name) => `r.${name}`),
]

const RESPONSES = {
  query: {
    columns: [...COLUMNS, 'r.seen_rows as rows', 'r.seen_logs - 1 as copies'],
    from: `${COUNTED} where r.owner = 1 and l.state <> 'lost'`,
  },
  time: 'r.time',
  log: 'r.log',
}

const OF_SESSION: Query = {
  columns: [...COLUMNS, 'r.seen_rows as rows', '0 as copies'],
  from: `${COUNTED} where r.owner = 1 and l.root = ? and l.project = ? and l.session = ?`,
}

/** A response that a log holds on rows of two requests is one: both refer to the same counted holding. */
const INHERITED: Query = {
  columns: [...COLUMNS, 'r.rows', '0 as copies'],
  from: `${COUNTED} where r.owner = 0 and r.counts is not null and l.state <> 'lost'`,
}

const BUCKETS = {
  query: {
    columns: [
      ...TOKENS,
      ...['log', 'fast', 'prompt_class', 'sidechain', 'abandoned', 'responses', 'rows', 'copies', 'placeholders'],
      `quarter * ${QUARTER_MS} as at`,
      'm.text as model',
      'g.text as geo',
    ],
    from: 'bucket b join name m on m.id = b.model left join name g on g.id = b.geo where true',
  },
  time: `b.quarter * ${QUARTER_MS}`,
  log: 'b.log',
}

function toBucket(row: Row): SpentTokens {
  return spent(row, row.prompt_class as number, row.responses as number, null)
}

/** One response, from a row with the columns of the table `response`. */
export function toResponse(row: Row): SpentTokens {
  const call = {
    key: row.key as number,
    messageId: row.message as string,
    requestId: row.request as string | null,
    line: row.line as number,
    offset: row.offset as number,
    length: row.length as number,
    turn: row.turn as number | null,
  }
  return spent(row, null, 1, call)
}

/** Field by field: there are many, and adding fields behind a spread is slow (docs/decisions/performance.md). */
function spent(row: Row, promptClass: number | null, responses: number, call: SingleCall | null): SpentTokens {
  return {
    log: row.log as number,
    at: row.at as number | null,
    model: row.model as string,
    geo: row.geo as string | null,
    isFast: row.fast === 1,
    promptClass,
    used: {
      inputTokens: row.input as number,
      outputTokens: row.output as number,
      cacheReadTokens: row.cache_read as number,
      cacheWrite5mTokens: row.write_5m as number,
      cacheWrite1hTokens: row.write_1h as number,
      webSearches: row.web_searches as number,
    },
    responses,
    rows: row.rows as number,
    copies: row.copies as number,
    placeholders: row.placeholders as number,
    isSidechain: row.sidechain === 1,
    isAbandoned: row.abandoned === 1,
    call,
  }
}
