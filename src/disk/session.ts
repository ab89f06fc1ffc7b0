import type { LogKind } from '../core/facts.ts'
import { logKind } from '../core/facts.ts'
import type { TreeNode } from '../core/node.ts'
import { isRecordType } from '../core/record-types.ts'
import { type TitleFrom, titleOf } from '../core/title.ts'
import { buildTree, type Tree } from '../core/tree.ts'
import { type Counts, countRows } from '../core/turns.ts'
import type { SessionFiles } from './inventory.ts'
import type { KnownFacts } from './log-facts.ts'

/** A session as its own log describes it. Fields that need the whole log are `null` where only its ends were read. */
export interface SessionFacts {
  readonly files: SessionFiles
  readonly known: KnownFacts
  readonly kind: LogKind
  readonly title: string | null
  readonly titleFrom: TitleFrom
  readonly createdAt: string | null
  readonly updatedAt: string | null
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
}

export interface DescribeOptions {
  readonly sidecarTitle?: string | null
  /** A summary in any file that names a row of this session as its leaf. */
  readonly summary?: string | null
}

/** Describes a session from the facts of its log. */
export function describeSession(files: SessionFiles, known: KnownFacts, options: DescribeOptions = {}): SessionFacts {
  const { facts, totals } = known
  const title = titleOf(facts, options.sidecarTitle, options.summary)
  const kind = totals || facts.types.size > 0 ? logKind(facts.types, isRecordType) : 'unknown'
  return {
    files,
    known,
    kind,
    title: title.text,
    titleFrom: title.from,
    createdAt: facts.firstAt,
    updatedAt: facts.lastAt ?? isoOf(files.log?.modifiedAt),
    whole: totals ? wholeFacts(buildTree(facts.nodes, { leaf: facts.leaf }), totals.lines) : null,
  }
}

function wholeFacts(tree: Tree, lines: number): WholeFacts {
  const main = tree.nodes.filter((node) => !node.isSidechain)
  const [first] = main
  const hasSaid = main.some((node) => node.type === 'user' || node.type === 'assistant')
  return {
    lines,
    counts: countRows(tree),
    branches: hasSaid ? tree.branches.length : 0,
    compactions: main.filter((node) => node.kind === 'compact-boundary').length,
    models: modelsOf(main),
    parentElsewhere:
      first !== undefined && tree.attachedBy[tree.nodes.indexOf(first)] === 'missing' ? first.parent : null,
  }
}

/** The models that answered, in the order of their first answer. */
export function modelsOf(nodes: readonly TreeNode[]): readonly string[] {
  return [...new Set(nodes.flatMap((node) => (node.kind === 'response' && node.model ? [node.model] : [])))]
}

function isoOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}
