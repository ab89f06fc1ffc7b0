import { askedText, commandText } from '../facts/title.ts'
import type { TreeNode } from './node.ts'
import type { Tree } from './tree.ts'
import { cutTurns } from './turns.ts'

/** A turn by its name: its number, with the branch behind it where that was abandoned, and what was asked. */
export interface TurnName {
  readonly key: string
  readonly label: string | null
  /** When it began; `null` on abandoned branches, which time alone never points at. */
  readonly startedAt: string | null
}

/** The turns of all branches, the active one first, and for each row of the log the turn it belongs to; -1 for none. */
export interface TurnNames {
  readonly turns: readonly TurnName[]
  readonly ofRow: Int32Array
}

/** Names the turns of a log. A row that several branches share belongs to the active one's turn. */
export function nameTurns(tree: Tree): TurnNames {
  const turns: TurnName[] = []
  const ofRow = new Int32Array(tree.nodes.length).fill(-1)
  const branches = tree.branches.toSorted((a, b) => Number(b === tree.active) - Number(a === tree.active))
  for (const branch of branches) {
    const suffix = branch === tree.active ? '' : `~${tree.nodes[branch.leaf]?.uuid.slice(0, 8)}`
    for (const { number, prompt, rows } of cutTurns(tree, branch.rows)) {
      const first = tree.nodes[prompt ?? rows[0] ?? -1]
      const own = (prompt === undefined ? rows : [prompt, ...rows]).filter((row) => ofRow[row] === -1)
      if (own.length === 0) continue
      for (const row of own) ofRow[row] = turns.length
      const startedAt = suffix === '' ? (first?.timestamp ?? null) : null
      turns.push({ key: `${number}${suffix}`, label: first ? turnLabel(first) : null, startedAt })
    }
  }
  return { turns, ofRow }
}

/** What a turn or a branch is called by the row that began it, without the tags that clients write around words. */
export function turnLabel(node: TreeNode): string | null {
  return askedText(node) ?? commandText(node) ?? (node.preview?.replace(TAG, ' ').trim() || null)
}

/** The last one may be cut off with the rest. */
const TAG = /<\/?[a-z][a-z_-]*(?:>|$)|<\/?$/g
