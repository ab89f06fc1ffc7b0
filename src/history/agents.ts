import { agentClass, linkCalls, type PlacedCall, type UnlinkedAgent } from '../core/facts/agent-link.ts'
import { grouped } from '../core/grouped.ts'
import { parseJson, textAt } from '../core/json.ts'
import { type Database, type Query, type Row, selectAll } from '../index/driver.ts'
import type { AgentParts, TurnedCall, UnlinkedPart } from '../index/log-rows.ts'
import { familyKey, type OwnerOfLog } from './families.ts'

/** An agent of a session, as the tables know it. */
export interface LinkedAgent {
  readonly id: string
  readonly class: string
  readonly type: string | null
  readonly description: string | null
  /** Its own log; `null` for one that lies in the log of its session. */
  readonly file: string | null
  /** Where the responses of one without a log of its own stand in that of its session. */
  readonly responses: readonly number[]
  /** The agent that started it; `null` where the session itself did. */
  readonly parentAgent: string | null
  readonly startedAt: string | null
  /** The number of the turn that started it, where the session itself did. */
  readonly turn: number | null
}

interface Draft extends UnlinkedAgent {
  readonly file: string | null
  readonly responses: readonly number[]
  readonly hasUserRow: boolean
  readonly type: string | null
  readonly description: string | null
  readonly parentAgent: string | null
}

/** Links agents to the calls that started them, for one session after the other: the earliest agent first. */
export type AgentLinker = (key: string, main: Row | undefined) => readonly LinkedAgent[]

/**
 * A linker over all sessions that are known by a key, or those of some ids; what it is given is the row of a session's own log and facts,
 * if there is one.
 */
export function agentLinker(database: Database, ownerOf: OwnerOfLog, ids?: readonly string[]): AgentLinker {
  const keyOf = (row: Row) => familyKey(row.root as string, row.project as string, ownerOf(row))
  const agents =
    ids && !ownerOf.hasOthers ? selectAll(database, THEIR_AGENTS, JSON.stringify(ids)) : selectAll(database, AGENTS)
  const bySession = grouped(agents, keyOf)
  return (key, main) => {
    const own = main ? partsOf(main) : NO_PARTS
    const logs = (bySession.get(key) ?? []).map((row) => ({ row, parts: partsOf(row) }))
    if (logs.length === 0 && own.inline.length === 0) return []
    const drafts = [
      ...own.inline.map((one) => draftOf(one, { responses: one.responses })),
      ...logs.flatMap(({ row, parts }) => (parts.own ? [draftOf(parts.own, row)] : [])),
    ]
    const calls: PlacedCall[] = [
      ...own.calls.map((call) => ({ call, caller: null })),
      ...logs.flatMap(({ row, parts }) => parts.calls.map((call) => ({ call, caller: row.agent as string }))),
    ]
    const links = linkCalls(drafts, calls)
    return drafts.sort(byStart).map((draft): LinkedAgent => {
      const { call, caller } = links.get(draft) ?? {}
      return {
        id: draft.id,
        class: agentClass(draft),
        type: draft.type ?? call?.type ?? null,
        description: draft.description ?? call?.description ?? null,
        file: draft.file,
        responses: draft.responses,
        parentAgent: caller ?? draft.parentAgent,
        startedAt: draft.startedAt,
        turn: caller === null ? (call as TurnedCall).turn : null,
      }
    })
  }
}

const NO_PARTS: AgentParts = { calls: [], inline: [], own: null }

const AGENTS: Query = {
  columns: ['id', 'root', 'log.path', 'project', 'session', 'agent', 'run', 'agents', 'sidecar.value as meta'],
  from: `log join fact on fact.log = log.id
    left join sidecar on sidecar.path = replace(log.path, '.jsonl', '.meta.json')
    where agent is not null and state <> 'lost'`,
}

const THEIR_AGENTS: Query = {
  columns: AGENTS.columns,
  from: `${AGENTS.from} and session in (select value from json_each(?))`,
}

function partsOf({ agents }: Row): AgentParts {
  return parseJson(agents as string) as unknown as AgentParts
}

/** Meta files may be empty or half-written: what cannot be read is as good as absent. */
function draftOf(
  { id, prompt, startedAt, hasUserRow }: UnlinkedPart,
  about: Row | { responses: readonly number[] },
): Draft {
  const row = 'path' in about ? (about as Row) : undefined
  const meta = parseJson((row?.meta as string | null | undefined) ?? '')
  return {
    id,
    file: (row?.path as string | undefined) ?? null,
    responses: row ? [] : (about as { responses: readonly number[] }).responses,
    run: (row?.run as string | null | undefined) ?? null,
    prompt,
    startedAt,
    hasUserRow,
    toolUseId: textAt(meta, 'toolUseId') ?? null,
    type: textAt(meta, 'agentType') ?? null,
    description: textAt(meta, 'description') ?? null,
    parentAgent: textAt(meta, 'parentAgentId') ?? null,
  }
}

function byStart(a: Draft, b: Draft): number {
  return compare(a.startedAt ?? '', b.startedAt ?? '') || compare(a.id, b.id)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
