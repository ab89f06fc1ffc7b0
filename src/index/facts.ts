import type { AgentCall } from '../core/agent-calls.ts'
import { agentRows } from '../core/agent-log.ts'
import { preview } from '../core/content.ts'
import { digestOf, type LogDigest } from '../core/digest.ts'
import { holdingOf } from '../core/evidence.ts'
import { FactsFold, type LogFacts, type LogKind, logKind } from '../core/facts.ts'
import type { TreeNode } from '../core/node.ts'
import type { Holding } from '../core/owner.ts'
import { isRecordType } from '../core/record-types.ts'
import { rowKey, textKey } from '../core/row-key.ts'
import { timeOf } from '../core/time.ts'
import { buildTree, type Sidechain, type Tree } from '../core/tree.ts'
import { nameTurns, type TurnName, type TurnNames } from '../core/turn-names.ts'
import type { UsageRow, UsedRow } from '../core/usage.ts'
import { UsageFold } from '../core/usage-fold.ts'
import { advance, type Cursor, startCursor } from '../disk/cursor.ts'
import { foldLog } from '../disk/log-facts.ts'
import type { Source, SourceEntry } from '../disk/source.ts'

/** Everything that the tables hold of one log, made from its bytes alone: plain data, so that a thread can make it. */
export interface LogRows {
  readonly cursor: Cursor
  readonly kind: LogKind
  readonly facts: Omit<
    LogFacts,
    'types' | 'nodes' | 'usage' | 'evidence' | 'agentCalls' | 'summaries' | 'slugs' | 'leaf'
  >
  readonly whole: Omit<LogDigest, 'abandoned' | 'hasSidechains'>
  readonly ownId: string | null
  /** A hash of how it begins. */
  readonly head: string
  readonly ended: number
  /** The key of its first row's parent, where that stands in another log. */
  readonly parentKey: number | null
  readonly slugs: readonly string[]
  readonly summaries: readonly { readonly leaf: number; readonly line: number; readonly text: string }[]
  readonly rowKeys: readonly RowKey[]
  readonly turns: readonly TurnName[]
  readonly responses: readonly HeldResponse[]
  readonly agents: AgentParts
}

/** A row of the tree, as other logs may name it. */
export interface RowKey {
  readonly key: number
  readonly offset: number
  readonly time: number | null
  /** It is not one that only abandoned branches have. */
  readonly isActive: boolean
  /** Neither a copy that says so, nor an agent's. */
  readonly isOwn: boolean
}

/** A response as one log holds it. */
export interface HeldResponse {
  readonly evidence: Holding
  readonly request: string | null
  /** The row whose numbers count, of those in this log. */
  readonly kept: UsageRow
  readonly first: UsageRow
  readonly rows: number
  /** Where its last row begins. */
  readonly lastOffset: number
  readonly time: number | null
  readonly turn: number | null
  readonly isAbandoned: boolean
}

/** What linking agents to their calls needs of a log. */
export interface AgentParts {
  readonly calls: readonly TurnedCall[]
  /** Agents that lie in the log itself. */
  readonly inline: readonly InlinePart[]
  /** The log as an agent's own; `null` for a session's log. */
  readonly own: UnlinkedPart | null
}

/** A call that started an agent, with the number of the turn that it stands in. */
export interface TurnedCall extends AgentCall {
  readonly turn: number | null
}

/** An agent inside the log of its session, with the offsets of its responses. */
export interface InlinePart extends UnlinkedPart {
  readonly responses: readonly number[]
}

/** What is known of an agent before it is linked to the call that started it. */
export interface UnlinkedPart {
  readonly id: string
  readonly prompt: string | null
  readonly startedAt: string | null
  readonly hasUserRow: boolean
}

/** A log to read, as a thread is asked for it. */
export interface RowsJob {
  readonly entry: SourceEntry
  readonly cursor: Cursor
  /** The agent whose log it is; `null` for a session's own. */
  readonly agent: string | null
}

/** Reads a log for its rows; `undefined` when it is gone. */
export function readRows(source: Source, { entry, cursor, agent }: RowsJob): LogRows | undefined {
  const fold = new FactsFold()
  const read = foldLog(source, entry, fold)
  if (!read) return undefined
  const { totals } = read
  const facts = fold.facts()
  const end = { offset: totals.bytes, line: totals.endLine, prefixSum: read.sum }
  const tree = buildTree(facts.nodes, { leaf: facts.leaf, isAgent: agent !== null })
  const whole = digestOf(facts, totals.lines, agent === null ? tree : undefined)
  const names = nameTurns(tree)
  const turnAt = turnFinder(tree, names)
  const { abandoned: lost, hasSidechains, ...counted } = whole
  const abandoned = new Set(lost)
  const responses = heldResponses(facts, turnAt, abandoned)
  const { types, nodes, usage, evidence, agentCalls, summaries, slugs, leaf, ...told } = facts
  return {
    cursor: advance({ ...startCursor(entry, cursor.generation), settled: cursor.settled }, source, entry, end),
    kind: logKind(types, isRecordType),
    facts: told,
    whole: counted,
    ownId: evidence.sessionId,
    head: evidence.head,
    ended: Date.parse(evidence.endedAt) || 0,
    parentKey: whole.parentElsewhere === null ? null : rowKey(whole.parentElsewhere),
    slugs,
    summaries: summaries.map(({ leafUuid, line, text }) => ({ leaf: rowKey(leafUuid), line, text })),
    rowKeys: rowKeys(tree, abandoned),
    // An agent's responses belong to the turn of its session that started it.
    turns: agent === null ? names.turns : [],
    responses,
    agents: {
      calls: agentCalls.map((call) => shortCall(call, turnAt(call.place.offset))),
      inline:
        agent === null && hasSidechains ? tree.sidechains.map((chain) => inlineAgent(tree, chain, responses)) : [],
      own: agent === null ? null : ownAgent(agent, facts),
    },
  }
}

function rowKeys({ nodes }: Tree, abandoned: ReadonlySet<number>): readonly RowKey[] {
  const keys = new Map<number, RowKey>()
  for (const { uuid, offset, timestamp, isSidechain, forkedFrom } of nodes) {
    if (uuid === '') continue
    const key = rowKey(uuid)
    // A row that was written again is known by its first place.
    if (keys.has(key)) continue
    const time = Date.parse(timeOf(timestamp ?? '') ?? '')
    const isOwn = !isSidechain && forkedFrom === null
    keys.set(key, { key, offset, time: Number.isNaN(time) ? null : time, isActive: !abandoned.has(offset), isOwn })
  }
  return [...keys.values()]
}

/** Finds the turn of a row by the row's offset. */
function turnFinder({ nodes }: Tree, { ofRow }: TurnNames): (offset: number) => number | null {
  const turns = new Map<number, number>()
  nodes.forEach(({ offset }, row) => {
    if (ofRow[row] !== -1) turns.set(offset, ofRow[row] as number)
  })
  return (offset) => turns.get(offset) ?? null
}

function heldResponses(
  { usage, evidence }: LogFacts,
  turnAt: (offset: number) => number | null,
  abandoned: ReadonlySet<number>,
): readonly HeldResponse[] {
  const fold = new UsageFold<UsedRow>()
  const lastOf = new Map<string, number>()
  for (const row of usage) {
    fold.add(row, evidence)
    lastOf.set(row.messageId, row.place.offset)
  }
  return fold.responses().map(({ messageId, requestId, kept, first, rows }) => {
    const { offset } = first.place
    const time = Date.parse(timeOf(first.timestamp) ?? '')
    return {
      evidence: holdingOf(first, evidence),
      request: requestId,
      kept,
      first,
      rows,
      lastOffset: lastOf.get(messageId) ?? offset,
      time: Number.isNaN(time) ? null : time,
      turn: turnAt(offset),
      isAbandoned: abandoned.has(offset),
    }
  })
}

/** Prompts of agents are only compared: what they say need not be kept. */
function promptKey(prompt: string | null): string | null {
  return prompt === null || prompt === 'Warmup' ? prompt : textKey(preview(prompt)).toString(16)
}

/** Lists show no results of agents. */
function shortCall(call: AgentCall, turn: number | null): TurnedCall {
  return { ...call, turn, prompt: promptKey(call.prompt), reported: { ...call.reported, result: null } }
}

function inlineAgent({ nodes }: Tree, { root, rows }: Sidechain, responses: readonly HeldResponse[]): InlinePart {
  const first = nodes[root] as TreeNode
  const own = rows.map((row) => nodes[row] as TreeNode)
  const offsets = new Set(own.map(({ offset }) => offset))
  const prompt = own.find((node) => node.type === 'user' && node.preview !== null)
  return {
    id: first.agentId ?? (first.uuid || `line-${first.line}`),
    prompt: promptKey(prompt?.preview ?? null),
    startedAt: first.timestamp,
    hasUserRow: own.some((node) => node.type === 'user'),
    responses: responses.map(({ first: row }) => row.place.offset).filter((offset) => offsets.has(offset)),
  }
}

function ownAgent(id: string, { nodes }: LogFacts): UnlinkedPart {
  const { promptRow, startedAt, hasUserRow } = agentRows(nodes, [])
  return { id, prompt: promptKey(promptRow?.preview ?? null), startedAt, hasUserRow }
}
