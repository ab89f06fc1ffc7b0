import { type AgentCall, AgentCallFold } from './agent-calls.ts'
import { EvidenceFold, type LogEvidence } from './evidence.ts'
import { type JsonObject, objectAt, stringAt, textAt } from './json.ts'
import { nodeOf, type TreeNode } from './node.ts'
import type { LogRecord } from './record.ts'
import { timeOf } from './time.ts'
import { askedText } from './title.ts'
import { BEFORE_FIRST } from './tree.ts'
import { type UsedRow, usageRowOf } from './usage.ts'

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

/** Gathers the facts of one log, record by record. */
export class FactsFold {
  readonly #types = new Map<string, number>()
  readonly #hasRows: boolean
  readonly #nodes: TreeNode[] = []
  readonly #usage: UsedRow[] = []
  readonly #evidence = new EvidenceFold()
  readonly #agentCalls = new AgentCallFold()
  readonly #sessionIds = new Set<string>()
  readonly #summaries: SummaryRow[] = []
  readonly #latest: { -readonly [K in Latest]: LogFacts[K] } = { ...NOTHING_TOLD }
  /** What `last-prompt` records named since the last row. */
  readonly #leaves: string[] = []
  #cwd: string | null = null
  #forkedFrom: string | null = null
  #asked: string | null = null
  #firstAt: string | null = null
  #lastAt: string | null = null
  #records = 0

  /** For a list, which looks at a few records of every log, no `rows` are gathered. */
  constructor({ rows = true }: { readonly rows?: boolean } = {}) {
    this.#hasRows = rows
  }

  /** Gives the row that the record makes, if it makes one. */
  add(record: LogRecord): TreeNode | undefined {
    const { raw } = record
    const type = record.kind === 'oversize' ? 'oversize' : (record.type ?? 'none')
    this.#types.set(type, (this.#types.get(type) ?? 0) + 1)
    if (this.#records++ < 10) {
      const id = textAt(raw, 'sessionId')
      if (id !== undefined) this.#sessionIds.add(id)
    }
    this.#addTime(stringAt(raw, 'timestamp'))
    if (this.#hasRows) this.#evidence.add(record)
    const node = nodeOf(record)
    if (node) this.#addRow(node, record)
    else this.#addMetadata(record)
    return node
  }

  facts(): LogFacts {
    return {
      types: this.#types,
      nodes: this.#nodes,
      usage: this.#usage,
      evidence: this.#evidence.log(),
      agentCalls: this.#agentCalls.calls(),
      sessionIds: [...this.#sessionIds],
      summaries: this.#summaries,
      cwd: this.#cwd,
      forkedFrom: this.#forkedFrom,
      asked: this.#asked,
      firstAt: this.#firstAt,
      lastAt: this.#lastAt,
      leaf: this.#leaf(),
      ...this.#latest,
    }
  }

  #addTime(timestamp: string | undefined): void {
    const time = timestamp === undefined ? undefined : timeOf(timestamp)
    if (time === undefined) return
    this.#firstAt ??= time
    this.#lastAt = time
  }

  #addRow(node: TreeNode, record: LogRecord): void {
    const { raw } = record
    this.#leaves.length = 0
    if (this.#hasRows) this.#gather(node, record)
    if (this.#asked === null && !node.isSidechain) this.#asked = askedText(node)
    this.#cwd ??= textAt(raw, 'cwd') ?? null
    this.#forkedFrom ??= node.forkedFrom
    this.#latest.gitBranch = textAt(raw, 'gitBranch') ?? this.#latest.gitBranch
    this.#latest.version = textAt(raw, 'version') ?? this.#latest.version
    this.#latest.slug = textAt(raw, 'slug') ?? this.#latest.slug
  }

  #gather(node: TreeNode, record: LogRecord): void {
    this.#nodes.push(node)
    this.#agentCalls.add(record)
    const usage = usageRowOf(record)
    if (!usage) return
    this.#usage.push({ ...usage, node: this.#nodes.length - 1, evidence: this.#evidence.ofRow(record.raw) })
  }

  #addMetadata({ type, raw, place }: LogRecord): void {
    const latest = this.#latest
    if (type === 'summary') {
      const leafUuid = stringAt(raw, 'leafUuid')
      const text = textAt(raw, 'summary')
      if (leafUuid && text) this.#summaries.push({ text, leafUuid, line: place.line })
    } else if (type === 'custom-title') latest.customTitle = titleAt(raw, 'customTitle', place.line)
    else if (type === 'ai-title') latest.aiTitle = titleAt(raw, 'aiTitle', place.line)
    else if (type === 'last-prompt') this.#addLastPrompt(raw)
    else if (type === 'continued-in') latest.continuedIn = textAt(raw, 'continuedInSessionId') ?? null
    else if (type === 'cost-state') latest.costState = raw
    else if (type === 'relocated') latest.relocatedCwd = textAt(raw, 'relocatedCwd') ?? null
    else if (type === 'worktree-state') {
      const worktree = objectAt(raw, 'worktreeSession')
      latest.relocatedCwd = textAt(worktree, 'worktreePath') ?? textAt(worktree, 'originalCwd') ?? latest.relocatedCwd
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

/** Facts of which the last record that tells them counts. */
type Latest =
  | 'relocatedCwd'
  | 'gitBranch'
  | 'version'
  | 'slug'
  | 'customTitle'
  | 'aiTitle'
  | 'continuedIn'
  | 'costState'

const NOTHING_TOLD: Pick<LogFacts, Latest> = {
  relocatedCwd: null,
  gitBranch: null,
  version: null,
  slug: null,
  customTitle: null,
  aiTitle: null,
  continuedIn: null,
  costState: null,
}

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
