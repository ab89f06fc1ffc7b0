import { Failure } from '../../core/failure.ts'
import type { TreeNode } from '../../core/tree/node.ts'
import { type Branch, isSaid } from '../../core/tree/tree.ts'
import type { Context } from '../context.ts'
import { type OpenedSession, openSession } from '../open.ts'
import { findPoint, isPoint, type Point } from '../point.ts'

/** A point of a session's conversation: everything of one branch up to a row. */
export interface ConversationPoint {
  readonly opened: OpenedSession
  /** The rows of the branch up to there, in the order of the log; none before the first prompt. */
  readonly rows: readonly TreeNode[]
  /** The last of them that somebody said; `null` before the first prompt. */
  readonly leaf: string | null
}

/**
 * Finds the point that `SESSION:TURN`, `SESSION:UUID` or `FILE:LINE` names: the end of a turn, or right after a row and the answers to
 * its calls. A session alone means its end.
 */
export async function conversationPoint(context: Context, text: string): Promise<ConversationPoint> {
  const { opened, file, offset } = isPoint(text)
    ? await findPoint(context, text)
    : endOf(await openSession(context, text))
  const { tree, entry } = opened.conversation
  if (file !== entry.path) {
    throw new Failure('BAD_INPUT', `${text} is a row of an agent: a point is one of the session itself.`, {
      hint: 'Run `annals tree <session>` to see its rows.',
    })
  }
  const branch = branchWith(tree.branches, tree.active, (row) => (tree.nodes[row] as TreeNode).offset === offset)
  const rows = (branch?.rows ?? [])
    .map((row) => tree.nodes[row] as TreeNode)
    .filter((node) => node.offset <= offset && !node.isSidechain)
  const leaf = rows.findLast(isSaid)?.uuid ?? null
  return { opened, rows: leaf === null ? [] : rows, leaf }
}

function endOf(opened: OpenedSession): Pick<Point, 'opened' | 'file' | 'offset'> {
  return { opened, file: opened.conversation.entry.path, offset: Number.POSITIVE_INFINITY }
}

/** The branch that would be gone on with, where it has the row; else the first that does. */
function branchWith(
  branches: readonly Branch[],
  active: Branch | undefined,
  isRow: (row: number) => boolean,
): Branch | undefined {
  if (active?.rows.some(isRow)) return active
  return branches.find(({ rows }) => rows.some(isRow)) ?? active ?? branches.at(-1)
}
