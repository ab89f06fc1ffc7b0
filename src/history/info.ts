import type { TitleFrom } from '../core/facts/title.ts'
import { type JsonObject, parseJson } from '../core/json.ts'
import type { Counts } from '../core/tree/turns.ts'
import { projectPath } from '../disk/library.ts'
import type { SourceEntry } from '../disk/source.ts'
import { type Database, type Query, type Row, selectAll } from '../index/driver.ts'
import { type AgentLinker, agentLinker, type LinkedAgent } from './agents.ts'
import { familyKey, IS_UNNAMED, idOfKey, type OwnerOfLog, sessionsOfLogs } from './families.ts'
import { type Fork, forksIn } from './forks.ts'
import type { History } from './history.ts'
import { type TitleLinks, titleLinks, titleOfRow } from './titles.ts'

/** A session as the tables know it. What it costs, whether it runs and when it expires is told with the answer. */
export interface SessionInfo {
  readonly id: string
  readonly root: string
  /** What it is known by, see `familyKey`. */
  readonly key: string
  /** Its own log, wherever that is or was; `null` where only agents of it are known. */
  readonly file: string | null
  readonly state: 'disk' | 'archive' | 'lost'
  readonly project: { readonly key: string; readonly path: string | null }
  readonly title: string | null
  readonly titleFrom: TitleFrom
  readonly slug: string | null
  /** What the client tagged it with; it knows one tag. */
  readonly tags: readonly string[]
  readonly kind: string
  readonly createdAt: string | null
  readonly updatedAt: string | null
  /** How long was worked on it, pauses left out, and from its first row to its last, in milliseconds. */
  readonly activeMs: number | null
  readonly wallMs: number | null
  /** When its log was written last, by the clock of the disk. */
  readonly writtenAt: string | null
  readonly lines: number | null
  readonly counts: Counts | null
  /** Prompts and responses; of a log that was swept before it was read, what the client's own list of sessions says. */
  readonly messageCount: number | null
  readonly branches: number | null
  readonly compactions: number | null
  readonly models: readonly string[] | null
  readonly gitBranch: string | null
  /** All git branches that it was on, in the order of their first row. */
  readonly gitBranches: readonly string[]
  readonly version: string | null
  /** The `sessionId`s that its first records name. */
  readonly innerIds: readonly string[]
  readonly forkedFrom: string | null
  readonly continues: string | null
  readonly continuedIn: string | null
  readonly agents: readonly LinkedAgent[]
  readonly ledger: JsonObject | null
}

/** All sessions that any log is known of, by what they are known by; or few of them, among these all of some ids. */
export function sessionInfos(
  database: Database,
  ids?: readonly string[],
  ownerOf = sessionsOfLogs(database),
): ReadonlyMap<string, SessionInfo> {
  const rows = ids ? selectAll(database, THESE_SESSIONS, JSON.stringify(ids)) : selectAll(database, SESSIONS)
  const links = linksOf(database, ownerOf, ids && { ids, rows })
  const infos = rows.map((row) => toInfo(row, links))
  const known = new Map(infos.map((info) => [info.key, info]))
  for (const row of ownerOf.hasOthers ? selectAll(database, AGENTS) : []) {
    const key = familyKey(row.root as string, row.project as string, ownerOf(row))
    const before = known.get(key)
    if (before?.file === undefined || before.file === null) known.set(key, leftInfo(key, row, before, links))
  }
  return known
}

const infos = new WeakMap<readonly SourceEntry[], ReadonlyMap<string, SessionInfo>>()

/** The same for a history, up to date with what is listed; whose each log is may be known already. */
export function infosOf(history: History, ownerOf?: OwnerOfLog): ReadonlyMap<string, SessionInfo> {
  const tables = history.tables()
  const listing = history.library.listed()
  const known = infos.get(listing) ?? sessionInfos(tables, undefined, ownerOf)
  infos.set(listing, known)
  return known
}

/** What is known of one session, by what it is known by. */
export function infoOf(history: History, key: string): SessionInfo | undefined {
  return infosAmong(history, [key]).get(key)
}

/** What is known of some sessions, and maybe of others. */
export function infosAmong(
  history: History,
  keys: readonly string[],
  ownerOf?: OwnerOfLog,
): ReadonlyMap<string, SessionInfo> {
  const tables = history.tables()
  return infos.get(history.library.listed()) ?? sessionInfos(tables, keys.map(idOfKey), ownerOf)
}

/** The logs of agents that may be all that is left of a session, the oldest first. */
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

/** What agents tell of a session whose own log is not known: `before` is what the agents before this one told. */
function leftInfo(key: string, row: Row, before: SessionInfo | undefined, links: Links): SessionInfo {
  const text = (column: string) => row[column] as string | null
  const [root = '', project = '', id = ''] = key.split('\0')
  const times = [before?.updatedAt ?? '', text('last_at') ?? ''].sort()
  return {
    ...NOTHING_KNOWN,
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
    gitBranches: [...new Set([...(before?.gitBranches ?? []), ...branchesOf(row)])],
    version: before?.version ?? text('version'),
    agents: before?.agents ?? links.agentsOf(key, undefined),
  }
}

/** A session of which no log of its own tells anything. */
export const NOTHING_KNOWN = {
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
  innerIds: [],
  forkedFrom: null,
  continues: null,
  continuedIn: null,
  ledger: null,
} as const

const SESSIONS: Query = {
  columns: [
    ...[
      'id',
      'root',
      'path',
      'project',
      'session',
      'state',
      'cast(modified as int) as modified',
      'kind',
      'lines',
      'rows',
    ],
    ...['prompts', 'messages', 'turns', 'tool_calls', 'branches', 'compactions', 'cwd', 'relocated_cwd', 'git_branch'],
    'git_branches',
    ...[
      'version',
      'slug',
      'custom_title',
      'tag',
      'ai_title',
      'asked',
      'first_at',
      'last_at',
      'active_ms',
      'inner_ids',
      'models',
    ],
    ...['continued_in', 'forked_from', 'ledger', 'agents'],
  ],
  from: 'log join fact on fact.log = log.id where agent is null',
}

/** When each conversation was written to last, as `updatedAt` says: enough to tell which is the newest. */
export function conversationTimes(
  database: Database,
): readonly (Pick<SessionInfo, 'id' | 'key'> & { updatedAt: string })[] {
  return selectAll(database, CONVERSATIONS).map(({ root, project, session, last_at: lastAt, modified }) => ({
    id: session as string,
    key: familyKey(root as string, project as string, session as string),
    updatedAt: (lastAt as string | null) ?? new Date(modified as number).toISOString(),
  }))
}

const CONVERSATIONS: Query = {
  columns: ['root', 'project', 'session', 'last_at', 'cast(modified as int) as modified'],
  from: "log join fact on fact.log = log.id where agent is null and kind = 'conversation' and state <> 'lost'",
}

const THESE_SESSIONS: Query = {
  columns: SESSIONS.columns,
  from: `${SESSIONS.from} and session in (select value from json_each(?))`,
}

/** What more than one log must tell about sessions, by the numbers of their logs. */
export interface Links extends TitleLinks {
  readonly originOf: ReadonlyMap<number, string>
  readonly continuationOf: ReadonlyMap<number, string>
  readonly forkOf: ReadonlyMap<number, Fork>
  readonly agentsOf: AgentLinker
}

/** A row of `log` and `fact`, with what other logs tell of it, as a session. */
export function toInfo(row: Row, links: Links): SessionInfo {
  const log = row.id as number
  const text = (column: string) => row[column] as string | null
  const number = (column: string) => row[column] as number
  const title = titleOfRow(row, links)
  const key = familyKey(row.root as string, row.project as string, row.session as string)
  const writtenAt = new Date(number('modified')).toISOString()
  const createdAt = links.forkOf.get(log)?.startedAt ?? text('first_at')
  return {
    id: row.session as string,
    root: row.root as string,
    key,
    file: row.path as string,
    state: row.state as SessionInfo['state'],
    project: {
      key: row.project as string,
      path: projectPath(row.project as string, [text('cwd'), text('relocated_cwd')]),
    },
    title: title.text,
    titleFrom: title.from,
    slug: text('slug'),
    tags: row.tag === null ? [] : [row.tag as string],
    kind: row.kind as string,
    createdAt,
    updatedAt: text('last_at') ?? writtenAt,
    activeMs: number('active_ms') - (links.forkOf.get(log)?.spentMs ?? 0),
    wallMs: createdAt === null ? null : Math.max(0, Date.parse(text('last_at') ?? createdAt) - Date.parse(createdAt)),
    writtenAt,
    lines: number('lines'),
    counts: {
      rows: number('rows'),
      prompts: number('prompts'),
      messages: number('messages'),
      turns: number('turns'),
      toolCalls: number('tool_calls'),
    },
    messageCount: number('messages'),
    branches: number('branches'),
    compactions: number('compactions'),
    models: parseJson(row.models as string) as string[],
    gitBranch: text('git_branch'),
    gitBranches: branchesOf(row),
    version: text('version'),
    innerIds: parseJson(row.inner_ids as string) as string[],
    forkedFrom: text('forked_from') ?? links.forkOf.get(log)?.origin ?? null,
    continues: links.originOf.get(log) ?? null,
    continuedIn: text('continued_in') ?? links.continuationOf.get(log) ?? null,
    agents: links.agentsOf(key, row),
    ledger: row.ledger === null ? null : (parseJson(row.ledger as string) as JsonObject),
  }
}

function branchesOf(row: Row): readonly string[] {
  return parseJson(row.git_branches as string) as string[]
}

/** What more than one log must tell about sessions: about all, or those of some ids, with the rows of their logs. */
function linksOf(
  database: Database,
  ownerOf: OwnerOfLog,
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
    agentsOf: agentLinker(database, ownerOf, only?.ids),
  }
}

/** A session continues the one that holds the parent of its first row; of copies the one that was written first. */
const ORIGINS = `
select f.log, own.session, k.log as originLog, origin.session as origin
from fact f join link k on k.key = f.parent_key and k.log <> f.log join log own on own.id = f.log
join log origin on origin.id = k.log and origin.agent is null
where own.agent is null and (origin.state <> 'lost' or own.state = 'lost') order by f.log, origin.modified, origin.path`
