import { type AgentCall, AgentCallFold } from './agent-calls.ts'
import { EvidenceFold, HEAD_RECORDS, type LogEvidence } from './evidence.ts'
import { type JsonObject, objectAt, stringAt, textAt } from './json.ts'
import type { TreeNode } from './node.ts'
import type { LogRecord } from './record.ts'
import { type RowFacts, rowFacts } from './row-facts.ts'
import { timeOf } from './time.ts'
import { askedText } from './title.ts'
import { BEFORE_FIRST } from './tree.ts'
import type { UsedRow } from './usage.ts'

/** What kind of log a file in a project folder is. */
export type LogKind = 'conversation' | 'summary-only' | 'snapshot-only' | 'metadata-only' | 'empty' | 'unknown'

/** A title and the line it stands on. */
export interface TitleRow {
  readonly text: string
  readonly line: number
}

/** A title that names the leaf it is for, which is usually in another file. */
export interface SummaryRow extends TitleRow {
  readonly leafUuid: string
}

/** All that a list of sessions and a conversation's structure need to know of one log: plain data, made in one pass. */
export interface LogFacts {
  readonly types: ReadonlyMap<string, number>
  readonly nodes: readonly TreeNode[]
  readonly usage: readonly UsedRow[]
  /** What it tells of who made its responses. */
  readonly evidence: LogEvidence
  readonly agentCalls: readonly AgentCall[]
  /** The `sessionId`s of the first ten records. */
  readonly sessionIds: readonly string[]
  readonly cwd: string | null
  /** Where the session went on, if it moved (`relocated`, worktrees). */
  readonly relocatedCwd: string | null
  readonly gitBranch: string | null
  readonly version: string | null
  readonly slug: string | null
  /** All names that the client made up for it. */
  readonly slugs: readonly string[]
  /** The times of the first and the last record that have one, by file order: rows in between may be stamped otherwise. */
  readonly firstAt: string | null
  readonly lastAt: string | null
  /** The first thing that was asked. */
  readonly asked: string | null
  readonly customTitle: TitleRow | null
  readonly aiTitle: TitleRow | null
  readonly summaries: readonly SummaryRow[]
  /** The row that the client was told to go on from, if nothing was written since; `BEFORE_FIRST` for none of them. */
  readonly leaf: string | null
  readonly continuedIn: string | null
  readonly forkedFrom: string | null
  /** The client's own running total of costs, as it last wrote it. */
  readonly costState: JsonObject | null
}

/** What a fold goes on from, where the start of a log was read before. */
export interface FactsBefore extends Pick<LogFacts, 'evidence' | 'agentCalls' | 'sessionIds'> {
  readonly told: Told
  /** Ids of requests that the log names. */
  readonly requests: readonly string[]
  readonly records: number
}

/** Facts that a single record tells. */
export type Told = Pick<LogFacts, (typeof TOLD)[number]>

/** Gathers the facts of one log, row by row. */
export class FactsFold {
  readonly #types = new Map<string, number>()
  readonly #hasRows: boolean
  readonly #nodes: TreeNode[] = []
  readonly #usage: UsedRow[] = []
  readonly #evidence: EvidenceFold
  readonly #agentCalls: AgentCallFold
  readonly #sessionIds: Set<string>
  readonly #slugs = new Set<string>()
  readonly #summaries: SummaryRow[] = []
  readonly #told: { -readonly [K in keyof Told]: Told[K] }
  /** What `last-prompt` records named since the last row. */
  readonly #leaves: string[] = []
  #records: number

  /** For a list, which looks at a few records of every log, no `rows` are gathered. */
  constructor({ rows = true, before }: { readonly rows?: boolean; readonly before?: FactsBefore } = {}) {
    this.#hasRows = rows
    this.#records = before?.records ?? 0
    this.#evidence = new EvidenceFold(before?.evidence, before?.requests, this.#records)
    this.#agentCalls = new AgentCallFold(before?.agentCalls)
    this.#sessionIds = new Set(before?.sessionIds)
    this.#told = before ? { ...before.told } : { ...NOTHING_TOLD }
  }

  /** Gives the row that the record makes, if it makes one. */
  add(record: LogRecord): TreeNode | undefined {
    const facts = rowFacts(record)
    if (this.#hasRows && facts.node) this.#agentCalls.add(record)
    this.addRow(facts)
    if (!facts.node) this.#addMetadata(record)
    return facts.node
  }

  /** Adds a row that bears neither a title, a leaf or the like, nor anything of agents: all that `needsRecord` does not ask for. */
  addRow(facts: RowFacts): void {
    const { type, sessionId, node } = facts
    this.#types.set(type, (this.#types.get(type) ?? 0) + 1)
    if (this.#records++ < HEAD_RECORDS && sessionId !== null) this.#sessionIds.add(sessionId)
    this.#addTime(facts.timestamp)
    if (facts.slug !== null) this.#slugs.add(facts.slug)
    if (this.#hasRows) this.#evidence.add(facts)
    if (node) this.#addNode(node, facts)
  }

  /** Whether a row tells more than its facts: a call that starts an agent, or what was heard of one. */
  needsRecord(facts: RowFacts): boolean {
    return this.#agentCalls.isConcerned(facts)
  }

  /** Whether the last rows name a leaf to go on from. */
  get namesLeaf(): boolean {
    return this.#leaves.length > 0
  }

  /** The ids of the requests that the log names. */
  get requests(): readonly string[] {
    return this.#evidence.requests
  }

  facts(): LogFacts {
    return {
      types: this.#types,
      nodes: this.#nodes,
      usage: this.#usage,
      evidence: this.#evidence.log(),
      agentCalls: this.#agentCalls.calls(),
      sessionIds: [...this.#sessionIds],
      slugs: [...this.#slugs],
      summaries: this.#summaries,
      leaf: this.#leaf(),
      ...this.#told,
    }
  }

  #addTime(timestamp: string | null): void {
    const time = timestamp === null ? undefined : timeOf(timestamp)
    if (time === undefined) return
    this.#told.firstAt ??= time
    this.#told.lastAt = time
  }

  #addNode(node: TreeNode, facts: RowFacts): void {
    const told = this.#told
    this.#leaves.length = 0
    if (this.#hasRows) this.#nodes.push(node)
    if (this.#hasRows && facts.usage) {
      this.#usage.push({ ...facts.usage, node: this.#nodes.length - 1, evidence: this.#evidence.ofRow(facts) })
    }
    if (told.asked === null && !node.isSidechain) told.asked = askedText(node)
    told.cwd ??= facts.cwd
    told.forkedFrom ??= node.forkedFrom
    told.gitBranch = facts.gitBranch ?? told.gitBranch
    told.version = facts.version ?? told.version
    told.slug = facts.slug ?? told.slug
  }

  #addMetadata({ type, raw, place }: LogRecord): void {
    const told = this.#told
    if (type === 'summary') {
      const leafUuid = stringAt(raw, 'leafUuid')
      const text = textAt(raw, 'summary')
      if (leafUuid && text) this.#summaries.push({ text, leafUuid, line: place.line })
    } else if (type === 'custom-title') told.customTitle = titleAt(raw, 'customTitle', place.line)
    else if (type === 'ai-title') told.aiTitle = titleAt(raw, 'aiTitle', place.line)
    else if (type === 'last-prompt') this.#addLastPrompt(raw)
    else if (type === 'continued-in') told.continuedIn = textAt(raw, 'continuedInSessionId') ?? null
    else if (type === 'cost-state') told.costState = raw
    else if (type === 'relocated') told.relocatedCwd = textAt(raw, 'relocatedCwd') ?? null
    else if (type === 'worktree-state') {
      const worktree = objectAt(raw, 'worktreeSession')
      told.relocatedCwd = textAt(worktree, 'worktreePath') ?? textAt(worktree, 'originalCwd') ?? told.relocatedCwd
    }
  }

  /** Rows that only say where the client is now are ignored by it. */
  #addLastPrompt(raw: JsonObject): void {
    const leaf = stringAt(raw, 'leafUuid')
    if (raw.explicit === true && leaf !== undefined) this.#leaves.push(leaf)
  }

  /** The client ignores a leaf in another log. */
  #leaf(): string | null {
    if (this.#leaves.length === 0) return null
    const uuids = new Set(this.#nodes.map(({ uuid }) => uuid))
    const isMeant = (leaf: string) => (leaf === BEFORE_FIRST ? !this.#isAsked() : uuids.has(leaf))
    return this.#leaves.findLast(isMeant) ?? null
  }

  /** Directly behind a prompt, zeros are the mark of the rewind that it was typed after: the client goes on from the prompt. */
  #isAsked(): boolean {
    return ASKED.has(this.#nodes.at(-1)?.kind)
  }
}

const ASKED: ReadonlySet<TreeNode['kind'] | undefined> = new Set(['prompt', 'command', 'bash-input'])

const TOLD = [
  'cwd',
  'relocatedCwd',
  'gitBranch',
  'version',
  'slug',
  'firstAt',
  'lastAt',
  'asked',
  'customTitle',
  'aiTitle',
  'continuedIn',
  'forkedFrom',
  'costState',
] as const

const NOTHING_TOLD = Object.fromEntries(TOLD.map((name) => [name, null])) as unknown as Told

/** What kind of log these record types make. */
export function logKind(types: ReadonlyMap<string, number>, isKnown: (type: string) => boolean): LogKind {
  const names = [...types.keys()]
  const only = (...allowed: string[]) => names.every((name) => allowed.includes(name))
  if (names.length === 0) return 'empty'
  if (types.has('user') || types.has('assistant')) return 'conversation'
  if (only('file-history-snapshot', 'file-history-delta')) return 'snapshot-only'
  if (only('summary', 'file-history-snapshot', 'file-history-delta')) return 'summary-only'
  return names.every(isKnown) ? 'metadata-only' : 'unknown'
}

function titleAt(raw: JsonObject, key: string, line: number): TitleRow | null {
  const text = textAt(raw, key)
  return text === undefined ? null : { text, line }
}
