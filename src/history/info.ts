import type { TitleFrom } from '../core/facts/title.ts'
import { parseJson } from '../core/json.ts'
import type { Counts } from '../core/tree/turns.ts'
import { projectPath } from '../disk/library.ts'
import type { SourceEntry } from '../disk/source.ts'
import { type Columns, type Database, type Query, type Row, selectAll, selectColumns } from '../index/driver.ts'
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
  /** The number of its own log; `null` where that is not known. */
  readonly log: number | null
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
  /** When its log was written last, by the clock of the disk, in milliseconds. */
  readonly writtenAt: number | null
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
  readonly forkedFrom: string | null
  readonly continues: string | null
  readonly continuedIn: string | null
  readonly agents: readonly LinkedAgent[]
}

/** All sessions that any log is known of, by what they are known by; or few of them, among these all of some ids. */
export function sessionInfos(
  database: Database,
  ids?: readonly string[],
  ownerOf = sessionsOfLogs(database),
): ReadonlyMap<string, SessionInfo> {
  const all = ids ? selectColumns(database, THESE_SESSIONS, JSON.stringify(ids)) : selectColumns(database, SESSIONS)
  const links = linksOf(database, ownerOf, ids && { ids, all })
  const known = new Map<string, SessionInfo>()
  for (const info of toInfos(all, links)) known.set(info.key, info)
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
export function infosAmong(history: History, keys: readonly string[]): ReadonlyMap<string, SessionInfo> {
  const tables = history.tables()
  return infos.get(history.library.listed()) ?? sessionInfos(tables, keys.map(idOfKey))
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
    gitBranches: [...new Set([...(before?.gitBranches ?? []), ...(parseJson(row.git_branches as string) as string[])])],
    version: before?.version ?? text('version'),
    agents: before?.agents ?? links.agentsOf(key, undefined),
  }
}

/** A session of which no log of its own tells anything. */
export const NOTHING_KNOWN = {
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

const NUMBERS = [
  ...(['id', 'modified', 'lines', 'rows', 'prompts', 'messages', 'turns', 'tool_calls', 'branches'] as const),
  ...(['compactions', 'active_ms'] as const),
] as const

const TEXTS = [
  ...(['root', 'path', 'project', 'session', 'state', 'kind', 'cwd', 'relocated_cwd', 'git_branch'] as const),
  ...(['version', 'slug', 'custom_title', 'tag', 'ai_title', 'asked', 'first_at', 'last_at'] as const),
  ...(['continued_in', 'forked_from'] as const),
] as const

const JSON_TEXTS = ['git_branches', 'models', 'agents'] as const

/** What logs and their facts say of sessions. */
type SessionColumns = Readonly<
  Record<(typeof NUMBERS)[number], readonly number[]> &
    Record<(typeof TEXTS)[number], readonly (string | null)[]> &
    Record<(typeof JSON_TEXTS)[number], readonly string[]>
>

const SESSIONS: Query = {
  columns: [...NUMBERS, ...TEXTS, ...JSON_TEXTS].map((name) =>
    name === 'modified' ? 'cast(modified as int) as modified' : name,
  ),
  json: JSON_TEXTS,
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
  ...SESSIONS,
  from: `${SESSIONS.from} and session in (select value from json_each(?))`,
}

/** What more than one log must tell about sessions, by the numbers of their logs. */
export interface Links extends TitleLinks {
  readonly originOf: ReadonlyMap<number, string>
  readonly continuationOf: ReadonlyMap<number, string>
  readonly forkOf: ReadonlyMap<number, Fork>
  readonly agentsOf: AgentLinker
}

/**
 * Rows of `log` and `fact`, with what other logs tell of them, as sessions. From columns, and field by field: a command makes all of them
 * once, and most of the time goes to what V8 calls for the first time.
 */
export function toInfos(columns: Columns, links: Links): SessionInfo[] {
  const all = columns as unknown as SessionColumns
  const listOf = listReader()
  return all.id.map((log, nth) => {
    const root = all.root[nth] as string
    const project = all.project[nth] as string
    const id = all.session[nth] as string
    const key = familyKey(root, project, id)
    const path = all.path[nth] as string
    const title = titleOfRow(
      {
        id: log,
        path,
        custom_title: all.custom_title[nth] as string | null,
        ai_title: all.ai_title[nth] as string | null,
        asked: all.asked[nth] as string | null,
      },
      links,
    )
    const fork = links.forkOf.get(log)
    const writtenAt = all.modified[nth] as number
    const lastAt = all.last_at[nth] as string | null
    const createdAt = fork?.startedAt ?? (all.first_at[nth] as string | null)
    const tag = all.tag[nth] as string | null
    const messages = all.messages[nth] as number
    return {
      id,
      root,
      key,
      log,
      file: path,
      state: all.state[nth] as SessionInfo['state'],
      project: {
        key: project,
        path: projectPath(project, [all.cwd[nth] as string | null, all.relocated_cwd[nth] as string | null]),
      },
      title: title.text,
      titleFrom: title.from,
      slug: all.slug[nth] as string | null,
      tags: tag === null ? NO_NAMES : [tag],
      kind: all.kind[nth] as string,
      createdAt,
      updatedAt: lastAt ?? new Date(writtenAt).toISOString(),
      activeMs: (all.active_ms[nth] as number) - (fork?.spentMs ?? 0),
      wallMs: createdAt === null ? null : Math.max(0, Date.parse(lastAt ?? createdAt) - Date.parse(createdAt)),
      writtenAt,
      lines: all.lines[nth] as number,
      counts: {
        rows: all.rows[nth] as number,
        prompts: all.prompts[nth] as number,
        messages,
        turns: all.turns[nth] as number,
        toolCalls: all.tool_calls[nth] as number,
      },
      messageCount: messages,
      branches: all.branches[nth] as number,
      compactions: all.compactions[nth] as number,
      models: listOf(all.models[nth] as string),
      gitBranch: all.git_branch[nth] as string | null,
      gitBranches: listOf(all.git_branches[nth] as string),
      version: all.version[nth] as string | null,
      forkedFrom: all.forked_from[nth] ?? fork?.origin ?? null,
      continues: links.originOf.get(log) ?? null,
      continuedIn: all.continued_in[nth] ?? links.continuationOf.get(log) ?? null,
      agents: links.agentsOf(key, all.agents[nth]),
    }
  })
}

const NO_NAMES: readonly string[] = []

/** Reads lists of names from their JSON; most sessions have the same ones. */
function listReader(): (json: string) => readonly string[] {
  const known = new Map<string, readonly string[]>()
  return (json) => {
    const list = known.get(json) ?? (parseJson(json) as readonly string[])
    known.set(json, list)
    return list
  }
}

/** What more than one log must tell about sessions: about all, or those of some ids, with the rows of their logs. */
function linksOf(
  database: Database,
  ownerOf: OwnerOfLog,
  only?: { readonly ids: readonly string[]; readonly all: Columns },
): Links {
  const { id: logs = [], path = [] } = only?.all ?? {}
  const originOf = new Map<number, string>()
  const continuationOf = new Map<number, string>()
  for (const { log, session, origin, originLog } of database.prepare(ORIGINS).all()) {
    if (originOf.has(log as number)) continue
    originOf.set(log as number, origin as string)
    continuationOf.set(originLog as number, session as string)
  }
  return {
    ...titleLinks(database, only && logs.map((id, nth) => ({ id, path: path[nth] as string }))),
    originOf,
    continuationOf,
    forkOf: forksIn(database, only && (logs as readonly number[])),
    agentsOf: agentLinker(database, ownerOf, only?.ids),
  }
}

/** A session continues the one that holds the parent of its first row; of copies the one that was written first. */
const ORIGINS = `
select f.log, own.session, k.log as originLog, origin.session as origin
from fact f join link k on k.key = f.parent_key and k.log <> f.log join log own on own.id = f.log
join log origin on origin.id = k.log and origin.agent is null
where own.agent is null and (origin.state <> 'lost' or own.state = 'lost') order by f.log, origin.modified, origin.path`
