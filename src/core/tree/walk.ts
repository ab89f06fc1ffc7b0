import { canShow } from './items.ts'
import type { TreeNode } from './node.ts'
import type { Tree } from './tree.ts'
import { cutTurns, type Turn } from './turns.ts'

/** Rows of a tree in reading order: cut into turns, and those that show something numbered from 0. Pages are ranges of it. */
export interface Walk {
  readonly turns: readonly Turn[]
  /** Index in the tree of each row that shows something. */
  readonly rows: readonly number[]
  /** For each turn the number of its first row; the next turn's where it has none. */
  readonly starts: readonly number[]
}

/** Walks over rows of a tree, such as those of a branch. No row is read for it. */
export function walkRows(tree: Tree, among: readonly number[]): Walk {
  const turns = cutTurns(tree, among)
  const rows: number[] = []
  const starts: number[] = []
  for (const turn of turns) {
    starts.push(rows.length)
    if (turn.prompt !== undefined) rows.push(turn.prompt)
    for (const i of turn.rows) if (canShow(tree.nodes[i] as TreeNode)) rows.push(i)
  }
  return { turns, rows, starts }
}

/** Walks over all branches: every row once, in file order. */
export function walkAll(tree: Tree): Walk {
  const rows = new Set(tree.branches.flatMap((branch) => branch.rows))
  return walkRows(
    tree,
    [...rows].sort((a, b) => a - b),
  )
}

/** Index of the turn that a row belongs to. */
export function turnOfRow({ starts }: Walk, row: number): number {
  return lastAtMost(starts, row)
}

/** The rows of a turn, from its first to before the next turn's. */
export function rowsOfTurn({ starts, rows }: Walk, turn: number): { readonly from: number; readonly to: number } {
  return { from: starts[turn] as number, to: starts[turn + 1] ?? rows.length }
}

/** Index of the last of some rising numbers that is no greater; -1 where all are. */
export function lastAtMost(rising: readonly number[], most: number): number {
  let from = 0
  let to = rising.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((rising[middle] as number) <= most) from = middle + 1
    else to = middle
  }
  return from - 1
}
