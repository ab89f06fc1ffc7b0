import type { RowTool } from '../../row.ts'
import { CopyWriter } from './binary-copy.ts'
import { copyIn, type Transaction } from './connect.ts'
import type { StagedRow } from './staged-row.ts'

/** Columns that the staged rows and the table of records share, in order. */
const RECORD = `machine text, file text, generation integer, "offset" bigint, month date, line bigint, length bigint,
  person text, project text, session text, agent text, at timestamptz, type text, kind text, role text, uuid text,
  parent_uuid text, version text, git_branch text, message_id text, request_id text, model text, is_error boolean, content bytea,
  content_hash text`
const RECORD_NAMES = namesOf(RECORD)
const TOKENS = `input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_5m_tokens bigint,
  cache_write_1h_tokens bigint, web_searches bigint`
const RESPONSE_NAMES = `machine, file, generation, "offset", month, person, project, session, agent, at, message_id, request_id,
  model, ${namesOf(TOKENS)}, is_fork, is_placeholder`
const TOOL = 'ord integer, number integer, tool_id text, tool text, path text, is_result boolean, tool_error boolean'
const TOOL_NAMES = `machine, file, generation, "offset", month, person, project, session, agent, at`
const STAGED_COLUMNS = 1 + 25 + 6 + 2
const TOOL_COLUMNS = 7

/** Where rows are gathered before they are merged: tables of the connection alone, empty after each transaction. */
const STAGE = `do $do$ begin
  if to_regclass('pg_temp.annals_stage') is not null then return; end if;
  create temporary table annals_stage
    (ord integer, ${RECORD}, ${TOKENS}, is_fork boolean, is_placeholder boolean) on commit delete rows;
  create temporary table annals_stage_tool (${TOOL}) on commit delete rows;
  -- What is thrown away at once need not be packed.
  alter table pg_temp.annals_stage alter column content set storage external;
end $do$`

/** Brings rows into the staging tables. */
export async function stageRows(tx: Transaction, rows: readonly StagedRow[]): Promise<void> {
  await tx.unsafe(STAGE)
  await copyIn(tx, 'copy pg_temp.annals_stage from stdin (format binary)', recordChunks(rows))
  if (!rows.some(({ row }) => row.tools.length > 0)) return
  await copyIn(tx, 'copy pg_temp.annals_stage_tool from stdin (format binary)', toolChunks(rows))
}

function* recordChunks(rows: readonly StagedRow[]): Generator<Buffer> {
  const writer = new CopyWriter()
  for (const [ord, staged] of rows.entries()) {
    writeRow(writer, staged, ord)
    yield* writer.take()
  }
  yield* writer.finish()
}

function* toolChunks(rows: readonly StagedRow[]): Generator<Buffer> {
  const writer = new CopyWriter()
  for (const [ord, { row }] of rows.entries()) {
    for (const [number, tool] of row.tools.entries()) writeTool(writer, tool, ord, number)
    yield* writer.take()
  }
  yield* writer.finish()
}

/** Merges a stretch of the staged rows into the tables; gives how many are new. Rows that are there stay as they are. */
export async function mergeRows(tx: Transaction, from: number, to: number): Promise<number> {
  const between = `ord >= ${from} and ord < ${to}`
  const added = await tx.unsafe(`insert into annals.record (${RECORD_NAMES})
    select ${RECORD_NAMES} from pg_temp.annals_stage where ${between} on conflict do nothing`)
  await tx.unsafe(`insert into annals.response (${RESPONSE_NAMES})
    select ${RESPONSE_NAMES} from pg_temp.annals_stage
    where ${between} and input_tokens is not null and message_id is not null and model <> '<synthetic>' on conflict do nothing`)
  await tx.unsafe(`insert into annals.tool_call (${TOOL_NAMES}, number, tool_id, name, path, is_result, is_error)
    select ${TOOL_NAMES}, t.number, t.tool_id, t.tool, t.path, t.is_result, t.tool_error
    from pg_temp.annals_stage_tool t join pg_temp.annals_stage s using (ord) where ${between} on conflict do nothing`)
  return added.count
}

function writeRow(to: CopyWriter, { row, at, month, isFork, isPlaceholder }: StagedRow, ord: number): void {
  to.row(STAGED_COLUMNS)
  to.integer(ord)
  to.text(row.machine)
  to.text(row.file)
  to.integer(row.generation)
  to.bigint(row.offset)
  to.date(month)
  to.bigint(row.line)
  to.bigint(row.length)
  to.text(row.user)
  to.text(row.project)
  to.text(row.session)
  to.text(row.agent)
  to.time(at)
  to.text(row.type)
  to.text(row.kind)
  to.text(row.role)
  to.text(row.uuid)
  to.text(row.parentUuid)
  to.text(row.version)
  to.text(row.gitBranch)
  to.text(row.messageId)
  to.text(row.requestId)
  to.text(row.model)
  to.boolean(row.isError)
  to.bytes(row.content)
  to.text(row.contentHash)
  const { tokens } = row
  to.bigint(tokens?.inputTokens ?? null)
  to.bigint(tokens?.outputTokens ?? null)
  to.bigint(tokens?.cacheReadTokens ?? null)
  to.bigint(tokens?.cacheWrite5mTokens ?? null)
  to.bigint(tokens?.cacheWrite1hTokens ?? null)
  to.bigint(tokens?.webSearches ?? null)
  to.boolean(isFork)
  to.boolean(isPlaceholder)
}

function writeTool(to: CopyWriter, tool: RowTool, ord: number, number: number): void {
  to.row(TOOL_COLUMNS)
  to.integer(ord)
  to.integer(number)
  to.text(tool.id)
  to.text(tool.name)
  to.text(tool.file)
  to.boolean(tool.isResult)
  to.boolean(tool.isError)
}

function namesOf(columns: string): string {
  return columns
    .split(',')
    .map((column) => column.trim().split(' ')[0])
    .join(', ')
}
