import type { TitleFrom } from '../core/facts/title.ts'
import { Failure } from '../core/failure.ts'
import { numberOf } from '../core/log/version.ts'
import type { Counts } from '../core/tree/turns.ts'
import type { SessionFiles } from '../disk/inventory.ts'
import { readLiveSessions } from '../disk/live.ts'
import { expiresAt, readRetention } from '../disk/retention.ts'
import type { SourceEntry } from '../disk/source.ts'
import { unreadLog } from '../disk/unreadable.ts'
import type { SessionInfo } from '../index/queries/session-info.ts'
import { readMarks } from '../state/marks.ts'
import { keyOfFiles, listedSessions } from './families.ts'
import { conversationTimes } from './find.ts'
import { sweptSessions } from './gone.ts'
import { type HistoryOptions, historyOf, type OnProgress } from './history.ts'
import { readSessionCosts, type SessionCost } from './usage/session-costs.ts'

/** A session as lists have it. What only its log could tell is `null` where that is gone. */
export interface ListedSession {
  id: string
  root: string
  file: string | null
  project: { key: string; path: string | null }
  title: string | null
  titleFrom: TitleFrom
  slug: string | null
  tags: string[]
  starred: boolean
  note: string | null
  kind: string
  status: 'live' | 'finished' | 'unknown'
  createdAt: string | null
  updatedAt: string | null
  activeMs: number | null
  wallMs: number | null
  sizeBytes: number | null
  lines: number | null
  counts: Counts | null
  messageCount: number | null
  branches: number | null
  compactions: number | null
  agents: { id: string; class: string; type: string | null; description: string | null }[] | null
  models: string[] | null
  gitBranch: string | null
  gitBranches: string[]
  version: string | null
  forkedFrom: string | null
  continues: string | null
  continuedIn: string | null
  costUsd: number | null
  ownCostUsd: number | null
  unpriced: number | null
  inherited: { responses: number; costUsd: number | null } | null
  expiresAt: string | null
  kept: boolean
  unreadable: string | null
}

/** Who asks for a list. */
export interface ListAsking extends HistoryOptions {
  /** Where stars and notes lie. */
  readonly dataDir?: string | undefined
  readonly now: Date
  readonly progress: OnProgress
}

/** All sessions, also those whose logs are gone, in no order. */
export async function listSessions(context: ListAsking): Promise<readonly ListedSession[]> {
  const history = historyOf(context)
  const queries = await history.refresh('facts', context.progress)
  const infos = await queries.sessions.infos()
  const costs = await readSessionCosts(queries.spending, await history.prices(), infos.values(), { isPart: false })
  const toItem = itemMaker(context)
  const entries = history.library.entries()
  // Another process may have read a log just now that is not listed here yet. Only a session without a log of its own, and the logs of
  // a store that belong to no session, take more than a look at the path.
  const hasOrphans = history.remote !== undefined || [...infos.values()].some(({ file }) => file === null)
  const listed = hasOrphans ? new Set((await listedSessions(history)).map(keyOfFiles)) : undefined
  const isListed = ({ key, file }: SessionInfo) => (listed ? listed.has(key) : entries.has(file ?? ''))
  const known = [...infos.values()].filter((info) => info.state === 'lost' || isListed(info))
  return [...known, ...(await sweptSessions(context))].map((info) => {
    const log = info.file === null ? undefined : entries.get(info.file)
    return toItem(info, log, costs.get(info.key))
  })
}

/** Some sessions as lists have them; one whose log can no longer be read is left out. */
export async function sessionItems(
  context: ListAsking,
  some: readonly SessionFiles[],
): Promise<readonly ListedSession[]> {
  const history = historyOf(context)
  const queries = await history.refresh('facts', context.progress)
  const infos = await queries.sessions.infos(some.map(({ id }) => id))
  const wanted = some.flatMap((files) => infos.get(keyOfFiles(files)) ?? [])
  const costs = await readSessionCosts(queries.spending, await history.prices(), wanted, { isPart: true })
  const toItem = itemMaker(context)
  return some.flatMap((files) => {
    const info = infos.get(keyOfFiles(files))
    return info ? toItem(info, files.log, costs.get(info.key)) : []
  })
}

/** One session as lists have it. */
export async function sessionItem(context: ListAsking, files: SessionFiles): Promise<ListedSession> {
  const [item] = await sessionItems(context, [files])
  if (item) return item
  throw files.log ? unreadLog(files.log) : noLog(files)
}

function noLog({ id }: SessionFiles): Failure {
  return new Failure('SESSION_NOT_FOUND', `The log of ${id} can no longer be read.`)
}

/** The sessions in the index that still exist, without their costs. Reads no log. */
export async function rememberedSessions(context: ListAsking): Promise<readonly ListedSession[]> {
  const logs = new Map(context.library.sessions().map((files) => [keyOfFiles(files), files.log]))
  const toItem = itemMaker(context)
  const queries = await historyOf(context).refresh('as-is')
  const infos = [...(await queries.sessions.infos()).values()]
  return infos.filter(({ key }) => logs.has(key)).map((info) => toItem(info, logs.get(info.key), undefined))
}

/** A conversation that lists show: which, when it was written to last and when it will be swept. */
export interface Conversation extends Fate {
  readonly id: string
  readonly files: SessionFiles
  readonly updatedAt: string
}

/** All conversations that lists show, whether on the disk or only in the archive, in no order: what else is known of them is not looked for. */
export async function listConversations(context: ListAsking): Promise<readonly Conversation[]> {
  const history = historyOf(context)
  await history.refresh('facts', context.progress)
  const files = new Map((await listedSessions(history)).map((one) => [one.log?.path, one]))
  const fateOf = fateTeller(context)
  return (await conversationTimes(history)).flatMap(({ id, path, updatedAt }) => {
    const one = files.get(path)
    if (!one?.log || (one.log.gone && !one.log.kept)) return []
    return { id, files: one, updatedAt, ...fateOf(one, one.log) }
  })
}

/** What becomes of a session. */
interface Fate {
  readonly isLive: boolean
  readonly expiresAt: string | null
  readonly kept: boolean
}

type ItemMaker = (info: SessionInfo, log: SourceEntry | undefined, cost: SessionCost | undefined) => ListedSession

/** Tells what becomes of sessions; knows for each root what is live and when logs are swept. */
function fateTeller(context: ListAsking) {
  const rootFacts = new Map(context.library.roots.map((root) => [root, aboutRoot(context, root)]))
  return ({ id, root }: Pick<SessionInfo, 'id' | 'root'>, log: SourceEntry | undefined): Fate => {
    const about = rootFacts.get(root)
    const isSwept = log && !log.gone && !context.library.isOutside
    return {
      isLive: about?.live.has(id) ?? false,
      expiresAt: isSwept && about ? expiresAt(log.modifiedAt, about.days) : null,
      kept: log?.kept ?? false,
    }
  }
}

/** Makes list items of sessions. What is a list or an object is the same in both, and in all sessions that say the same: nobody changes it. */
function itemMaker(context: ListAsking): ItemMaker {
  const marks = readMarks(context.dataDir)
  const fateOf = fateTeller(context)
  return (info, log, cost) => {
    const fate = fateOf(info, log)
    const mark = marks.get(info.id)
    // What the archive has counts as it is, and only a conversation is shown for that.
    const isGone = log === undefined || (log.gone === true && !log.unreadable && info.kind === 'conversation')
    return {
      id: info.id,
      root: info.root,
      file: log?.path ?? null,
      project: info.project,
      title: info.title,
      titleFrom: info.titleFrom,
      slug: info.slug,
      tags: info.tags as string[],
      starred: mark?.starred ?? false,
      note: mark?.note ?? null,
      kind: isGone ? 'gone' : info.kind,
      status: fate.isLive ? 'live' : isUncertain(info, log, context.now) ? 'unknown' : 'finished',
      createdAt: info.createdAt,
      updatedAt: info.updatedAt,
      activeMs: info.activeMs,
      wallMs: info.wallMs,
      sizeBytes: log?.sizeBytes ?? null,
      lines: info.lines,
      counts: info.counts,
      messageCount: info.messageCount,
      branches: info.branches,
      compactions: info.compactions,
      agents: agentLines(info),
      models: info.models as string[] | null,
      gitBranch: info.gitBranch,
      gitBranches: info.gitBranches as string[],
      version: info.version,
      forkedFrom: info.forkedFrom,
      continues: info.continues,
      continuedIn: info.continuedIn,
      costUsd: cost?.costUsd ?? null,
      ownCostUsd: cost?.ownCostUsd ?? null,
      unpriced: cost?.unpriced ?? null,
      inherited: cost?.inherited ?? null,
      expiresAt: fate.expiresAt,
      kept: fate.kept,
      unreadable: log?.unreadable ?? null,
    }
  }
}

/** Without a log, nobody knows of agents but by their own logs. */
function agentLines({ file, agents }: SessionInfo): ListedSession['agents'] {
  if (file === null && agents.length === 0) return null
  return agents
    .filter((agent) => agent.class !== 'warmup')
    .map(({ id, class: kind, type, description }) => ({ id, class: kind, type, description }))
}

function aboutRoot(context: HistoryOptions, root: string) {
  const live = readLiveSessions(root)
  const retention = readRetention(root)
  for (const warning of [...live.warnings, ...retention.warnings]) context.warn(warning)
  const alive = live.items.flatMap((item) => (item.alive && item.sessionId ? [item.sessionId] : []))
  return { live: new Set(alive), days: retention.days }
}

/** How long after its last write a session may still be running without saying so. */
const QUIET_MS = 5 * 60_000

/** Clients before 2.1.181 do not register: one of theirs that wrote minutes ago may still be running. */
function isUncertain({ version }: SessionInfo, log: SourceEntry | undefined, now: Date): boolean {
  const age = now.getTime() - (log?.modifiedAt ?? 0)
  return age < QUIET_MS && (version === null || numberOf(version) < numberOf('2.1.181'))
}
