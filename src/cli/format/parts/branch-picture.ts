import type { Static } from '../../../core/schema.ts'
import type { tree } from '../../../ops/tree.ts'
import { columns } from '../../terminal/columns.ts'
import type { View } from '../../view.ts'
import { askedWords } from './asked-words.ts'
import { shortIds, when } from './names.ts'

type Tree = Static<typeof tree.result>
type Node = Tree['nodes'][number]
type Branch = Tree['branches'][number]

/** What was asked along the branches: ● on the active one, ○ where it was abandoned, lines where they part. */
export function branchPicture(result: Tree, view: View): string[] {
  const start = grow(result)
  const short = shortIds(result.branches.map((branch) => branch.leaf))
  const rows = drawn(start, '').map(({ stop, lead }) => {
    const { node, isActive, ends } = stop
    const dot = isActive ? view.style.accent('●') : view.style.dim('○')
    const words = (node && askedWords(node)) || '(nothing asked)'
    const leaves = ends.map((branch) => `${short(branch.leaf)} ${branch.active ? 'active' : 'abandoned'}`)
    return [
      `${view.style.dim(lead)}${dot} ${isActive ? words : view.style.dim(words)}`,
      when(node?.timestamp ?? null, view),
      view.style.dim(leaves.join(', ')),
    ]
  })
  return columns(rows, { width: view.width, flex: [0] })
}

/** Something that was asked, and what was asked after it on each branch. */
interface Stop {
  readonly node: Node | undefined
  readonly next: Map<string, Stop>
  /** The branches that end with it. */
  readonly ends: Branch[]
  /** How many branches lead through it. */
  branches: number
  isActive: boolean
}

const ASKED = new Set(['prompt', 'queued-prompt', 'command', 'bash-input', 'warmup'])

/** The branches laid over each other: where they share what was asked, they share a stop. */
function grow({ nodes, branches }: Tree): Stop {
  const byUuid = new Map<string, Node>()
  for (const node of nodes) if (!byUuid.has(node.uuid)) byUuid.set(node.uuid, node)
  const start = newStop(undefined)
  for (const branch of branches) {
    let stop = start
    for (const node of asked(branch, byUuid)) {
      const next = stop.next.get(node.uuid) ?? newStop(node)
      stop.next.set(node.uuid, next)
      stop = next
      stop.branches += 1
      stop.isActive ||= branch.active
    }
    stop.ends.push(branch)
  }
  return start
}

function newStop(node: Node | undefined): Stop {
  return { node, next: new Map(), ends: [], branches: 0, isActive: false }
}

/** What was asked on the way to a leaf, first things first. */
function asked({ leaf }: Branch, byUuid: ReadonlyMap<string, Node>): readonly Node[] {
  const way: Node[] = []
  const seen = new Set<Node>()
  let node = byUuid.get(leaf)
  while (node && !seen.has(node)) {
    seen.add(node)
    if (ASKED.has(node.kind)) way.push(node)
    node = node.attachedTo === null ? undefined : byUuid.get(node.attachedTo)
  }
  return way.reverse()
}

interface DrawnStop {
  readonly stop: Stop
  readonly lead: string
}

/**
 * The stops below one, in the order of lines. The trunk goes straight on; the others are set in before it. The trunk is
 * the active branch, else the one with the most branches: so drawings nest no deeper than the logarithm of their number.
 */
function drawn(start: Stop, lead: string): DrawnStop[] {
  const lines: DrawnStop[] = start.node || start.ends.length > 0 ? [{ stop: start, lead }] : []
  let stop: Stop | undefined = start
  while (stop) {
    const next: Stop[] = [...stop.next.values()]
    const trunk: Stop | undefined = next.reduce<Stop | undefined>(
      (best, one) => (best && !isHeavier(one, best) ? best : one),
      undefined,
    )
    for (const side of next) {
      if (side === trunk) continue
      const [first, ...rest] = drawn(side, '')
      if (first) lines.push({ stop: first.stop, lead: `${lead}├─` })
      for (const one of rest) lines.push({ stop: one.stop, lead: `${lead}│ ${one.lead}` })
    }
    if (trunk) lines.push({ stop: trunk, lead })
    stop = trunk
  }
  return lines
}

function isHeavier(one: Stop, other: Stop): boolean {
  return one.isActive !== other.isActive ? one.isActive : one.branches >= other.branches
}
