import { booleanAt, stringAt, textAt } from '../core/json.ts'
import { jsonText } from '../core/json-text.ts'
import { typedText } from '../core/tree/item-text.ts'
import { streamRecords } from '../disk/log-file.ts'
import type { SourceEntry } from '../disk/source.ts'
import type { FoundSession } from '../history/find.ts'
import { historyOf } from '../history/history.ts'
import { familyEntries, rowsInside } from '../history/open.ts'
import type { ShownItem } from '../history/view/item-shape.ts'
import type { Columns, TableRow } from './columns.ts'
import type { Exporter, ExportJob } from './exporter.ts'
import { withoutSystemPrompt } from './hidden-rows.ts'
import { type MaskedTurn, masked, readMasked } from './masked.ts'
import { parquetPieces } from './parquet-table.ts'
import { RESPONSES, responseRows } from './responses.ts'

/** Three tables for databases: every record, what was said and done in every turn, and what every response used. */
export const parquet: Exporter = {
  extension: 'parquet',
  *table(sessions, job) {
    yield { name: 'records.parquet', content: parquetPieces(RECORDS, recordRows(sessions, job)) }
    yield { name: 'messages.parquet', content: parquetPieces(MESSAGES, messageRows(sessions, job)) }
    yield { name: 'responses.parquet', content: parquetPieces(RESPONSES, responseRows(sessions, job)) }
  },
}

const RECORDS = {
  session: 'STRING',
  agent: 'STRING',
  type: 'STRING',
  uuid: 'STRING',
  parentUuid: 'STRING',
  timestamp: 'TIMESTAMP',
  cwd: 'STRING',
  gitBranch: 'STRING',
  version: 'STRING',
  isSidechain: 'BOOLEAN',
  record: 'STRING',
  file: 'STRING',
  line: 'INT64',
  offset: 'INT64',
  length: 'INT64',
} as const satisfies Columns

const MESSAGES = {
  session: 'STRING',
  agent: 'STRING',
  turn: 'INT64',
  kind: 'STRING',
  timestamp: 'TIMESTAMP',
  uuid: 'STRING',
  messageId: 'STRING',
  text: 'STRING',
  tool: 'STRING',
  toolUseId: 'STRING',
  input: 'STRING',
  result: 'STRING',
  isError: 'BOOLEAN',
  exitCode: 'INT64',
  durationMs: 'INT64',
  file: 'STRING',
  line: 'INT64',
} as const satisfies Columns

async function* recordRows(sessions: Iterable<FoundSession>, job: ExportJob): AsyncGenerator<TableRow<typeof RECORDS>> {
  for (const found of sessions) {
    const { files, agent } = found
    const agents = job.options.agents === 'none' ? [] : files.agents
    const context = { ...job.context, library: found.library }
    await historyOf(context).fetchLogs(familyEntries(files))
    const only = await rowsInside(context, found)
    const logs = agent ? [{ id: agent.id, log: agent.log ?? files.log }] : [{ id: null, log: files.log }, ...agents]
    for (const { id, log } of logs) if (log) yield* logRows(found, id, log, job, only)
  }
}

function* logRows(
  { library, files }: FoundSession,
  agent: string | null,
  log: SourceEntry,
  job: ExportJob,
  only: ReadonlySet<number> | undefined,
): Generator<TableRow<typeof RECORDS>> {
  const owner = masked(job, { session: files.id, agent, file: log.path })
  for (const record of streamRecords(library.source, log)) {
    const raw = only?.has(record.place.offset) === false ? undefined : withoutSystemPrompt(record.raw)
    if (!raw) continue
    const shown = masked(job, raw)
    const { line, offset, length } = record.place
    yield {
      ...owner,
      type: record.kind === 'oversize' ? null : (stringAt(shown, 'type') ?? null),
      uuid: textAt(shown, 'uuid') ?? null,
      parentUuid: textAt(shown, 'parentUuid') ?? null,
      timestamp: textAt(shown, 'timestamp') ?? null,
      cwd: textAt(shown, 'cwd') ?? null,
      gitBranch: textAt(shown, 'gitBranch') ?? null,
      version: textAt(shown, 'version') ?? null,
      isSidechain: booleanAt(shown, 'isSidechain') ?? null,
      record: record.kind === 'oversize' ? null : jsonText(shown),
      line,
      offset,
      length,
    }
  }
}

async function* messageRows(
  sessions: Iterable<FoundSession>,
  job: ExportJob,
): AsyncGenerator<TableRow<typeof MESSAGES>> {
  for (const session of sessions) {
    const { head, turns, agents } = await readMasked(session, job)
    const { id } = head.session
    for (const turn of turns()) yield* turnRows(id, head.agent?.id ?? null, turn)
    for (const { item, turns: own } of agents) for (const turn of own()) yield* turnRows(id, item.id, turn)
  }
}

function* turnRows(session: string, agent: string | null, turn: MaskedTurn): Generator<TableRow<typeof MESSAGES>> {
  const owner = { session, agent, turn: turn.number }
  const { prompt } = turn
  if (prompt) {
    const { kind, timestamp, uuid, text, output, file, line } = prompt
    yield { ...NOTHING, ...owner, kind, timestamp, uuid, text, result: output, file, line }
  }
  for (const item of turn.items) {
    const { kind, timestamp, uuid, file, line } = item
    yield { ...NOTHING, ...owner, kind, timestamp, uuid, file, line, ...itemFields(item) }
  }
}

const NOTHING = {
  text: null,
  messageId: null,
  tool: null,
  toolUseId: null,
  input: null,
  result: null,
  isError: null,
  exitCode: null,
  durationMs: null,
} as const

function itemFields(item: ShownItem): Partial<TableRow<typeof MESSAGES>> {
  switch (item.kind) {
    case 'tool': {
      const { messageId, name: tool, id, input, result, isError, exitCode, durationMs } = item
      return { messageId, tool, toolUseId: id, input: jsonText(input), result, isError, exitCode, durationMs }
    }
    case 'command':
    case 'bash':
      return { text: typedText(item), result: item.output }
    case 'compaction':
      return { text: item.summary }
    case 'text':
    case 'thinking':
      return { messageId: item.messageId, text: item.text }
    default:
      return { text: item.text }
  }
}
