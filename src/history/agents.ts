import { agentClass, linkCalls, type PlacedCall, type UnlinkedAgent } from '../core/facts/agent-link.ts'
import { grouped } from '../core/grouped.ts'
import { type JsonValue, parseJson, textAt } from '../core/json.ts'
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

/** Links agents to the calls that started them, for one session after the other: the earliest agent first. */
export type AgentLinker = (key: string, main: Row | undefined) => readonly LinkedAgent[]

/**
 * A linker over all sessions that are known by a key, or those of some ids; what it is given is the row of a session's own log and facts,
 * if there is one. Which call started an agent is looked for when it is asked: lists only count agents.
 */
export function agentLinker(database: Database, ownerOf: OwnerOfLog, ids?: readonly string[]): AgentLinker {
  const keyOf = (row: Row) => familyKey(row.root as string, row.project as string, ownerOf(row))
  const agents =
    ids && !ownerOf.hasOthers ? selectAll(database, THEIR_AGENTS, JSON.stringify(ids)) : selectAll(database, AGENTS)
  const bySession = grouped(agents, keyOf)
  return (key, main) => {
    const inline = main && hasInline(main) ? partsOf(main).inline : []
    const logs = (bySession.get(key) ?? []).map((row) => ({ row, parts: partsOf(row) }))
    let links: ReadonlyMap<UnlinkedAgent, PlacedCall> | undefined
    const linkOf = (agent: UnlinkedAgent) => {
      links ??= linkCalls(family, [
        ...(main ? partsOf(main).calls : []).map((call) => ({ call, caller: null })),
        ...logs.flatMap(({ row, parts }) => parts.calls.map((call) => ({ call, caller: row.agent as string }))),
      ])
      return links.get(agent)
    }
    const family = [
      ...inline.map((part) => new FamilyAgent(part, undefined, part.responses, linkOf)),
      ...logs.flatMap(({ row, parts }) => (parts.own ? [new FamilyAgent(parts.own, row, [], linkOf)] : [])),
    ]
    return family.length < 2 ? family : family.toSorted(byStart)
  }
}

/** An agent of a session; what its description and the call that started it tell is read when it is asked. */
class FamilyAgent implements LinkedAgent, UnlinkedAgent {
  readonly responses: readonly number[]
  readonly #part: UnlinkedPart
  readonly #row: Row | undefined
  readonly #linkOf: (agent: UnlinkedAgent) => PlacedCall | undefined
  #meta: JsonValue | undefined

  /** One without a log of its own has no row. */
  constructor(
    part: UnlinkedPart,
    row: Row | undefined,
    responses: readonly number[],
    linkOf: (agent: UnlinkedAgent) => PlacedCall | undefined,
  ) {
    this.#part = part
    this.#row = row
    this.responses = responses
    this.#linkOf = linkOf
  }

  get id(): string {
    return this.#part.id
  }

  get prompt(): string | null {
    return this.#part.prompt
  }

  get startedAt(): string | null {
    return this.#part.startedAt
  }

  get file(): string | null {
    return (this.#row?.path as string | undefined) ?? null
  }

  get run(): string | null {
    return (this.#row?.run as string | null | undefined) ?? null
  }

  get class(): string {
    const { id, run, prompt } = this
    return agentClass({ id, run, prompt, hasUserRow: this.#part.hasUserRow })
  }

  get toolUseId(): string | null {
    return this.#told('toolUseId')
  }

  get type(): string | null {
    return this.#told('agentType') ?? this.#linkOf(this)?.call.type ?? null
  }

  get description(): string | null {
    return this.#told('description') ?? this.#linkOf(this)?.call.description ?? null
  }

  get parentAgent(): string | null {
    return this.#linkOf(this)?.caller ?? this.#told('parentAgentId')
  }

  get turn(): number | null {
    const link = this.#linkOf(this)
    return link?.caller === null ? (link.call as TurnedCall).turn : null
  }

  /** Meta files may be empty or half-written: what cannot be read is as good as absent. */
  #told(name: string): string | null {
    this.#meta ??= parseJson((this.#row?.meta as string | null | undefined) ?? '') ?? null
    return textAt(this.#meta, name) ?? null
  }
}

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

/** Whether agents lie in a log itself. Most logs have none, and are not parsed for that: inside a text of it the quotes would be escaped. */
function hasInline({ agents }: Row): boolean {
  return !(agents as string).includes('"inline":[]')
}

function byStart(a: LinkedAgent, b: LinkedAgent): number {
  return compare(a.startedAt ?? '', b.startedAt ?? '') || compare(a.id, b.id)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
