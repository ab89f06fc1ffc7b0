import type { Database, Row } from '../driver.ts'
import { DOCS_OF_A_LOG } from '../schema.ts'
import { type KnownCall, toCall } from './calls.ts'

/** A call about a file, and the log that tells of it. */
export interface FileCall extends KnownCall {
  readonly log: LogOfCall
  /** Whether this log made the call; the others that have it hold copies. */
  readonly isOwner: boolean
}

/** The log of a call. */
export interface LogOfCall {
  readonly id: number
  readonly path: string
  readonly root: string
  readonly project: string
  readonly session: string
  readonly agent: string | null
}

/** A file that tool calls are about, and when the first of them was made, in milliseconds. */
export interface TouchedFile {
  readonly path: string
  readonly firstMs: number | null
}

/** The files that calls of some tools are about. */
export function touchedFiles(database: Database, tools: readonly string[]): readonly TouchedFile[] {
  return database.prepare(FILES).all(JSON.stringify(tools)) as unknown as readonly TouchedFile[]
}

const TOOLS = '(select id from name where text in (select value from json_each(?1)))'

const FILES = `
select text as path, (select min(time) from call where target = name.id) as firstMs
from name where id in (select distinct target from call where tool in ${TOOLS} and target is not null)`

/** Selects calls of some tools: those about some files, or those that succeeded and contain one of some words. */
export type FileCallFilter = { readonly tools: readonly string[] } & (
  | { readonly paths: readonly string[] }
  /** `undefined` where the index has no text: then all that succeeded. */
  | { readonly words: readonly string[] | undefined }
)

/** Calls in all logs, each log's in the order they were made. */
export function fileCalls(database: Database, filter: FileCallFilter): readonly FileCall[] {
  const tools = JSON.stringify(filter.tools)
  if ('paths' in filter) return database.prepare(ON_FILES).all(tools, JSON.stringify(filter.paths)).map(toFileCall)
  const match = filter.words?.map((word) => `"${word}"`).join(' OR ')
  const rows =
    match === undefined
      ? database.prepare(`${DONE} ${ORDER}`).all(tools)
      : database.prepare(`${DONE} ${SAYING} ${ORDER}`).all(tools, `text : (${match})`)
  return rows.map(toFileCall)
}

const COLUMNS = `
select log.id as log, log.path as log_path, log.root, log.project, log.session, log.agent, t.text as tool, p.text as path, c.tool_use,
  c.line, c.offset, c.length, c.time, c.answer_line, c.answer_offset, c.answer_length, c.ended, c.took, c.is_error, c.result_bytes,
  c.added, c.removed,
  (select owner from response where log = c.log and last_offset >= c.offset order by last_offset limit 1) as owner
from call c join log on log.id = c.log join name t on t.id = c.tool left join name p on p.id = c.target
where c.tool in ${TOOLS} and log.state <> 'lost' and c.by_api is not 1 and c.offset is not null`

const ON_FILES = `${COLUMNS} and c.target in (select id from name where text in (select value from json_each(?2))) order by c.log, c.offset`

function toFileCall(row: Row): FileCall {
  return { ...toCall(row), log: toLog(row), isOwner: row.owner !== 0 }
}

function toLog(row: Row): LogOfCall {
  return {
    id: row.log as number,
    path: row.log_path as string,
    root: row.root as string,
    project: row.project as string,
    session: row.session as string,
    agent: row.agent as string | null,
  }
}

const ORDER = 'order by c.log, c.offset'
const DONE = `${COLUMNS} and c.answer_offset is not null and c.is_error = 0`
const SAYING = `and (c.log, c.offset) in (
  select doc.id / ${DOCS_OF_A_LOG}, doc.offset from words join doc on doc.id = words.rowid where words match ?2 and doc.tool in ${TOOLS})`

/** The turn of a session that a call belongs to. */
export interface TurnOfCall {
  /** Its number, with the branch behind it where that was abandoned. */
  readonly key: string
  readonly label: string | null
}

/** A call, and the session that its log belongs to. */
export interface CallInSession {
  readonly log: LogOfCall
  readonly session: string
  readonly offset: number
}

/** The turns of calls: by their response, or, for an agent's call, the turn in which the agent began. */
export function turnsOfCalls(database: Database, calls: readonly CallInSession[]): readonly (TurnOfCall | undefined)[] {
  const [own, agents] = [database.prepare(OWN_TURN), database.prepare(AGENT_TURN)]
  return calls.map(({ log: { id, root, project, agent }, session, offset }) => {
    const row = agent === null ? own.get(id, offset) : agents.get(id, root, project, session)
    return row && { key: row.key as string, label: row.label as string | null }
  })
}

const OWN_TURN = `
select key, label from turn where log = ?1 and n =
  (select turn from response where log = ?1 and last_offset >= ?2 order by last_offset limit 1)`

const AGENT_TURN = `
select key, label from turn where log =
  (select id from log where root = ?2 and project = ?3 and session = ?4 and agent is null)
and started <= (select first_at from fact where log = ?1) order by n desc limit 1`
