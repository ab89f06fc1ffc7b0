import type { SessionFiles } from '../disk/inventory.ts'
import type { Library } from '../disk/library.ts'
import type { LogFold } from '../disk/log-fold.ts'
import type { SourceEntry } from '../disk/source.ts'
import { findSession } from './find-session.ts'
import type { Context } from './op.ts'
import { inScope, type ScopeInput } from './scope.ts'

/** One log of a family. */
export interface ScannedLog {
  readonly library: Library
  readonly session: SessionFiles
  /** The agent whose log it is; `null` for the session's own. */
  readonly agent: string | null
  readonly entry: SourceEntry
}

/**
 * Hands on what each log of a session, or of all sessions in a scope, comes to, agents included. Only logs that are not what
 * they were at an earlier run are read.
 */
export function foldLogs<T>(
  context: Context,
  input: ScopeInput & { readonly session?: string | undefined },
  fold: LogFold<T>,
  take: (value: T, log: ScannedLog) => void,
): void {
  const logs = logsOf(context, input)
  const total = logs.reduce((sum, log) => sum + log.entry.sizeBytes, 0)
  let done = 0
  for (const log of logs) {
    // A log that is gone meanwhile is as good as an empty one.
    take(log.library.folded(log.entry, fold) ?? fold.begin().end(), log)
    done += log.entry.sizeBytes
    context.progress(done, total)
  }
}

function logsOf(
  context: Context,
  input: ScopeInput & { readonly session?: string | undefined },
): readonly ScannedLog[] {
  if (input.session !== undefined) {
    const { library, files } = findSession(context, input.session)
    return familyLogs(library, files)
  }
  const { library } = context
  const fits = inScope(input, context.cwd)
  const isEverything = input.project === undefined && input.under === undefined && !input.here
  return library.projects().flatMap((project) =>
    project.sessions.flatMap((session) => {
      const cwd = () => (session.log && library.glance(session.log)?.facts.cwd) ?? null
      return isEverything || fits({ key: project.key, path: cwd() }) ? familyLogs(library, session) : []
    }),
  )
}

function familyLogs(library: Library, session: SessionFiles): readonly ScannedLog[] {
  const main = session.log ? [{ library, session, agent: null, entry: session.log }] : []
  const agents = library
    .agentFiles(session)
    .flatMap(({ id, log }) => (log ? [{ library, session, agent: id, entry: log }] : []))
  return [...main, ...agents]
}
