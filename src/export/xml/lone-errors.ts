import { joinText, toolResultsOf } from '../../core/log/content.ts'
import type { TreeNode } from '../../core/tree/node.ts'
import type { Turn } from '../../core/tree/turns.ts'
import { readRecordAt } from '../../disk/log-file.ts'
import type { Source } from '../../disk/source.ts'
import { answerRows, type Conversation } from '../../history/conversation.ts'
import { placeAt } from '../../history/family.ts'

/** The errors of a turn that answer no call of the log, or a call that was answered before: nothing else tells them. */
export function loneErrorsIn(source: Source): (conversation: Conversation, turn: Turn) => readonly string[] {
  const answeredIn = new WeakMap<Conversation, ReadonlyMap<string, TreeNode>>()
  return (conversation, turn) => {
    const { tree, entry } = conversation
    const known = answeredIn.get(conversation) ?? answersOf(conversation)
    answeredIn.set(conversation, known)
    return turn.rows.flatMap((row) => {
      const node = tree.nodes[row] as TreeNode
      const failed = node.toolResults.filter(({ id, isError }) => isError && known.get(id) !== node)
      const raw = failed.length > 0 && readRecordAt(source, entry, placeAt(entry, node))?.raw
      const results = raw ? toolResultsOf(raw) : []
      return failed
        .flatMap(({ id }) => results.find((one) => one.toolUseId === id) ?? [])
        .map((one) => joinText(one.content))
    })
  }
}

/** The row that answers each call of a log first. */
function answersOf({ tree: { nodes } }: Conversation): ReadonlyMap<string, TreeNode> {
  const called = new Set(nodes.flatMap(({ toolUses }) => toolUses.map(({ id }) => id)))
  return new Map([...answerRows(nodes)].filter(([id]) => called.has(id)))
}
