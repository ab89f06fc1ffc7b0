import { turnOfAgent } from '../core/facts/agent-turn.ts'
import { nameTurns } from '../core/tree/turn-names.ts'
import type { Conversation } from './conversation.ts'
import type { Agent } from './family.ts'

/** The agents that belong to the turns of a session, or of an agent, by the first row of each turn. */
export function agentsByRow(
  { tree, entry }: Conversation,
  family: readonly Agent[],
): ReadonlyMap<number, readonly Agent[]> {
  const byRow = new Map<number, Agent[]>()
  if (family.length === 0) return byRow
  const { turns, ofRow } = nameTurns(tree)
  const rowAt = new Map(tree.nodes.map(({ offset }, row) => [offset, row]))
  const owner = family.find(({ nodes }) => nodes === tree.nodes)?.id ?? null
  const ofCall = ({ call }: Agent) => {
    const row = call?.place.file === entry.path ? rowAt.get(call.place.offset) : undefined
    const turn = row === undefined ? undefined : ofRow[row]
    return turn === undefined || turn === -1 ? null : turn
  }
  for (const agent of family) {
    const turn = turnOfAgent(agent, family, { owner, turns, ofCall })
    if (turn === undefined) continue
    const row = ofRow.indexOf(turn)
    byRow.set(row, [...(byRow.get(row) ?? []), agent])
  }
  return byRow
}
