import type { LogRecord } from '../core/log/record.ts'
import type { SessionFiles } from '../disk/inventory.ts'
import type { Library } from '../disk/library.ts'
import { readLogFile, readRecordAt } from '../disk/log-file.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import type { RowFilter } from '../index/queries/places.ts'
import type { RowPlace } from '../index/text-batch.ts'
import type { Context } from './context.ts'
import { type FoundSession, findSession } from './find.ts'
import { historyOf } from './history.ts'
import type { RecordPlace } from './remote-history.ts'
import { type ScopeInput, sessionsInScope } from './scope.ts'

/** What one log comes to for some purpose, made in one pass over its records. */
export interface LogFold<T> {
  readonly begin: () => RunningFold<T>
}

/** A fold while its log is read. */
export interface RunningFold<T> {
  record(record: LogRecord): void
  end(): T
}

/** Whose something is: a session's, or that of an agent of it. */
export interface Whose {
  readonly session: string | null
  readonly agent: string | null
}

/** Tells what belongs to logs that were read from what does not: to a session everything of its agents too. */
export function ofOneOf(read: readonly Whose[]): (one: Whose) => boolean {
  return (one) => read.some(({ session, agent }) => session === one.session && (agent === null || agent === one.agent))
}

/** One log of a family. */
export interface ScannedLog {
  readonly library: Library
  readonly session: SessionFiles
  /** The agent whose log it is; `null` for the session's own. */
  readonly agent: string | null
  readonly entry: SourceEntry
}

/**
 * Reads the logs of a session or of an agent, or of all sessions in a scope, agents included, and hands on what each comes to. Of
 * all sessions only those rows are read that the fold looks at: the index knows where they stand.
 */
export async function foldLogs<T>(
  context: Context,
  input: ScopeInput & { readonly session?: string | undefined },
  rows: RowFilter,
  fold: LogFold<T>,
  take: (value: T, log: ScannedLog) => void,
): Promise<void> {
  const history = historyOf(context)
  const known =
    input.session === undefined ? await (await history.refresh('calls', context.progress)).calls.rows(rows) : undefined
  const logs = await logsOf(context, input)
  if (known) await history.fetchRecords(logs.flatMap(({ entry: { path } }) => placesIn(path, known.get(path))))
  else await history.fetchLogs(logs.map(({ entry }) => entry))
  for (const log of logs) {
    const running = fold.begin()
    const record = (one: LogRecord) => running.record(one)
    // A log that is gone meanwhile is as good as an empty one.
    if (known) readRows(log.library.source, log.entry, known.get(log.entry.path) ?? []).forEach(record)
    else readLogFile(log.library.source, log.entry, { record })
    take(running.end(), log)
  }
}

/** The places of rows in a log, as `History.fetchRecords` takes them. */
export function placesIn(path: string, rows: readonly RowPlace[] = []): readonly RecordPlace[] {
  return rows.map(({ offset }) => ({ path, offset }))
}

/** The rows at some places of a log, as far as they are still there. */
export function readRows(source: Source, entry: SourceEntry, places: readonly RowPlace[]): readonly LogRecord[] {
  return places.flatMap((place) => readRecordAt(source, entry, { file: entry.path, ...place }) ?? [])
}

/** The logs of a session or of an agent, or of all sessions in a scope, agents included. */
export async function logsOf(
  context: Context,
  input: ScopeInput & { readonly session?: string | undefined },
): Promise<readonly ScannedLog[]> {
  if (input.session !== undefined) return logsMeant(await findSession(context, input.session))
  const { library } = context
  return (await sessionsInScope(context, input)).flatMap((files) => logsMeant({ library, files, agent: null }))
}

/** The logs of what was found: of a session all of its family, of an agent its own, or the one that it lies in. */
function logsMeant({ library, files, agent }: FoundSession): readonly ScannedLog[] {
  const of = (log: SourceEntry | undefined, id: string | null) =>
    log ? [{ library, session: files, agent: id, entry: log }] : []
  if (agent?.log) return of(agent.log, agent.id)
  const agents = agent ? [] : files.agents.flatMap(({ id, log }) => of(log, id))
  return [...of(files.log, null), ...agents]
}
