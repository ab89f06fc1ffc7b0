import { agentClass, linkCalls, type UnlinkedAgent } from '../../core/facts/agent-link.ts'
import { grouped } from '../../core/grouped.ts'
import { type JsonValue, parseJson, textAt } from '../../core/json.ts'
import { type Database, type Query, type Row, selectAll } from '../driver.ts'
import type { AgentParts, TurnedCall, UnlinkedPart } from '../log-rows.ts'
import { familyKey } from './family-key.ts'
import type { LogSessions } from './log-sessions.ts'

/** An agent of a session, linked to the call that started it. */
export interface LinkedAgent {
  readonly id: string
  /** Id of its own log in the index; `null` if it has none there. */
  readonly log: number | null
  readonly class: string
  readonly type: string | null
  readonly description: string | null
  /** Path of its own log; `null` if its rows are in the log of its session. */
  readonly file: string | null
  /** Offsets of its responses in the log of its session, if it has no log of its own. */
  readonly responses: readonly number[]
  /** The agent that started it; `null` if the session did. */
  readonly parentAgent: string | null
  readonly startedAt: string | null
  /** Number of the turn that started it, if the session did. */
  readonly turn: number | null
}

/** Returns the agents of a session, earliest first. `main` is the column `agents` of the session's own log, if it has one. */
export type AgentLinker = (key: string, main: string | undefined) => readonly LinkedAgent[]

/** Creates a linker over all sessions, or over the sessions with the given ids. */
export function agentLinker(database: Database, sessionOf: LogSessions, ids?: readonly string[]): AgentLinker {
  const keyOf = (row: Row) => familyKey(row.root as string, row.project as string, sessionOf(row))
  const [some] = ids && !sessionOf.hasUnnamed ? [JSON.stringify(ids)] : []
  const agents = some === undefined ? selectAll(database, AGENTS) : selectAll(database, THEIR_AGENTS, some)
  const bySession = grouped(agents, keyOf)
  const metaRows = some === undefined ? selectAll(database, METAS) : selectAll(database, THEIR_METAS, some)
  const metas = new Map(metaRows.map(({ path, value }) => [path, value as string | null]))
  return (key, main) => {
    const rows = bySession.get(key) ?? []
    // Most logs have no agents inside and need no parsing. Inside a text of the JSON, the quotes would be escaped.
    const mainParts =
      main !== undefined && (rows.length > 0 || !main.includes('"inline":[]')) ? partsOf(main) : undefined
    if (rows.length === 0 && !mainParts) return NO_AGENTS
    const logs = rows.map((row) => ({ row, parts: partsOf(row.agents as string) }))
    const unlinked = [
      ...(mainParts?.inline ?? []).map((part) => toUnlinked(part, undefined, part.responses, null)),
      ...logs.flatMap(({ row, parts }) =>
        parts.own ? [toUnlinked(parts.own, row, NO_RESPONSES, metaOf(metas.get(metaPath(row))))] : [],
      ),
    ]
    const links = linkCalls(unlinked, [
      ...(mainParts?.calls ?? []).map((call) => ({ call, caller: null })),
      ...logs.flatMap(({ row, parts }) => parts.calls.map((call) => ({ call, caller: row.agent as string }))),
    ])
    return unlinked.map((agent) => toLinked(agent, links.get(agent))).sort(byStart)
  }
}

const NO_AGENTS: readonly LinkedAgent[] = []
const NO_RESPONSES: readonly number[] = []

/** An agent before linking, with what its log and its meta file say. */
interface Unlinked extends UnlinkedAgent {
  readonly log: number | null
  readonly file: string | null
  readonly hasUserRow: boolean
  readonly responses: readonly number[]
  readonly meta: JsonValue
}

function toUnlinked(
  { id, prompt, startedAt, hasUserRow }: UnlinkedPart,
  row: Row | undefined,
  responses: readonly number[],
  meta: JsonValue,
): Unlinked {
  return {
    id,
    prompt,
    startedAt,
    hasUserRow,
    responses,
    meta,
    log: (row?.id as number | undefined) ?? null,
    file: (row?.path as string | undefined) ?? null,
    run: (row?.run as string | null | undefined) ?? null,
    toolUseId: textAt(meta, 'toolUseId') ?? null,
  }
}

function toLinked(
  agent: Unlinked,
  link: { readonly call: unknown; readonly caller: string | null } | undefined,
): LinkedAgent {
  const { id, log, file, responses, startedAt, meta } = agent
  const call = link?.call as TurnedCall | undefined
  return {
    id,
    log,
    class: agentClass(agent),
    type: textAt(meta, 'agentType') ?? call?.type ?? null,
    description: textAt(meta, 'description') ?? call?.description ?? null,
    file,
    responses,
    parentAgent: link?.caller ?? textAt(meta, 'parentAgentId') ?? null,
    startedAt,
    turn: link?.caller === null ? (call?.turn ?? null) : null,
  }
}

/** A meta file may be empty or half-written: then it counts as absent. */
function metaOf(text: string | null | undefined): JsonValue {
  return parseJson(text ?? '') ?? null
}

function metaPath({ path }: Row): string {
  return (path as string).replaceAll('.jsonl', '.meta.json')
}

const AGENTS: Query = {
  columns: ['id', 'root', 'path', 'project', 'session', 'agent', 'run', 'agents'],
  json: ['agents'],
  from: "log join fact on fact.log = log.id where agent is not null and state <> 'lost'",
}

const THEIRS = 'session in (select value from json_each(?))'

const THEIR_AGENTS: Query = { ...AGENTS, from: `${AGENTS.from} and ${THEIRS}` }

/** Not joined to the logs: looking up each by its path takes longer than reading them all. */
const METAS: Query = { columns: ['path', 'value'], from: 'sidecar' }

const THEIR_METAS: Query = {
  ...METAS,
  from: `${METAS.from} where path in
    (select replace(path, '.jsonl', '.meta.json') from log where agent is not null and ${THEIRS})`,
}

function partsOf(agents: string): AgentParts {
  return parseJson(agents) as unknown as AgentParts
}

function byStart(a: LinkedAgent, b: LinkedAgent): number {
  return compare(a.startedAt ?? '', b.startedAt ?? '') || compare(a.id, b.id)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
