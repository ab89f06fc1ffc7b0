import { agentRows } from '../core/facts/agent-log.ts'
import { digestOf } from '../core/facts/digest.ts'
import { FactsFold, type LogFacts } from '../core/facts/facts.ts'
import { ResponseTable } from '../core/facts/response-rows.ts'
import { textKey } from '../core/facts/row-key.ts'
import { ACTIVE, OWN, RowTableFold } from '../core/facts/row-table.ts'
import { timeOf } from '../core/time.ts'
import type { TreeNode } from '../core/tree/node.ts'
import { buildTree, type Sidechain, type Tree } from '../core/tree/tree.ts'
import { nameTurns, type TurnNames } from '../core/tree/turn-names.ts'
import type { UsedRow } from '../core/usage/usage.ts'
import { UsageFold } from '../core/usage/usage-fold.ts'
import { advance, startCursor } from '../disk/cursor.ts'
import { foldLog } from '../disk/log-facts.ts'
import type { Source } from '../disk/source.ts'
import { factRow, promptKey, type RowsJob, shortCall, summaryRows } from './fact-row.ts'
import type { InlinePart, LogRows, UnlinkedPart } from './log-rows.ts'
import { readStraightRows } from './straight-rows.ts'

/** Reads a log for its rows; `undefined` when it is gone. */
export function readRows(source: Source, job: RowsJob): LogRows | undefined {
  return readStraightRows(source, job) ?? readTreeRows(source, job)
}

/** Reads a log of any kind, by its tree. */
export function readTreeRows(source: Source, { entry, cursor, agent }: RowsJob): LogRows | undefined {
  const fold = new FactsFold()
  const read = foldLog(source, entry, fold)
  if (!read) return undefined
  const { totals } = read
  const facts = fold.facts()
  const end = { offset: totals.bytes, line: totals.endLine, prefixSum: read.sum, ends: read.ends }
  const tree = buildTree(facts.nodes, { leaf: facts.leaf, isAgent: agent !== null })
  const {
    abandoned: lost,
    hasSidechains,
    parentElsewhere,
    ...whole
  } = digestOf(facts, totals.lines, agent === null ? tree : undefined)
  const names = nameTurns(tree)
  const turnAt = turnFinder(tree, names)
  const abandoned = new Set(lost)
  const held = heldResponses(facts, turnAt, abandoned)
  return {
    cursor: advance(startCursor(entry, cursor.generation, cursor.settled), source, entry, end),
    isAppend: false,
    fact: factRow(facts, {
      ...whole,
      parentKey: parentElsewhere === null ? null : textKey(parentElsewhere),
      agents: {
        calls: facts.agentCalls.map((call) => ({ ...shortCall(call), turn: turnAt(call.place.offset) })),
        inline: agent === null && hasSidechains ? tree.sidechains.map((chain) => inlineAgent(tree, chain, held)) : [],
        own: agent === null ? null : ownAgent(agent, facts),
      },
    }),
    namedSession: facts.sessionIds[0] ?? null,
    slugs: facts.slugs,
    summaries: summaryRows(facts.summaries),
    rows: treeRows(facts, abandoned),
    turnsFrom: 0,
    // An agent's responses belong to the turn of its session that started it.
    turns: agent === null ? names.turns : [],
    responses: held.rows(facts.evidence, entry.path),
    carry: null,
  }
}

function treeRows({ nodes, spentMs }: LogFacts, abandoned: ReadonlySet<number>): Float64Array<ArrayBuffer> {
  const seen = new Set<number>()
  const rows = new RowTableFold()
  for (const [row, { uuid, offset, timestamp, isSidechain, forkedFrom }] of nodes.entries()) {
    if (uuid === '') continue
    const key = textKey(uuid)
    // A row that was written again is known by its first place.
    if (seen.has(key)) continue
    seen.add(key)
    const flags = (abandoned.has(offset) ? 0 : ACTIVE) | (isSidechain || forkedFrom !== null ? 0 : OWN)
    rows.add(key, offset, msOf(timestamp), spentMs[row] as number, flags)
  }
  return rows.packed()
}

function msOf(timestamp: string | null): number {
  return Date.parse(timeOf(timestamp ?? '') ?? '')
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
): ResponseTable {
  const fold = new UsageFold<UsedRow>()
  const lastOf = new Map<string, number>()
  for (const row of usage) {
    fold.add(row, evidence)
    lastOf.set(row.messageId, row.place.offset)
  }
  const table = new ResponseTable()
  for (const { messageId, requestId, kept, first, rows } of fold.responses()) {
    const { offset } = first.place
    const index = table.start(first, first.evidence, msOf(first.timestamp), turnAt(offset) ?? Number.NaN)
    table.setRequest(index, requestId)
    table.count(index, kept)
    table.set(index, 'rows', rows)
    table.set(index, 'last_offset', lastOf.get(messageId) ?? offset)
    table.set(index, 'abandoned', Number(abandoned.has(offset)))
  }
  return table
}

function inlineAgent({ nodes }: Tree, { root, rows }: Sidechain, held: ResponseTable): InlinePart {
  const first = nodes[root] as TreeNode
  const own = rows.map((row) => nodes[row] as TreeNode)
  const offsets = new Set(own.map(({ offset }) => offset))
  const prompt = own.find((node) => node.type === 'user' && node.preview !== null)
  return {
    id: first.agentId ?? (first.uuid || `line-${first.line}`),
    prompt: promptKey(prompt?.preview ?? null),
    startedAt: first.timestamp,
    hasUserRow: own.some((node) => node.type === 'user'),
    responses: Array.from({ length: held.size }, (_, i) => held.get(i, 'offset')).filter((at) => offsets.has(at)),
  }
}

function ownAgent(id: string, { nodes }: LogFacts): UnlinkedPart {
  const { promptRow, startedAt, hasUserRow } = agentRows(nodes, [])
  return { id, prompt: promptKey(promptRow?.preview ?? null), startedAt, hasUserRow }
}
