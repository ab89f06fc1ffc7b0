import { grouped } from '../core/grouped.ts'
import type { FoundSession } from '../history/find.ts'
import { historyOf } from '../history/history.ts'
import { readUsage, spentByAny } from '../history/usage/usage.ts'
import type { Columns, TableRow } from './columns.ts'
import type { ExportJob } from './exporter.ts'
import { masked } from './masked.ts'

/** What tables say of a response: whose it was, what it used and cost. */
export const RESPONSES = {
  timestamp: 'TIMESTAMP',
  session: 'STRING',
  title: 'STRING',
  project: 'STRING',
  agent: 'STRING',
  model: 'STRING',
  inputTokens: 'INT64',
  outputTokens: 'INT64',
  cacheReadTokens: 'INT64',
  cacheWrite5mTokens: 'INT64',
  cacheWrite1hTokens: 'INT64',
  webSearches: 'INT64',
  costUsd: 'DOUBLE',
  abandoned: 'BOOLEAN',
  messageId: 'STRING',
  requestId: 'STRING',
} as const satisfies Columns

/** A response as a row of a table. */
export type ResponseRow = TableRow<typeof RESPONSES>

/**
 * The responses of some sessions by time, without secrets. All logs are read for it, as `usage` does: a response that was
 * copied from session to session counts once, for the one that made it.
 */
export async function* responseRows(sessions: Iterable<FoundSession>, job: ExportJob): AsyncGenerator<ResponseRow> {
  for (const [library, some] of grouped(sessions, (found) => found.library)) {
    const history = historyOf({ ...job.context, library })
    const { calls } = await readUsage(history, { single: true })
    const wanted = calls.filter(await spentByAny(history, some))
    const titles = await (await history.refresh()).sessions.titles(wanted.map(({ session }) => session.key))
    for (const { call, session, agent, at, model, used, costUsd, isAbandoned } of wanted) {
      const { project, id } = session
      yield masked<ResponseRow>(job, {
        timestamp: Number.isNaN(at) ? null : new Date(at).toISOString(),
        session: id,
        title: titles.get(session.key)?.title ?? null,
        project: project.path ?? project.key,
        agent,
        model,
        ...used,
        costUsd,
        abandoned: isAbandoned,
        messageId: call?.messageId ?? '',
        requestId: call?.requestId ?? null,
      })
    }
  }
}
