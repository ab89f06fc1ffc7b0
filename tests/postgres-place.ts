import postgres from 'postgres'
import type { RowTool, TeamDocument, TeamRow } from '../src/collector/row.ts'
import type { Cluster } from '../src/collector/sinks/postgres/cluster.ts'
import { postgresSink } from '../src/collector/sinks/postgres.ts'
import type { SinkUnderTest } from './collector/sink-contract.ts'
import { newDatabase } from './postgres.ts'

/** A database for the time of a test. */
export function postgresPlace(cluster: Cluster): SinkUnderTest {
  const name = newDatabase(cluster)
  const url = cluster.url(name)
  return {
    open: () => postgresSink(url),
    rows: () => rowsIn(url),
    documents: () => documentsIn(url),
    remove: async () => void cluster.psql(`drop database ${name}`),
  }
}

/** Asks a database something, as a reader who may see all. */
export async function ask(url: string, text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const parsed = new URL(url)
  const path = `${parsed.searchParams.get('host')}/.s.PGSQL.5432`
  const given = { path, user: parsed.username, database: parsed.pathname.slice(1), max: 1, onnotice: () => {} }
  const sql = postgres(given as postgres.Options<Record<string, never>>)
  try {
    return [...(await sql.unsafe(text))]
  } finally {
    await sql.end()
  }
}

/** All rows of a team store, made whole again from its tables. */
export async function rowsIn(url: string): Promise<readonly TeamRow[]> {
  const records = await ask(url, 'select * from annals.record')
  const responses = byKey(await ask(url, 'select * from annals.response'))
  const tools = byKey(await ask(url, 'select * from annals.tool_call order by number'))
  return records.map((one) => {
    const text = (key: string) => (typeof one[key] === 'string' ? one[key] : null)
    const [usage] = responses.get(keyOf(one)) ?? []
    return {
      machine: String(one.machine),
      file: String(one.file),
      generation: Number(one.generation),
      offset: Number(one.offset),
      line: Number(one.line),
      length: Number(one.length),
      user: text('person'),
      project: text('project'),
      session: text('session'),
      agent: text('agent'),
      timestamp: one.at instanceof Date ? one.at.toISOString() : null,
      type: String(one.type),
      kind: text('kind'),
      role: text('role'),
      uuid: text('uuid'),
      parentUuid: text('parent_uuid'),
      version: text('version'),
      gitBranch: text('git_branch'),
      messageId: text('message_id'),
      requestId: text('request_id'),
      model: text('model'),
      tokens: usage
        ? {
            inputTokens: Number(usage.input_tokens),
            outputTokens: Number(usage.output_tokens),
            cacheReadTokens: Number(usage.cache_read_tokens),
            cacheWrite5mTokens: Number(usage.cache_write_5m_tokens),
            cacheWrite1hTokens: Number(usage.cache_write_1h_tokens),
            webSearches: Number(usage.web_searches),
          }
        : null,
      tools: (tools.get(keyOf(one)) ?? []).map(toolOf),
      isError: one.is_error === true,
      content: one.content as Buffer,
      contentHash: String(one.content_hash),
    }
  })
}

/** All documents of a team store. */
export async function documentsIn(url: string): Promise<readonly TeamDocument[]> {
  const found = await ask(url, 'select * from annals.document order by file')
  return found.map((one) => ({
    machine: String(one.machine),
    user: one.person as string | null,
    project: one.project as string | null,
    session: one.session as string | null,
    file: String(one.file),
    kind: String(one.kind),
    modifiedAt: (one.modified_at as Date).toISOString(),
    content: one.content as Buffer,
    contentHash: String(one.content_hash),
  }))
}

function toolOf(one: Readonly<Record<string, unknown>>): RowTool {
  return {
    id: String(one.tool_id),
    name: one.name as string | null,
    file: one.path as string | null,
    isResult: one.is_result === true,
    isError: one.is_error as boolean | null,
  }
}

function byKey(rows: readonly Readonly<Record<string, unknown>>[]) {
  const found = new Map<string, Readonly<Record<string, unknown>>[]>()
  for (const one of rows) found.set(keyOf(one), [...(found.get(keyOf(one)) ?? []), one])
  return found
}

function keyOf({ machine, file, generation, offset }: Readonly<Record<string, unknown>>): string {
  return JSON.stringify([machine, file, generation, String(offset)])
}
