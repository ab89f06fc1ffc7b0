import type { Static } from '../../core/schema.ts'
import type { tree } from '../../ops/tree.ts'
import { plural } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { askedWords } from './parts/asked-words.ts'
import { branchPicture } from './parts/branch-picture.ts'
import { diagnosticLines } from './parts/diagnostics.ts'
import { dotted, indent, nextSteps, nothing, spaced } from './parts/lines.ts'
import { shortId, shortIds, when } from './parts/names.ts'
import { table } from './parts/table.ts'

type Tree = Static<typeof tree.result>

/** The branches of a session as a picture; with `--rows` every row as well. */
export function formatTree(result: Tree, view: View): readonly string[] {
  const { nodes, branches, sidechains, diagnostics } = result
  if (nodes.length === 0) return nothing('There is no conversation in this log.', view)
  const { style } = view
  const inside = sidechains.reduce((sum, chain) => sum + chain.rows, 0)
  const head = dotted([
    shortId(result.session),
    plural(nodes.length, 'row'),
    plural(branches.length, 'branch', 'branches'),
    sidechains.length === 0 ? '' : `${plural(sidechains.length, 'agent')} inside the log (${plural(inside, 'row')})`,
    result.unreachable === 0 ? '' : style.bad(`${plural(result.unreachable, 'row')} on no branch`),
  ])
  const abandoned = branches.find((branch) => !branch.active)
  return spaced([
    [style.title(truncate(head, view.width))],
    branchPicture(result, view),
    view.input.rows === true ? rowLines(nodes, view) : [],
    diagnostics.length > 0 ? [style.title('Odd'), ...indent(diagnosticLines(diagnostics, view), 2)] : [],
    nextSteps(abandoned ? [`annals show ${shortId(result.session)} --branch ${shortId(abandoned.leaf)}`] : [], view),
  ])
}

function rowLines(nodes: Tree['nodes'], view: View): string[] {
  const short = shortIds(nodes.map((node) => node.uuid))
  const rows = nodes.map((node) => [
    String(node.line),
    view.style.dim(short(node.uuid)),
    view.style.dim(node.attachedTo === null ? '–' : `under ${short(node.attachedTo)}`),
    oneLine(node.kind) + how(node.attachedBy) + (node.sidechain ? ' (agent)' : ''),
    when(node.timestamp, view),
    askedWords(node),
  ])
  return table(rows, { width: view.width, align: ['right'], flex: [5] })
}

/** How a row came to hang where it does, where that is not simply by its parent. */
function how(attachedBy: string): string {
  return attachedBy === 'parent' || attachedBy === 'root' ? '' : ` (${oneLine(attachedBy)})`
}
