import { joinText, toolResultsOf } from '../../core/log/content.ts'
import type { TreeNode } from '../../core/tree/node.ts'
import type { Turn } from '../../core/tree/turns.ts'
import { readRecordAt } from '../../disk/log-file.ts'
import type { Source } from '../../disk/source.ts'
import type { Conversation } from '../../history/conversation.ts'
import { placeAt } from '../../history/family.ts'

/** The errors of a turn that answer no call of the log, or a call that was answered before: nothing else tells them. */
export function loneErrorsIn(source: Source): (conversation: Conversation, turn: Turn) => readonly string[] {
  return (conversation, turn) => {
    const { tree, entry } = conversation
    const called = conversation.derive(calledIds)
    const isFirstAnswer = (id: string, node: TreeNode) => called.has(id) && conversation.answer(id) === node
    return turn.rows.flatMap((row) => {
      const node = tree.nodes[row] as TreeNode
      const failed = node.toolResults.filter(({ id, isError }) => isError && !isFirstAnswer(id, node))
      const raw = failed.length > 0 && readRecordAt(source, entry, placeAt(entry, node))?.raw
      const results = raw ? toolResultsOf(raw) : []
      return failed
        .flatMap(({ id }) => results.find((one) => one.toolUseId === id) ?? [])
        .map((one) => joinText(one.content))
    })
  }
}

/** The calls of a log. */
function calledIds({ tree: { nodes } }: Conversation): ReadonlySet<string> {
  return new Set(nodes.flatMap(({ toolUses }) => toolUses.map(({ id }) => id)))
}
