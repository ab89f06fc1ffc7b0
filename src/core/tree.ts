import type { Diagnostic, DiagnosticCode } from './diagnostic.ts'
import { findForks } from './forks.ts'
import type { TreeNode } from './node.ts'

/**
 * How a row came to hang where it does. `continued` is a chain that begins anew though the conversation goes on: the hooks of
 * a cleared or resumed session have no parent, and what is said next hangs under them. A `replay` is a row written again, a
 * `duplicate` another row that has the same uuid.
 */
export type Attachment = 'root' | 'parent' | 'logical' | 'continued' | 'missing' | 'cycle' | 'replay' | 'duplicate'

/** The conversation of one log: every row in it, and the branches that rewinds made. Rows are named by their index. */
export interface Tree {
  readonly nodes: readonly TreeNode[]
  /** For each row the row it hangs under, -1 for none. */
  readonly parents: readonly number[]
  readonly attachedBy: readonly Attachment[]
  /** In the order in which they begin; one of them is active. */
  readonly branches: readonly Branch[]
  /** The branch that the client would go on with; `undefined` where no one has said anything. */
  readonly active: Branch | undefined
  /** Subagents that lie in the log itself, as clients up to 2.0.14 wrote them. */
  readonly sidechains: readonly Sidechain[]
  readonly diagnostics: readonly Diagnostic[]
}

/** A path from the first row to a leaf, without the rows that only other branches have. */
export interface Branch {
  /** Index of the last row that someone said. */
  readonly leaf: number
  /** Index of the row where it parted from the branch before it; -1 for a conversation that never parted. */
  readonly from: number
  /** Its rows in file order, parallel tool results and rows that are not shown included. */
  readonly rows: readonly number[]
  /** The rows that it shares with no branch begun before it parted. */
  readonly ownRows: readonly number[]
}

export interface Sidechain {
  readonly root: number
  readonly rows: readonly number[]
}

export interface TreeOptions {
  readonly file?: string
  /** The newest `last-prompt.leafUuid`. */
  readonly leaf?: string | null
  /** In an agent's own log every row is a sidechain row, and together they are the conversation. */
  readonly isAgent?: boolean
}

/** Builds the tree of a log. Every row is kept and reachable, whatever its parent says. */
export function buildTree(nodes: readonly TreeNode[], options: TreeOptions = {}): Tree {
  const links = attachRows(nodes, options)
  const isMain = (i: number) => options.isAgent === true || !(nodes[i] as TreeNode).isSidechain
  const { segments, forks } = findForks(nodes, links.parents, links.attachedBy, isMain)
  const branches = listBranches(nodes, segments, forks, isMain)
  return {
    nodes,
    parents: links.parents,
    attachedBy: links.attachedBy,
    branches,
    active: activeBranch(nodes, branches, links.byUuid.get(options.leaf ?? '')),
    sidechains: listSidechains(nodes, links.parents, isMain),
    diagnostics: links.diagnostics,
  }
}

interface Links {
  readonly parents: number[]
  readonly attachedBy: Attachment[]
  readonly byUuid: ReadonlyMap<string, number>
  readonly diagnostics: Diagnostic[]
}

function attachRows(nodes: readonly TreeNode[], options: TreeOptions): Links {
  const byUuid = new Map<string, number>()
  nodes.forEach((node, i) => {
    if (node.uuid !== '' && !byUuid.has(node.uuid)) byUuid.set(node.uuid, i)
  })
  const parents: number[] = []
  const attachedBy: Attachment[] = []
  const diagnostics: Diagnostic[] = []
  const preceding = { main: -1, side: -1 }
  nodes.forEach((node, i) => {
    const lane = node.isSidechain && !options.isAgent ? 'side' : 'main'
    const [parent, how] = attach(node, i, nodes, byUuid, preceding[lane])
    parents.push(parent)
    attachedBy.push(how)
    if (how === 'missing') {
      diagnostics.push(
        note(
          'MISSING_PARENT',
          node,
          options.file,
          `Its parent ${node.parent ?? node.logicalParent} is not in this log.`,
        ),
      )
    }
    if (how === 'duplicate') {
      diagnostics.push(note('DUPLICATE_UUID', node, options.file, `Another row has its uuid ${node.uuid}.`))
    }
    preceding[lane] = i
  })
  for (const i of cutCycles(parents)) {
    attachedBy[i] = 'cycle'
    const message = 'Its chain of parents comes back to itself; it was cut here.'
    diagnostics.push(note('PARENT_CYCLE', nodes[i] as TreeNode, options.file, message))
  }
  return { parents, attachedBy, byUuid, diagnostics }
}

function attach(
  node: TreeNode,
  index: number,
  nodes: readonly TreeNode[],
  byUuid: ReadonlyMap<string, number>,
  preceding: number,
): [number, Attachment] {
  const first = byUuid.get(node.uuid)
  if (first !== undefined && first !== index) {
    return [first, isCopy(node, nodes[first] as TreeNode) ? 'replay' : 'duplicate']
  }
  if (node.parent !== null) {
    const parent = byUuid.get(node.parent)
    return parent === undefined ? [preceding, 'missing'] : [parent, 'parent']
  }
  const logical = node.logicalParent === null ? undefined : byUuid.get(node.logicalParent)
  if (logical !== undefined && logical !== index) return [logical, 'logical']
  if (node.logicalParent !== null) return [preceding, 'missing']
  return preceding !== -1 && !isSaid(node) ? [preceding, 'continued'] : [-1, 'root']
}

function isSaid(node: TreeNode): boolean {
  return node.type === 'user' || node.type === 'assistant'
}

/** A row that a compaction or a resume wrote again, rather than another row that happens to share its uuid. */
function isCopy(a: TreeNode, b: TreeNode): boolean {
  const idsOf = ({ toolUses, toolResults }: TreeNode) => [...toolUses, ...toolResults].map(({ id }) => id).join()
  const isAlike = a.type === b.type && a.kind === b.kind && a.messageId === b.messageId && a.preview === b.preview
  return isAlike && idsOf(a) === idsOf(b)
}

/** Whether a row stands under a uuid that an earlier row has: such rows are counted once. */
export function isRepeated(how: Attachment | undefined): boolean {
  return how === 'replay' || how === 'duplicate'
}

/** Makes every chain of parents end: in each cycle the first row by position loses its parent. Gives the rows cut. */
function cutCycles(parents: number[]): number[] {
  const cut: number[] = []
  // 0 unseen, otherwise the number of the walk that reached it.
  const walks = new Int32Array(parents.length)
  for (let start = 0; start < parents.length; start++) {
    let at = start
    while (at !== -1 && walks[at] === 0) {
      walks[at] = start + 1
      at = parents[at] as number
    }
    if (at === -1 || walks[at] !== start + 1) continue
    let first = at
    for (let i = parents[at] as number; i !== at; i = parents[i] as number) first = Math.min(first, i)
    parents[first] = -1
    cut.push(first)
  }
  return cut
}

function note(code: DiagnosticCode, node: TreeNode, file: string | undefined, message: string): Diagnostic {
  const place = { file: file ?? '', line: node.line, offset: node.offset, length: node.length }
  return { code, message, place, salvaged: true }
}

function listBranches(
  nodes: readonly TreeNode[],
  segments: Int32Array,
  forks: readonly { readonly at: number; readonly parent: number }[],
  isMain: (i: number) => boolean,
): Branch[] {
  const rowsOf: number[][] = forks.map(() => [])
  nodes.forEach((_, i) => {
    if (isMain(i)) rowsOf[segments[i] as number]?.push(i)
  })
  const hasForks = new Set(forks.map((fork) => fork.parent))
  const branches: Branch[] = []
  forks.forEach((fork, segment) => {
    if (hasForks.has(segment)) return
    const parts: (readonly number[])[] = []
    for (let s = segment; s !== -1; s = (forks[s] as { parent: number }).parent) parts.push(rowsOf[s] as number[])
    const rows = parts.flat().sort((a, b) => a - b)
    const ownRows = rowsOf[segment] as number[]
    const leaf = lastSaid(nodes, ownRows) ?? lastSaid(nodes, rows)
    if (leaf !== undefined) branches.push({ leaf, from: fork.at, rows, ownRows })
  })
  return branches
}

function lastSaid(nodes: readonly TreeNode[], rows: readonly number[]): number | undefined {
  const said = rows.findLast((i) => isSaid(nodes[i] as TreeNode))
  return said ?? rows.at(-1)
}

/**
 * The branch with the leaf that the client noted last. A leaf may be noted before what follows it is written, so among
 * the branches through it the one written to last is meant; without a leaf, the one with the last row.
 */
function activeBranch(
  nodes: readonly TreeNode[],
  branches: readonly Branch[],
  leaf: number | undefined,
): Branch | undefined {
  const through = leaf === undefined ? branches : branches.filter((branch) => branch.rows.includes(leaf))
  const candidates = through.length > 0 ? through : branches
  return candidates.reduce<Branch | undefined>((best, branch) => {
    return best === undefined || lastRow(nodes, branch) > lastRow(nodes, best) ? branch : best
  }, undefined)
}

function lastRow(nodes: readonly TreeNode[], branch: Branch): number {
  return lastSaid(nodes, branch.ownRows) ?? branch.leaf
}

function listSidechains(
  nodes: readonly TreeNode[],
  parents: readonly number[],
  isMain: (i: number) => boolean,
): Sidechain[] {
  const rootOf = new Map<number, number>()
  const chains = new Map<number, number[]>()
  nodes.forEach((_, i) => {
    if (isMain(i)) return
    const walked: number[] = []
    let at = i
    while (!rootOf.has(at)) {
      walked.push(at)
      const parent = parents[at] as number
      if (parent === -1 || isMain(parent)) rootOf.set(at, at)
      else at = parent
    }
    const root = rootOf.get(at) as number
    for (const row of walked) rootOf.set(row, root)
    const rows = chains.get(root)
    if (rows) rows.push(i)
    else chains.set(root, [i])
  })
  return [...chains].map(([root, rows]) => ({ root, rows }))
}
