import { Failure } from '../core/failure.ts'
import type { ProjectFiles, SessionFiles } from '../disk/inventory.ts'
import { readSessionsIndex } from '../disk/sessions-index.ts'
import { historyOf } from '../history/history.ts'
import { type SessionInfo, sessionInfos } from '../history/info.ts'
import { sessionCosts } from '../history/session-costs.ts'
import type { Context } from './op.ts'
import { type SessionItem, sessionItems } from './session-item.ts'

/** All sessions, those whose logs are gone too, in no order. */
export async function listSessions(context: Context): Promise<readonly SessionItem[]> {
  const { library } = context
  const history = historyOf(context)
  await history.refresh(context.progress)
  const costOf = sessionCosts(history.tables(), await history.prices())
  const toItem = sessionItems(context)
  const logs = new Map(library.sessions().map(({ log }) => [log?.path, log]))
  const infos = [...sessionInfos(history.tables()).values()]
  const items = infos.map((info) => toItem(info, logs.get(info.file), costOf(info.log)))
  const known = new Set(infos.map(({ id }) => id))
  return [...items, ...library.projects().flatMap((project) => goneItems(context, project, known))]
}

/** One session as lists show it. */
export async function sessionItem(context: Context, { id, log }: SessionFiles): Promise<SessionItem> {
  const history = historyOf(context)
  await history.refresh(context.progress)
  const info = sessionInfos(history.tables()).get(log?.path ?? '')
  if (!info) throw new Failure('SESSION_NOT_FOUND', `${log?.path ?? `The log of ${id}`} can no longer be read.`)
  const costOf = sessionCosts(history.tables(), await history.prices())
  return sessionItems(context)(info, log, costOf(info.log))
}

/** The sessions that are still there, as the index knew them last, without what they cost: nothing is read. */
export function rememberedSessions(context: Context): readonly SessionItem[] {
  const logs = new Map(context.library.sessions().map(({ log }) => [log?.path, log]))
  const toItem = sessionItems(context)
  const infos = [...sessionInfos(historyOf(context).knownTables()).values()]
  return infos.filter(({ file }) => logs.has(file)).map((info) => toItem(info, logs.get(info.file), undefined))
}

/** What is known of the sessions whose logs can be read, without what they cost. */
export function knownSessions(
  context: Context,
): readonly { readonly info: SessionInfo; readonly files: SessionFiles }[] {
  const infos = sessionInfos(historyOf(context).tables())
  return context.library.sessions().flatMap((files) => {
    const info = infos.get(files.log?.path ?? '')
    return info ? [{ info, files }] : []
  })
}

/** Sessions that only a sessions-index.json still knows: their logs were swept. */
function goneItems(context: Context, project: ProjectFiles, known: ReadonlySet<string>): SessionItem[] {
  if (!project.sessionsIndex) return []
  const { items, warnings } = readSessionsIndex(project.dir)
  for (const warning of warnings) context.warn(warning)
  return items
    .filter((entry) => !known.has(entry.sessionId))
    .map((entry) => ({
      ...NOTHING_KNOWN,
      id: entry.sessionId,
      root: project.root,
      project: { key: project.key, path: entry.projectPath },
      title: entry.summary ?? entry.firstPrompt,
      titleFrom: entry.summary ? 'summary' : entry.firstPrompt ? 'prompt' : 'none',
      kind: 'gone',
      createdAt: entry.createdAt,
      updatedAt: entry.modifiedAt,
      gitBranch: entry.gitBranch,
    }))
}

const NOTHING_KNOWN = {
  file: null,
  slug: null,
  status: 'finished',
  sizeBytes: null,
  lines: null,
  counts: null,
  branches: null,
  compactions: null,
  agents: null,
  models: null,
  version: null,
  forkedFrom: null,
  continues: null,
  continuedIn: null,
  costUsd: null,
  ownCostUsd: null,
  unpriced: null,
  inherited: null,
  expiresAt: null,
  kept: false,
} as const
