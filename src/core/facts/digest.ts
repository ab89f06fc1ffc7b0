import type { TreeNode } from '../tree/node.ts'
import { buildTree, isSaid, type Tree } from '../tree/tree.ts'
import { type Counts, countRows } from '../tree/turns.ts'
import type { LogFacts } from './facts.ts'

/** What lists and sums need to know of a log, made from its facts alone. */
export interface LogDigest {
  readonly lines: number
  readonly counts: Counts
  readonly branches: number
  /** Compactions of the conversation itself, and those inside agents included. */
  readonly compactions: number
  readonly allCompactions: number
  readonly interrupts: number
  /** The models that answered, in the order of their first answer. */
  readonly models: readonly string[]
  /** The times of rows that the client wrote itself, in an answer's place. */
  readonly synthetic: readonly string[]
  /** Offsets of rows on branches that were abandoned. */
  readonly abandoned: readonly number[]
  /** The parent of the first row, where that row is in another log. */
  readonly parentElsewhere: string | null
  /** Subagents lie in the log itself, as clients up to 2.0.14 wrote them. */
  readonly hasSidechains: boolean
}

/** Sums up a log; `tree` is that of a session's log, if it is known already. */
export function digestOf(
  facts: LogFacts,
  lines: number,
  tree = buildTree(facts.nodes, { leaf: facts.leaf }),
): LogDigest {
  const { nodes } = facts
  const main = nodes.filter((node) => !node.isSidechain)
  const first = nodes.findIndex((node) => !node.isSidechain)
  return {
    lines,
    counts: countRows(tree),
    branches: main.some(isSaid) ? tree.branches.length : 0,
    compactions: main.filter(({ kind }) => kind === 'compact-boundary').length,
    allCompactions: countOf(nodes, 'compact-boundary'),
    interrupts: countOf(nodes, 'interrupt'),
    models: [...new Set(main.flatMap(({ kind, model }) => (kind === 'response' && model !== null ? [model] : [])))],
    synthetic: nodes.flatMap(({ model, timestamp }) => (model === '<synthetic>' ? [timestamp ?? ''] : [])),
    abandoned: abandonedOffsets(tree),
    parentElsewhere: tree.attachedBy[first] === 'missing' ? (nodes[first]?.parent ?? null) : null,
    hasSidechains: main.length < nodes.length,
  }
}

function abandonedOffsets({ nodes, branches, active }: Tree): readonly number[] {
  if (branches.length < 2 && active !== undefined) return []
  const kept = new Set(active?.rows)
  const lost = new Set(branches.flatMap(({ rows }) => rows.filter((row) => !kept.has(row))))
  return [...lost].map((row) => (nodes[row] as TreeNode).offset)
}

/** How many rows of a kind there are, each uuid once. */
function countOf(nodes: readonly TreeNode[], kind: TreeNode['kind']): number {
  return new Set(nodes.flatMap((node) => (node.kind === kind ? [node.uuid || node.offset] : []))).size
}
