import { askedText } from '../../core/facts/title.ts'
import { type Static, Type } from '../../core/schema.ts'
import { isRepeated } from '../../core/tree/attachment.ts'
import type { TreeNode } from '../../core/tree/node.ts'
import type { Branch, Tree } from '../../core/tree/tree.ts'
import { turnLabel } from '../../core/tree/turn-names.ts'
import { cutTurns, type Turn } from '../../core/tree/turns.ts'
import { NullableString, nullable } from '../shapes.ts'

export const BranchShape = Type.Object({
  leaf: Type.String(),
  active: Type.Boolean(),
  from: NullableString,
  after: nullable(Type.Integer('The turn after which it left the one before it')),
  prompts: Type.Integer(),
  title: NullableString,
})

/** The branches of a conversation as a person tells them apart: by the first thing asked after they parted. */
export function branchList(tree: Tree): Static<typeof BranchShape>[] {
  return tree.branches.map((branch) => {
    const wordsOf = (row: number) => turnLabel(tree.nodes[row] as TreeNode)
    const own = branch.ownRows.length > 0 ? branch.ownRows : branch.rows
    const said = own.find((row) => wordsOf(row))
    return {
      leaf: tree.nodes[branch.leaf]?.uuid ?? '',
      active: branch === tree.active,
      from: branch.from === -1 ? null : (tree.nodes[branch.from]?.uuid ?? null),
      after: branch.from === -1 ? null : turnWith(cutTurns(tree, branch.rows), branch.from),
      prompts: promptsOn(tree, branch),
      title: said === undefined ? null : wordsOf(said),
    }
  })
}

function promptsOn({ nodes, attachedBy }: Tree, { rows }: Branch): number {
  let prompts = 0
  for (const row of rows) if (askedText(nodes[row] as TreeNode) !== null && !isRepeated(attachedBy[row])) prompts += 1
  return prompts
}

function turnWith(turns: readonly Turn[], row: number): number | null {
  return turns.find((turn) => turn.prompt === row || turn.rows.includes(row))?.number ?? null
}
