import type { RowTool } from '../../row.ts'
import { CopyWriter } from './binary-copy.ts'
import { copyIn, type Transaction } from './connect.ts'
import type { StagedRow } from './staged-row.ts'

/** Columns that the staged rows and the table of records share, in order. */
const RECORD = `machine text, file text, generation integer, "offset" bigint, month date, line bigint, length bigint,
  person text, project text, session text, agent text, at timestamptz, type text, kind text, role text, uuid text,
  parent_uuid text, version text, git_branch text, message_id text, request_id text, model text, is_error boolean, content bytea,
  content_hash text`
const TOKENS = `input_tokens bigint, output_tokens bigint, cache_read_tokens bigint, cache_write_5m_tokens bigint,
  cache_write_1h_tokens bigint, web_searches bigint`
const TOOLS = 'tool_ids text[], tool_names text[], tool_paths text[], tool_results text[], tool_errors text[]'
const STAGED_COLUMNS = 1 + 25 + 6 + 2 + 5

/** Where rows are gathered before they are merged: a table of the connection alone, empty after each transaction. */
const STAGE = `do $do$ begin
  if to_regclass('pg_temp.annals_stage') is not null then return; end if;
  create temporary table annals_stage
    (ord integer, ${RECORD}, ${TOKENS}, is_fork boolean, is_placeholder boolean, ${TOOLS}) on commit delete rows;
  -- What fits into a page stays in it as it is; what does not is packed once, and goes on packed.
  alter table pg_temp.annals_stage set (toast_tuple_target = 8160);
  begin
    alter table pg_temp.annals_stage alter column content set compression lz4;
  exception when others then null; -- an older server, or one without lz4
  end;
end $do$`

const PLACE = 'machine, file, generation, "offset", month'
const WHOSE = 'person, project, session, agent, at'

/** From the staged rows into the tables: those that fit a condition. */
function inserts(condition: string): readonly string[] {
  const record = namesOf(RECORD)
  const response = `${PLACE}, ${WHOSE}, message_id, request_id, model, ${namesOf(TOKENS)}, is_fork, is_placeholder`
  const stage = `pg_temp.annals_stage where ${condition}`
  return [
    `insert into annals.record (${record}) select ${record} from ${stage}`,
    `insert into annals.response (${response}) select ${response} from ${stage}
      and input_tokens is not null and message_id is not null and model <> '<synthetic>'`,
    `insert into annals.tool_call (${PLACE}, ${WHOSE}, number, tool_id, name, path, is_result, is_error)
      select ${PLACE}, ${WHOSE}, number - 1, id, name, path, is_result::boolean, is_error::boolean from (
        select ${PLACE}, ${WHOSE}, generate_subscripts(tool_ids, 1) as number, unnest(tool_ids) as id, unnest(tool_names) as name,
          unnest(tool_paths) as path, unnest(tool_results) as is_result, unnest(tool_errors) as is_error
        from ${stage} and tool_ids is not null) tools`,
  ]
}

/** Makes the table for staging, unless the connection has it. */
export async function makeStage(tx: Transaction): Promise<void> {
  await tx.unsafe(STAGE)
}

/** Brings rows to the server. */
export async function stageRows(tx: Transaction, rows: readonly StagedRow[]): Promise<void> {
  await copyIn(tx, 'copy pg_temp.annals_stage from stdin (format binary)', chunksOf(rows))
}

function* chunksOf(rows: readonly StagedRow[]): Generator<Buffer> {
  const writer = new CopyWriter()
  for (const [ord, staged] of rows.entries()) {
    writeRow(writer, staged, ord)
    yield* writer.take()
  }
  yield* writer.finish()
}

/**
 * Adds all staged rows. Fails where one of them is there already or is refused: that is rare, and to look for each row before
 * it is added takes as long again.
 */
export async function addRows(tx: Transaction): Promise<void> {
  await tx.unsafe(inserts('true').join('; '))
}

/** Merges a stretch of the staged rows into the tables; gives how many are new. Rows that are there stay as they are. */
export async function mergeRows(tx: Transaction, from: number, to: number): Promise<number> {
  const asked = inserts(`ord >= ${from} and ord < ${to}`).map((text) => tx.unsafe(`${text} on conflict do nothing`))
  const [records] = await Promise.all(asked)
  return records?.count ?? 0
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
  writeTools(to, row.tools)
}

function writeTools(to: CopyWriter, tools: readonly RowTool[]): void {
  to.texts(tools.map(({ id }) => id))
  to.texts(tools.map(({ name }) => name))
  to.texts(tools.map(({ file }) => file))
  to.texts(tools.map(({ isResult }) => String(isResult)))
  to.texts(tools.map(({ isError }) => (isError === null ? null : String(isError))))
}

function namesOf(columns: string): string {
  return columns
    .split(',')
    .map((column) => column.trim().split(' ')[0])
    .join(', ')
}
