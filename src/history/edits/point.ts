import { Failure } from '../../core/failure.ts'
import type { TreeNode } from '../../core/tree/node.ts'
import { type Branch, isSaid } from '../../core/tree/tree.ts'
import type { Context } from '../context.ts'
import { pointOf } from '../files/point.ts'
import { findSession } from '../find.ts'
import { type OpenedSession, openFound } from '../open.ts'

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
export function conversationPoint(context: Context, text: string): ConversationPoint {
  const { name, at } = splitPoint(text)
  const found = findSession(context, name)
  const opened = openFound(context, found)
  const { tree, entry } = opened.conversation
  const isLine = at !== undefined && /[\\/]|\.jsonl$/.test(name) && /^\d+$/.test(at)
  const { offset, file } = isLine ? lineOf(opened, Number(at)) : pointOf(opened, at)
  if (file !== entry.path) {
    throw new Failure('BAD_INPUT', `${at} is a row of an agent: a point is one of the session itself.`, {
      hint: `Run \`annals tree ${name}\` to see its rows.`,
    })
  }
  const branch = branchWith(tree.branches, tree.active, (row) => (tree.nodes[row] as TreeNode).offset === offset)
  const rows = (branch?.rows ?? [])
    .map((row) => tree.nodes[row] as TreeNode)
    .filter((node) => node.offset <= offset && !node.isSidechain)
  const leaf = rows.findLast(isSaid)?.uuid ?? null
  return { opened, rows: leaf === null ? [] : rows, leaf }
}

/** The name of a session, and what stands behind the last colon where that can be a point. */
function splitPoint(text: string): { readonly name: string; readonly at: string | undefined } {
  const [, name, at] = /^(.+):([0-9]{1,9}|[0-9a-f][0-9a-f-]{7,35}|toolu_\w+)$/.exec(text) ?? []
  return name === undefined ? { name: text, at: undefined } : { name, at }
}

function lineOf({ conversation }: OpenedSession, line: number): { readonly offset: number; readonly file: string } {
  const file = conversation.entry.path
  const node = conversation.tree.nodes.findLast((one) => one.line <= line)
  return { file, offset: node?.offset ?? -1 }
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
