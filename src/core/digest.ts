import type { LogFacts } from './facts.ts'
import { NO_ROWS } from './facts.ts'
import type { LogTotals } from './log.ts'
import type { TreeNode } from './node.ts'
import { MODEL, type NodeTable } from './node-table.ts'
import { buildTree, type Tree } from './tree.ts'
import { type Counts, countRows } from './turns.ts'
import type { UsageTable } from './usage-table.ts'

/**
 * What lists and sums need to know of a log: small enough to be kept and opened for every log there is. Made from its facts,
 * and only from them.
 */
export interface LogDigest {
  /** The facts without the rows; the calls of agents are among the rows. */
  readonly facts: LogFacts
  /** `null` where only head and tail were read. */
  readonly whole: WholeFacts | null
}

/** What only a whole log can tell. */
export interface WholeFacts {
  readonly lines: number
  readonly counts: Counts
  readonly branches: number
  readonly compactions: number
  readonly models: readonly string[]
  /** The parent of the first row, where that row is in another log. */
  readonly parentElsewhere: string | null
  /** Subagents lie in the log itself, as clients up to 2.0.14 wrote them. */
  readonly hasSidechains: boolean
  readonly spending: Spending
}

/** What a log says of usage. */
export interface Spending {
  /** All rows; of a digest that was kept those of each response that can decide, each standing for so many. */
  readonly rows: UsageTable
  /** The times of rows that the client wrote itself, in an answer's place. */
  readonly synthetic: readonly string[]
  /** Offsets of rows on branches that were abandoned. */
  readonly abandoned: readonly number[]
  readonly interrupts: number
  /** Compactions, those inside agents included. */
  readonly compactions: number
}

/** Sums up a log; without totals only what its two ends tell. */
export function digestOf(facts: LogFacts, totals: LogTotals | undefined): LogDigest {
  return {
    facts: { ...facts, ...NO_ROWS, summaries: facts.summaries },
    whole: totals ? wholeOf(facts, totals) : null,
  }
}

function wholeOf(facts: LogFacts, totals: LogTotals): WholeFacts {
  const { nodes, usage } = facts
  const { abandoned, ...shape } = shapeOf(facts)
  return {
    lines: totals.lines,
    ...shape,
    models: modelsOf(nodes),
    spending: {
      rows: usage,
      synthetic: nodes.flatMap((node) => (node.model === '<synthetic>' ? [node.timestamp ?? ''] : [])),
      abandoned,
      interrupts: countOf(nodes, 'interrupt'),
      compactions: countOf(nodes, 'compact-boundary'),
    },
  }
}

/** What the tree tells. By itself, so that the tree of a huge log is let go before anything else is made. */
function shapeOf({ nodes, leaf }: LogFacts) {
  const tree = buildTree(nodes, { leaf })
  const main = { first: -1, rows: 0, said: 0, compactions: 0 }
  for (let row = 0; row < nodes.length; row++) {
    if (nodes.isSidechainAt(row)) continue
    if (main.rows++ === 0) main.first = row
    if (nodes.typeAt(row) === 'user' || nodes.typeAt(row) === 'assistant') main.said += 1
    if (nodes.kindAt(row) === 'compact-boundary') main.compactions += 1
  }
  return {
    counts: countRows(tree),
    branches: main.said > 0 ? tree.branches.length : 0,
    compactions: main.compactions,
    parentElsewhere: tree.attachedBy[main.first] === 'missing' ? (nodes.at(main.first) as TreeNode).parent : null,
    hasSidechains: main.rows < nodes.length,
    abandoned: abandonedOffsets(tree),
  }
}

/** The models that answered, in the order of their first answer. */
function modelsOf(nodes: NodeTable): readonly string[] {
  const ids = new Set<number>()
  for (let row = 0; row < nodes.length; row++) {
    if (!nodes.isSidechainAt(row) && nodes.kindAt(row) === 'response') ids.add(nodes.idAt(row, MODEL))
  }
  return [...ids].filter((id) => id !== -1).map((id) => nodes.pool.textOf(id))
}

function abandonedOffsets({ nodes, branches, active }: Tree): readonly number[] {
  const kept = new Set(active?.rows)
  const isOne = branches.length < 2 && active !== undefined
  const lost = isOne ? [] : [...new Set(branches.flatMap(({ rows }) => rows.filter((row) => !kept.has(row))))]
  return lost.map((row) => nodes.offsetAt(row))
}

function countOf(nodes: NodeTable, kind: TreeNode['kind']): number {
  const found = new Set<string | number>()
  for (let row = 0; row < nodes.length; row++) {
    if (nodes.kindAt(row) === kind) found.add(nodes.at(row)?.uuid || nodes.offsetAt(row))
  }
  return found.size
}
