import { agentClass, linkCalls, type PlacedCall, type UnlinkedAgent } from '../core/facts/agent-link.ts'
import { grouped } from '../core/grouped.ts'
import { type JsonValue, parseJson, textAt } from '../core/json.ts'
import { type Database, type Query, type Row, type SqlValue, selectAll } from '../index/driver.ts'
import type { AgentParts, TurnedCall, UnlinkedPart } from '../index/log-rows.ts'
import { familyKey, type OwnerOfLog } from './families.ts'

/** An agent of a session, as the tables know it. */
export interface LinkedAgent {
  readonly id: string
  /** The number of its own log; `null` for one that has none, or none in the tables. */
  readonly log: number | null
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

/**
 * Links agents to the calls that started them, for one session after the other: the earliest agent first. It is given what the session's
 * own log says of agents, if there is one.
 */
export type AgentLinker = (key: string, main: string | undefined) => readonly LinkedAgent[]

/**
 * A linker over all sessions that are known by a key, or those of some ids. Which call started an agent, and what the file beside its log
 * says, is looked for when it is asked: lists only count agents.
 */
export function agentLinker(database: Database, ownerOf: OwnerOfLog, ids?: readonly string[]): AgentLinker {
  const keyOf = (row: Row) => familyKey(row.root as string, row.project as string, ownerOf(row))
  const [some] = ids && !ownerOf.hasOthers ? [JSON.stringify(ids)] : []
  const agents = some === undefined ? selectAll(database, AGENTS) : selectAll(database, THEIR_AGENTS, some)
  const bySession = grouped(agents, keyOf)
  const metaOf = metaReader(some === undefined ? selectAll(database, METAS) : selectAll(database, THEIR_METAS, some))
  return (key, main) => {
    const rows = bySession.get(key) ?? NO_ROWS
    const hasParts = main !== undefined && hasInline(main)
    if (rows.length === 0 && !hasParts) return NO_AGENTS
    const inline = hasParts ? partsOf(main).inline : []
    const logs = rows.map((row) => ({ row, parts: partsOf(row.agents as string) }))
    const links = new FamilyLinks(main, logs, metaOf)
    const family = inline.map((part) => new FamilyAgent(part, undefined, part.responses, links))
    for (const { row, parts } of logs) if (parts.own) family.push(new FamilyAgent(parts.own, row, NO_RESPONSES, links))
    links.family = family
    return family.length < 2 ? family : family.toSorted(byStart)
  }
}

const NO_ROWS: readonly Row[] = []
const NO_AGENTS: readonly LinkedAgent[] = []
const NO_RESPONSES: readonly number[] = []

/** Which calls started the agents of a session. */
class FamilyLinks {
  family: readonly UnlinkedAgent[] = []
  readonly metaOf: MetaReader
  private readonly main: string | undefined
  private readonly logs: readonly { readonly row: Row; readonly parts: AgentParts }[]
  private links: ReadonlyMap<UnlinkedAgent, PlacedCall> | undefined

  constructor(main: string | undefined, logs: FamilyLinks['logs'], metaOf: MetaReader) {
    this.main = main
    this.logs = logs
    this.metaOf = metaOf
  }

  of(agent: UnlinkedAgent): PlacedCall | undefined {
    this.links ??= linkCalls(this.family, [
      ...(this.main === undefined ? [] : partsOf(this.main).calls).map((call) => ({ call, caller: null })),
      ...this.logs.flatMap(({ row, parts }) => parts.calls.map((call) => ({ call, caller: row.agent as string }))),
    ])
    return this.links.get(agent)
  }
}

/** Tells what the file beside the log of an agent says, by the path of the log. */
type MetaReader = (path: string) => JsonValue

/** Meta files may be empty or half-written: what cannot be read is as good as absent. */
function metaReader(rows: readonly Row[]): MetaReader {
  let metas: ReadonlyMap<SqlValue | undefined, Row> | undefined
  return (path) => {
    metas ??= new Map(rows.map((row) => [row.path, row]))
    const row = metas.get(path.replaceAll('.jsonl', '.meta.json'))
    return parseJson((row?.value as string | null | undefined) ?? '') ?? null
  }
}

/** An agent of a session; what its description and the call that started it tell is read when it is asked. */
class FamilyAgent implements LinkedAgent, UnlinkedAgent {
  readonly responses: readonly number[]
  private readonly part: UnlinkedPart
  private readonly row: Row | undefined
  private readonly links: FamilyLinks
  private meta: JsonValue | undefined

  /** One without a log of its own has no row. */
  constructor(part: UnlinkedPart, row: Row | undefined, responses: readonly number[], links: FamilyLinks) {
    this.part = part
    this.row = row
    this.responses = responses
    this.links = links
  }

  get id(): string {
    return this.part.id
  }

  get log(): number | null {
    return (this.row?.id as number | undefined) ?? null
  }

  get prompt(): string | null {
    return this.part.prompt
  }

  get startedAt(): string | null {
    return this.part.startedAt
  }

  get file(): string | null {
    return (this.row?.path as string | undefined) ?? null
  }

  get run(): string | null {
    return (this.row?.run as string | null | undefined) ?? null
  }

  get class(): string {
    const { id, run, prompt } = this
    return agentClass({ id, run, prompt, hasUserRow: this.part.hasUserRow })
  }

  get toolUseId(): string | null {
    return this.told('toolUseId')
  }

  get type(): string | null {
    return this.told('agentType') ?? this.link?.call.type ?? null
  }

  get description(): string | null {
    return this.told('description') ?? this.link?.call.description ?? null
  }

  get parentAgent(): string | null {
    return this.link?.caller ?? this.told('parentAgentId')
  }

  get turn(): number | null {
    const link = this.link
    return link?.caller === null ? (link.call as TurnedCall).turn : null
  }

  private get link(): PlacedCall | undefined {
    return this.links.of(this)
  }

  private told(name: string): string | null {
    this.meta ??= this.file === null ? null : this.links.metaOf(this.file)
    return textAt(this.meta, name) ?? null
  }
}

const AGENTS: Query = {
  columns: ['id', 'root', 'path', 'project', 'session', 'agent', 'run', 'agents'],
  json: ['agents'],
  from: "log join fact on fact.log = log.id where agent is not null and state <> 'lost'",
}

const THEIRS = 'session in (select value from json_each(?))'

const THEIR_AGENTS: Query = { ...AGENTS, from: `${AGENTS.from} and ${THEIRS}` }

/** Not joined to the logs: to look each up by its path takes longer than to read them all. */
const METAS: Query = { columns: ['path', 'value'], from: 'sidecar' }

const THEIR_METAS: Query = {
  ...METAS,
  from: `${METAS.from} where path in
    (select replace(path, '.jsonl', '.meta.json') from log where agent is not null and ${THEIRS})`,
}

function partsOf(agents: string): AgentParts {
  return parseJson(agents) as unknown as AgentParts
}

/** Whether agents lie in a log itself. Most logs have none, and are not parsed for that: inside a text of it the quotes would be escaped. */
function hasInline(agents: string): boolean {
  return !agents.includes('"inline":[]')
}

function byStart(a: LinkedAgent, b: LinkedAgent): number {
  return compare(a.startedAt ?? '', b.startedAt ?? '') || compare(a.id, b.id)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
