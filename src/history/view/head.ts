import { type Static, Type } from '../../core/schema.ts'
import type { Branch } from '../../core/tree/tree.ts'
import type { Context } from '../context.ts'
import type { Conversation } from '../conversation.ts'
import { placeAt } from '../family.ts'
import { sessionItem } from '../list.ts'
import { chosenBranch, leafUuid, type OpenedSession } from '../open.ts'
import { NullableNumber, NullableString, nullable, placeFields } from '../shapes.ts'
import { costsOf } from '../usage/family-costs.ts'
import { AgentItem, agentItem } from './agent-item.ts'
import { BranchShape, branchList } from './branch-list.ts'
import { SessionItem } from './session-item.ts'

const CompactionShape = Type.Object({
  ...placeFields,
  trigger: NullableString,
  preTokens: NullableNumber,
  postTokens: NullableNumber,
  preserved: Type.Array(Type.String(), 'Rows that stayed in the window, by uuid; they come before the seam'),
})

export const HeadShape = Type.Object({
  session: SessionItem,
  agent: nullable(AgentItem),
  branch: NullableString,
  branches: Type.Array(BranchShape),
  compactions: Type.Array(CompactionShape),
})

/** What is told of an opened session beside its turns: with `all`, of all its branches, else of one. */
export async function headOf(
  context: Context,
  opened: OpenedSession,
  wanted?: string | undefined,
): Promise<Static<typeof HeadShape>> {
  const { library, files, agent, conversation } = opened
  const { tree } = conversation
  const chosen = wanted === 'all' ? undefined : chosenBranch(tree, wanted)
  const branches = wanted === 'all' ? tree.branches : chosen ? [chosen] : []
  const costs = await costsOf(context, opened)
  return {
    session: await sessionItem({ ...context, library }, files),
    agent: agent ? agentItem(agent, costs.ofAgent(agent)) : null,
    branch: wanted === 'all' ? 'all' : leafUuid(tree, chosen),
    branches: branchList(tree),
    compactions: compactionsOf(conversation, branches),
  }
}

function compactionsOf(conversation: Conversation, branches: readonly Branch[]): Static<typeof CompactionShape>[] {
  const { tree, entry } = conversation
  const isShown = new Uint8Array(tree.nodes.length)
  for (const { rows } of branches) for (const row of rows) isShown[row] = 1
  return tree.nodes.flatMap((node, i) => {
    if (node.kind !== 'compact-boundary' || isShown[i] === 0) return []
    const { trigger = null, preTokens = null, postTokens = null } = node.compaction ?? {}
    const preserved = [...(node.preserved?.uuids ?? [])]
    return [{ ...placeAt(entry, node), trigger, preTokens, postTokens, preserved }]
  })
}
