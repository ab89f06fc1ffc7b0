import type { Diagnostic, DiagnosticCode } from '../log/diagnostic.ts'
import type { Attachment } from './attachment.ts'
import { findForks, type Segment } from './forks.ts'
import type { TreeNode } from './node.ts'

/** The conversation of one log: every row in it, and the branches that rewinds made. Rows are named by their index. */
export interface Tree {
  readonly nodes: readonly TreeNode[]
  /** For each row the row it hangs under, -1 for none. */
  readonly parents: Int32Array
  readonly attachedBy: readonly Attachment[]
  /** In the order in which they begin; one of them is active. */
  readonly branches: readonly Branch[]
  /** The branch that the client would go on with; `undefined` where no one has said anything, or all of it was taken back. */
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
  /** The row that an explicit `last-prompt` names after all rows: the conversation goes on from there. */
  readonly leaf?: string | null
  /** In an agent's own log every row is a sidechain row, and together they are the conversation. */
  readonly isAgent?: boolean
}

/** The leaf by which a client says that it goes on before the first prompt. */
export const BEFORE_FIRST = '00000000-0000-0000-0000-000000000000'

/** Builds the tree of a log. Every row is kept and reachable, whatever its parent says. */
export function buildTree(nodes: readonly TreeNode[], options: TreeOptions = {}): Tree {
  const links = attachRows(nodes, options)
  const isMain = (i: number) => options.isAgent === true || !nodes[i]?.isSidechain
  const named = links.rowOf.get(options.leaf ?? '') ?? -1
  const leaf = named !== -1 && isMain(named) ? named : -1
  const { segments, forks } = findForks(nodes, links, isMain, leaf)
  const ending = leaf === -1 ? -1 : (segments[leaf] as number)
  const { branches, ended } = listBranches(nodes, segments, forks, isMain, ending)
  return {
    nodes,
    parents: links.parents,
    attachedBy: links.attachedBy,
    branches,
    active: options.leaf === BEFORE_FIRST ? undefined : (ended ?? lastBranch(nodes, branches)),
    sidechains: listSidechains(nodes, links.parents, isMain),
    diagnostics: links.diagnostics,
  }
}

interface Links {
  readonly parents: Int32Array
  readonly attachedBy: Attachment[]
  /** The first row with each uuid. */
  readonly rowOf: ReadonlyMap<string, number>
  readonly diagnostics: Diagnostic[]
}

function attachRows(nodes: readonly TreeNode[], options: TreeOptions): Links {
  const rowOf = firstRows(nodes)
  const parents = new Int32Array(nodes.length)
  const attachedBy: Attachment[] = new Array(nodes.length).fill('root')
  const diagnostics: Diagnostic[] = []
  const preceding = { main: -1, side: -1 }
  nodes.forEach((node, i) => {
    const lane = node.isSidechain && !options.isAgent ? 'side' : 'main'
    const [parent, how] = attach(nodes, i, rowOf, preceding[lane], lane === 'main' && node.uuid === '')
    parents[i] = parent
    attachedBy[i] = how
    if (how === 'missing') {
      const name = node.parent ?? node.logicalParent
      diagnostics.push(note('MISSING_PARENT', node, options.file, `Its parent ${name} is not in this log.`))
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
  return { parents, attachedBy, rowOf, diagnostics }
}

function firstRows(nodes: readonly TreeNode[]): ReadonlyMap<string, number> {
  const rows = new Map<string, number>()
  nodes.forEach(({ uuid }, i) => {
    if (uuid !== '' && !rows.has(uuid)) rows.set(uuid, i)
  })
  return rows
}

function attach(
  nodes: readonly TreeNode[],
  row: number,
  rowOf: ReadonlyMap<string, number>,
  preceding: number,
  isFlat: boolean,
): readonly [number, Attachment] {
  const node = nodes[row] as TreeNode
  const first = rowOf.get(node.uuid) ?? row
  if (first !== row) return [first, isCopy(node, nodes[first] as TreeNode) ? 'replay' : 'duplicate']
  if (node.parent !== null) {
    const parent = rowOf.get(node.parent)
    return parent === undefined ? [preceding, 'missing'] : [parent, 'parent']
  }
  const logical = rowOf.get(node.logicalParent ?? '')
  if (logical !== undefined && logical !== row) return [logical, 'logical']
  if (node.logicalParent !== null) return [preceding, 'missing']
  return preceding !== -1 && (isFlat || !isSaid(node)) ? [preceding, 'continued'] : [-1, 'root']
}

/** Whether a person or the model said it, or tools answered. */
export function isSaid({ type }: TreeNode): boolean {
  return type === 'user' || type === 'assistant'
}

/** A row that a compaction or a resume wrote again, rather than another row that happens to share its uuid. */
function isCopy(a: TreeNode, b: TreeNode): boolean {
  const isAlike = a.type === b.type && a.kind === b.kind && a.messageId === b.messageId && a.preview === b.preview
  return isAlike && `${callIds(a)}` === `${callIds(b)}`
}

function callIds({ toolUses, toolResults }: TreeNode): readonly string[] {
  return [...toolUses, ...toolResults].map(({ id }) => id)
}

/** Makes every chain of parents end: in each cycle the first row by position loses its parent. Gives the rows cut. */
function cutCycles(parents: Int32Array): number[] {
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
  const { line, offset, length } = node
  return { code, message, place: { file: file ?? '', line, offset, length }, salvaged: true }
}

/** The branches; `ended` is the one that the segment `ending` closes, though others may go on from it. */
function listBranches(
  nodes: readonly TreeNode[],
  segments: Int32Array,
  forks: readonly Segment[],
  isMain: (i: number) => boolean,
  ending: number,
): { readonly branches: Branch[]; readonly ended: Branch | undefined } {
  const rowsOf = rowsBySegment(nodes.length, (i) => (isMain(i) ? (segments[i] as number) : -1), forks.length)
  const hasForks = new Set(forks.map((fork) => fork.parent))
  const branches: Branch[] = []
  let ended: Branch | undefined
  forks.forEach((fork, segment) => {
    if (hasForks.has(segment) && segment !== ending) return
    const parts: (readonly number[])[] = []
    for (let s = segment; s !== -1; s = (forks[s] as Segment).parent) parts.push(rowsOf[s] as number[])
    const ownRows = rowsOf[segment] as number[]
    // Most conversations never parted; their rows are in order, and need not be there twice.
    const rows = parts.length === 1 ? ownRows : parts.flat().sort((a, b) => a - b)
    const leaf = lastSaid(nodes, ownRows) ?? lastSaid(nodes, rows)
    if (leaf === undefined) return
    const branch = { leaf, from: fork.at, rows, ownRows }
    branches.push(branch)
    if (segment === ending) ended = branch
  })
  return { branches, ended }
}

/** The rows of each segment. Counted first: lists that grow take three times the memory of what they hold. */
function rowsBySegment(count: number, segmentOf: (row: number) => number, segments: number): number[][] {
  const sizes = new Int32Array(segments)
  for (let row = 0; row < count; row++) {
    const segment = segmentOf(row)
    if (segment !== -1) sizes[segment] = (sizes[segment] as number) + 1
  }
  const rowsOf = Array.from(sizes, (size) => new Array<number>(size))
  sizes.fill(0)
  for (let row = 0; row < count; row++) {
    const segment = segmentOf(row)
    if (segment === -1) continue
    const at = sizes[segment] as number
    const rows = rowsOf[segment] as number[]
    rows[at] = row
    sizes[segment] = at + 1
  }
  return rowsOf
}

function lastSaid(nodes: readonly TreeNode[], rows: readonly number[]): number | undefined {
  const said = rows.findLast((i) => isSaid(nodes[i] as TreeNode))
  return said ?? rows.at(-1)
}

/** The branch with the last row that someone said, by its place in the file. */
function lastBranch(nodes: readonly TreeNode[], branches: readonly Branch[]): Branch | undefined {
  return branches.reduce<Branch | undefined>((best, branch) => {
    return best === undefined || lastRow(nodes, branch) > lastRow(nodes, best) ? branch : best
  }, undefined)
}

function lastRow(nodes: readonly TreeNode[], branch: Branch): number {
  return lastSaid(nodes, branch.ownRows) ?? branch.leaf
}

function listSidechains(nodes: readonly TreeNode[], parents: Int32Array, isMain: (i: number) => boolean): Sidechain[] {
  const rootOf = new Map<number, number>()
  const chains = new Map<number, number[]>()
  for (let i = 0; i < nodes.length; i++) {
    if (isMain(i)) continue
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
  }
  return [...chains].map(([root, rows]) => ({ root, rows }))
}
