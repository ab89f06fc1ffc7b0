import { type Asked, askedIn, mainRows, mainTurns } from '../core/activity.ts'
import { EvidenceFold, type LogEvidence, type RowEvidence } from '../core/evidence.ts'
import type { TreeNode } from '../core/node.ts'
import { rowFacts } from '../core/row-facts.ts'
import { timeOf } from '../core/time.ts'
import { type ToolEvent, ToolEventFold } from '../core/tool-stats.ts'
import { buildTree, isSaid } from '../core/tree.ts'
import type { UsageRow } from '../core/usage.ts'
import type { LogFold } from './scan.ts'

/** What `stats` needs of one log: ids, times and numbers, never a text. Which of it counts depends on the period asked for. */
export interface LogStats {
  readonly rows: StatRows
  readonly asked: readonly Asked[]
  readonly events: readonly StatEvent[]
  readonly tools: readonly ToolEvent[]
  readonly responses: readonly ResponseRow[]
  /** Who made them, as far as the log tells. */
  readonly evidence: LogEvidence
}

/** The rows of a log that something is said in, or that are its session's own. */
export interface StatRows {
  readonly times: readonly (string | null)[]
  /** For each row the sum of `SAID`, `OWN` and `TURN`, as far as they hold. */
  readonly marks: Uint8Array
  /** For each tool call the session's own rows that hold it. */
  readonly calls: readonly (readonly number[])[]
}

/** Something is said in it, by whomever. */
export const SAID = 1
/** It is the session's own: not an agent's, no copy, each uuid once. */
export const OWN = 2
/** It is the session's own and begins a turn. */
export const TURN = 4

/** Something that happened to a session. */
export interface StatEvent {
  /** The row's uuid, or its place. */
  readonly key: string
  readonly kind: 'compact-boundary' | 'interrupt' | 'api-error'
  readonly at: string | null
  readonly isSidechain: boolean
  readonly trigger: string | null
  readonly preTokens: number | null
}

/** What decides which row of a response counts, and to which it is attributed. */
export type ResponseRow = Pick<
  UsageRow,
  'messageId' | 'requestId' | 'model' | 'timestamp' | 'outputTokens' | 'isFork' | 'isPlaceholder'
> & { readonly offset: number; readonly evidence: RowEvidence }

/** What one log comes to for `stats`. */
export const statsFold: LogFold<LogStats> = {
  begin() {
    const nodes: TreeNode[] = []
    const tools = new ToolEventFold()
    const evidence = new EvidenceFold()
    const responses: ResponseRow[] = []
    let file = ''
    return {
      record(record) {
        file = record.place.file
        tools.add(record)
        const facts = rowFacts(record)
        evidence.add(facts)
        if (facts.usage) responses.push(toResponseRow(facts.usage, evidence.ofRow(facts)))
        if (facts.node) nodes.push(facts.node)
      },
      end: () => ({
        ...treeStats(nodes),
        events: nodes.flatMap((node) => eventOf(node, file)),
        tools: tools.events(),
        responses,
        evidence: evidence.log(),
      }),
    }
  },
}

function treeStats(nodes: readonly TreeNode[]): Pick<LogStats, 'rows' | 'asked'> {
  const tree = buildTree(nodes)
  const turns = mainTurns(tree)
  const marks = new Uint8Array(nodes.length)
  const mark = (row: number, what: number) => {
    marks[row] = (marks[row] as number) | what
  }
  nodes.forEach((node, row) => {
    if (isSaid(node)) mark(row, SAID)
  })
  const isCopy = (row: number) => nodes[row]?.forkedFrom !== null
  const own = mainRows(tree).filter((row) => !isCopy(row))
  for (const row of own) mark(row, OWN)
  for (const { prompt } of turns) if (prompt !== undefined && !isCopy(prompt)) mark(prompt, TURN)
  return { rows: rowsOf(nodes, marks, own), asked: askedIn(tree, turns) }
}

/** Rows that have no mark are left out, and the others counted anew. */
function rowsOf(nodes: readonly TreeNode[], marks: Uint8Array, own: readonly number[]): StatRows {
  const marked = new Map<number, number>()
  marks.forEach((mark, row) => {
    if (mark !== 0) marked.set(row, marked.size)
  })
  const calls = new Map<string, number[]>()
  for (const row of own) {
    const at = marked.get(row) as number
    for (const { id } of (nodes[row] as TreeNode).toolUses) {
      const key = id || `row ${row}`
      calls.set(key, [...(calls.get(key) ?? []), at])
    }
  }
  const times = [...marked.keys()].map((row) => timeOfNode(nodes[row] as TreeNode))
  return { times, marks: marks.filter((mark) => mark !== 0), calls: [...calls.values()] }
}

function eventOf(node: TreeNode, file: string): readonly StatEvent[] {
  const { kind, uuid, offset, isSidechain, compaction } = node
  if (kind !== 'compact-boundary' && kind !== 'interrupt' && kind !== 'api-error') return []
  const { trigger = null, preTokens = null } = compaction ?? {}
  return [{ key: uuid || `${file}:${offset}`, kind, at: timeOfNode(node), isSidechain, trigger, preTokens }]
}

function timeOfNode({ timestamp }: TreeNode): string | null {
  return timestamp === null ? null : (timeOf(timestamp) ?? null)
}

function toResponseRow(row: UsageRow, evidence: RowEvidence): ResponseRow {
  const { messageId, requestId, model, timestamp, outputTokens, isFork, isPlaceholder, place } = row
  return { messageId, requestId, model, timestamp, outputTokens, isFork, isPlaceholder, offset: place.offset, evidence }
}
