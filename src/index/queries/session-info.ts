import type { TitleFrom } from '../../core/facts/title.ts'
import { parseJson } from '../../core/json.ts'
import type { Counts } from '../../core/tree/turns.ts'
import { projectPath } from '../../disk/library.ts'
import { type Database, type Query, type Row, selectAll } from '../driver.ts'
import { type AgentLinker, agentLinker, type LinkedAgent } from './agents.ts'
import { familyKey } from './family-key.ts'
import { type Fork, forksIn } from './forks.ts'
import { IS_UNNAMED, type LogSessions, readLogSessions } from './log-sessions.ts'
import { type TitleLinks, titleLinks, titleOfRow } from './titles.ts'

/** A session as the index knows it. Cost, status and expiry are added by `history`. */
export interface SessionInfo {
  readonly id: string
  readonly root: string
  /** See `familyKey`. */
  readonly key: string
  /** Id of its own log in the index; `null` if that is not known. */
  readonly log: number | null
  /** Path of its own log, wherever that is or was; `null` if only agents of it are known. */
  readonly file: string | null
  readonly state: 'disk' | 'archive' | 'lost'
  readonly project: { readonly key: string; readonly path: string | null }
  readonly title: string | null
  readonly titleFrom: TitleFrom
  readonly slug: string | null
  /** The client's own tag; it has at most one. */
  readonly tags: readonly string[]
  readonly kind: string
  readonly createdAt: string | null
  readonly updatedAt: string | null
  /** Active time without pauses, and time from the first row to the last, in milliseconds. */
  readonly activeMs: number | null
  readonly wallMs: number | null
  /** Modification time of its log, in milliseconds. */
  readonly writtenAt: number | null
  readonly lines: number | null
  readonly counts: Counts | null
  /** Prompts and responses; for a log that was deleted before it was read, the number in the client's own session list. */
  readonly messageCount: number | null
  readonly branches: number | null
  readonly compactions: number | null
  readonly models: readonly string[] | null
  readonly gitBranch: string | null
  /** All git branches, in the order of their first row. */
  readonly gitBranches: readonly string[]
  readonly version: string | null
  readonly forkedFrom: string | null
  readonly continues: string | null
  readonly continuedIn: string | null
  readonly agents: readonly LinkedAgent[]
}

/** Sessions by family key: all that any log is known of, or at least those with the given ids. */
export function sessionInfos(database: Database, ids?: readonly string[]): ReadonlyMap<string, SessionInfo> {
  const sessionOf = readLogSessions(database)
  const rows = ids ? selectAll(database, THESE_SESSIONS, JSON.stringify(ids)) : selectAll(database, SESSIONS)
  const links = linksOf(database, sessionOf, ids && { ids, rows })
  const known = new Map<string, SessionInfo>()
  for (const row of rows) {
    const info = toInfo(row, links)
    known.set(info.key, info)
  }
  for (const row of sessionOf.hasUnnamed ? selectAll(database, AGENTS) : []) {
    const key = familyKey(row.root as string, row.project as string, sessionOf(row))
    const before = known.get(key)
    if (before?.file === undefined || before.file === null) known.set(key, orphanInfo(key, row, before, links))
  }
  return known
}

/** Agent logs that may be all that is left of a session, oldest first. */
const AGENTS: Query = {
  columns: [
    'id',
    'root',
    'project',
    'session',
    'cwd',
    'relocated_cwd',
    'git_branch',
    'git_branches',
    'version',
    'first_at',
    'last_at',
  ],
  from: `log join fact on fact.log = log.id where ${IS_UNNAMED}`,
  order: 'first_at, path',
}

/** Describes a session without a log of its own from one of its agents; `before` is the result of the agents before this one. */
function orphanInfo(key: string, row: Row, before: SessionInfo | undefined, links: Links): SessionInfo {
  const text = (column: string) => row[column] as string | null
  const [root = '', project = '', id = ''] = key.split('\0')
  const times = [before?.updatedAt ?? '', text('last_at') ?? ''].sort()
  return {
    ...UNKNOWN_SESSION,
    id,
    root,
    key,
    project: {
      key: project,
      path: before?.project.path ?? projectPath(project, [text('cwd'), text('relocated_cwd')]),
    },
    createdAt: before?.createdAt ?? text('first_at'),
    updatedAt: times[1] || null,
    gitBranch: before?.gitBranch ?? text('git_branch'),
    gitBranches: [...new Set([...(before?.gitBranches ?? []), ...(parseJson(row.git_branches as string) as string[])])],
    version: before?.version ?? text('version'),
    agents: before?.agents ?? links.agentsOf(key, undefined),
  }
}

/** The fields of a session without a log of its own. */
export const UNKNOWN_SESSION = {
  log: null,
  file: null,
  state: 'lost',
  title: null,
  titleFrom: 'none',
  slug: null,
  tags: [],
  kind: 'gone',
  writtenAt: null,
  activeMs: null,
  wallMs: null,
  lines: null,
  counts: null,
  messageCount: null,
  branches: null,
  compactions: null,
  models: null,
  forkedFrom: null,
  continues: null,
  continuedIn: null,
} as const

const JSON_TEXTS = ['git_branches', 'models', 'agents'] as const

const SESSIONS: Query = {
  columns: [
    ...['id', 'cast(modified as int) as modified', 'lines', 'rows', 'prompts', 'messages', 'turns', 'tool_calls'],
    ...['branches', 'compactions', 'active_ms', 'root', 'path', 'project', 'session', 'state', 'kind', 'cwd'],
    ...['relocated_cwd', 'git_branch', 'version', 'slug', 'custom_title', 'tag', 'ai_title', 'asked', 'first_at'],
    ...['last_at', 'continued_in', 'forked_from'],
    ...JSON_TEXTS,
  ],
  json: JSON_TEXTS,
  from: 'log join fact on fact.log = log.id where agent is null',
}

const THESE_SESSIONS: Query = {
  ...SESSIONS,
  from: `${SESSIONS.from} and session in (select value from json_each(?))`,
}

/** Relations between sessions, by log id. */
export interface Links extends TitleLinks {
  readonly originOf: ReadonlyMap<number, string>
  readonly continuationOf: ReadonlyMap<number, string>
  readonly forkOf: ReadonlyMap<number, Fork>
  readonly agentsOf: AgentLinker
}

/** Makes a session from its row of `log` and `fact`. */
export function toInfo(row: Row, links: Links): SessionInfo {
  const text = (column: string) => row[column] as string | null
  const count = (column: string) => row[column] as number
  const [log, root, project, id] = [count('id'), row.root as string, row.project as string, row.session as string]
  const key = familyKey(root, project, id)
  const title = titleOfRow(row, links)
  const fork = links.forkOf.get(log)
  const writtenAt = count('modified')
  const lastAt = text('last_at')
  const createdAt = fork?.startedAt ?? text('first_at')
  const tag = text('tag')
  return {
    id,
    root,
    key,
    log,
    file: row.path as string,
    state: row.state as SessionInfo['state'],
    project: { key: project, path: projectPath(project, [text('cwd'), text('relocated_cwd')]) },
    title: title.text,
    titleFrom: title.from,
    slug: text('slug'),
    tags: tag === null ? [] : [tag],
    kind: row.kind as string,
    createdAt,
    updatedAt: lastAt ?? new Date(writtenAt).toISOString(),
    activeMs: count('active_ms') - (fork?.spentMs ?? 0),
    wallMs: createdAt === null ? null : Math.max(0, Date.parse(lastAt ?? createdAt) - Date.parse(createdAt)),
    writtenAt,
    lines: count('lines'),
    counts: {
      rows: count('rows'),
      prompts: count('prompts'),
      messages: count('messages'),
      turns: count('turns'),
      toolCalls: count('tool_calls'),
    },
    messageCount: count('messages'),
    branches: count('branches'),
    compactions: count('compactions'),
    models: parseJson(row.models as string) as readonly string[],
    gitBranch: text('git_branch'),
    gitBranches: parseJson(row.git_branches as string) as readonly string[],
    version: text('version'),
    forkedFrom: text('forked_from') ?? fork?.origin ?? null,
    continues: links.originOf.get(log) ?? null,
    continuedIn: text('continued_in') ?? links.continuationOf.get(log) ?? null,
    agents: links.agentsOf(key, row.agents as string),
  }
}

/** Reads the relations of all sessions, or of those with the given ids and rows. */
function linksOf(
  database: Database,
  sessionOf: LogSessions,
  only?: { readonly ids: readonly string[]; readonly rows: readonly Row[] },
): Links {
  const originOf = new Map<number, string>()
  const continuationOf = new Map<number, string>()
  for (const { log, session, origin, originLog } of database.prepare(ORIGINS).all()) {
    if (originOf.has(log as number)) continue
    originOf.set(log as number, origin as string)
    continuationOf.set(originLog as number, session as string)
  }
  return {
    ...titleLinks(database, only?.rows),
    originOf,
    continuationOf,
    forkOf: forksIn(
      database,
      only?.rows.map(({ id }) => id as number),
    ),
    agentsOf: agentLinker(database, sessionOf, only?.ids),
  }
}

/** A session continues the session that holds the parent of its first row; among copies, the one written first. */
const ORIGINS = `
select f.log, own.session, k.log as originLog, origin.session as origin
from fact f join link k on k.key = f.parent_key and k.log <> f.log join log own on own.id = f.log
join log origin on origin.id = k.log and origin.agent is null
where own.agent is null and (origin.state <> 'lost' or own.state = 'lost') order by f.log, origin.modified, origin.path`
