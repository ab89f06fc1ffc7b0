import { type Static, Type } from 'typebox'
import { Failure } from '../core/failure.ts'
import type { TreeNode } from '../core/node.ts'
import { askedText, commandText } from '../core/title.ts'
import { type Branch, isRepeated, type Tree } from '../core/tree.ts'
import { cutTurns, type Turn } from '../core/turns.ts'
import type { Conversation } from '../disk/conversation.ts'
import type { Agent } from '../disk/family.ts'
import { placeAt } from '../disk/family.ts'
import type { Source } from '../disk/source.ts'
import { sessionItem } from '../history/list.ts'
import { agentConversation, chosenBranch, leafUuid, openSession } from '../history/open.ts'
import { AgentItem, agentItem } from './agents.ts'
import { defineOp } from './op.ts'
import { SessionItem } from './session-item.ts'
import { NullableNumber, NullableString, nullable, placeFields } from './shapes.ts'
import { TurnShape, toTurn, type View, viewOf } from './turn-shape.ts'
import { costsOf } from './usage-costs.ts'

export const CompactionShape = Type.Object({
  ...placeFields,
  trigger: NullableString,
  preTokens: NullableNumber,
  postTokens: NullableNumber,
  preserved: Type.Array(Type.String(), {
    description: 'Rows that stayed in the window, by uuid; they stand before the seam',
  }),
})

export const BranchShape = Type.Object({
  leaf: Type.String(),
  active: Type.Boolean(),
  from: NullableString,
  after: nullable(Type.Integer({ description: 'The turn after which it parted from the one before it' })),
  prompts: Type.Integer(),
  title: NullableString,
})

export const show = defineOp({
  name: 'show',
  summary: 'Read a session, or an agent, as a conversation.',
  examples: ['annals show last', 'annals show 3f9a --turns 2..4', 'annals show agent-a1b2 --tools full'],
  input: Type.Object({
    session: Type.String({ description: 'An id or its start, last, current, a slug, a title, a path, or agent-<id>' }),
    branch: Type.Optional(
      Type.String({ description: 'A branch by the start of its leaf, or all; else the active one' }),
    ),
    turns: Type.Optional(Type.String({ description: 'Only these turns: 3, 2..5, 4.. or ..-2 (from the end)' })),
    thinking: Type.Optional(Type.Boolean({ description: 'Also what the model thought' })),
    tools: Type.Optional(
      Type.Union([Type.Literal('none'), Type.Literal('brief'), Type.Literal('full')], {
        description: 'How much of tool calls: none, brief (default) or full',
      }),
    ),
    agents: Type.Optional(Type.Boolean({ description: 'Open the agents in place' })),
  }),
  positional: ['session'],
  result: Type.Object({
    session: SessionItem,
    agent: nullable(AgentItem),
    branch: NullableString,
    branches: Type.Array(BranchShape),
    turns: Type.Array(TurnShape),
    totalTurns: Type.Integer(),
    compactions: Type.Array(CompactionShape),
    agents: Type.Array(
      Type.Object({
        agent: AgentItem,
        turns: Type.Array(TurnShape),
      }),
    ),
  }),
  async run(context, input) {
    const named = openSession(context, input.session)
    const { library, files, agent, family, conversation: main } = named
    const item = await sessionItem({ ...context, library }, files)
    const { tree } = main
    const chosen = input.branch === 'all' ? undefined : chosenBranch(tree, input.branch)
    const branches = input.branch === 'all' ? tree.branches : chosen ? [chosen] : []
    const costs = await costsOf(context, named)
    const view = viewOf(
      family,
      files.toolResults.map((entry) => entry.path),
      input,
      costs,
    )
    const turns = input.branch === 'all' ? allTurns(main) : main.turns(chosen)
    const picked = pickTurns(turns, input.turns)
    return {
      session: item,
      agent: agent ? agentItem(agent, costs.ofAgent(agent)) : null,
      branch: input.branch === 'all' ? 'all' : leafUuid(tree, chosen),
      branches: branchList(tree),
      turns: picked.map((turn) => toTurn(main, turn, view)),
      totalTurns: turns.at(-1)?.number ?? 0,
      compactions: compactionsOf(main, branches),
      agents: input.agents
        ? family.filter((one) => one.class !== 'warmup').map((one) => opened(library.source, one, view))
        : [],
    }
  },
})

function opened(source: Source, agent: Agent, view: View) {
  const conversation = agentConversation(source, agent)
  const turns = conversation.turns(conversation.tree.active)
  return {
    agent: agentItem(agent, view.costs?.ofAgent(agent) ?? null),
    turns: turns.map((turn) => toTurn(conversation, turn, view)),
  }
}

/** Every turn of every branch once, in file order. */
function allTurns(conversation: Conversation): readonly Turn[] {
  const { tree } = conversation
  const rows = [...new Set(tree.branches.flatMap((branch) => branch.rows))].sort((a, b) => a - b)
  return conversation.turns({ leaf: -1, from: -1, rows, ownRows: rows })
}

/** The branches of a conversation as a person tells them apart: by the first thing asked after they parted. */
export function branchList(tree: Tree): Static<typeof BranchShape>[] {
  return tree.branches.map((branch) => {
    const wordsOf = (row: number) => saidIn(tree.nodes[row] as TreeNode)
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

function saidIn(node: TreeNode): string | null {
  return askedText(node) ?? commandText(node) ?? node.preview
}

function turnWith(turns: readonly Turn[], row: number): number | null {
  return turns.find((turn) => turn.prompt === row || turn.rows.includes(row))?.number ?? null
}

/** `3`, `2..5`, `4..`, `..-2`: numbers count from 1, negative ones from the end. */
function pickTurns(turns: readonly Turn[], wanted: string | undefined): readonly Turn[] {
  if (wanted === undefined) return turns
  const range = /^(-?\d+)?(\.\.)?(-?\d+)?$/.exec(wanted)
  if (!range || wanted === '' || wanted === '..') {
    throw new Failure('BAD_INPUT', `"${wanted}" names no turns.`, {
      hint: 'Write 3, 2..5, 4.. or -2.. for the last two.',
    })
  }
  const last = turns.at(-1)?.number ?? 0
  const absolute = (text: string | undefined, otherwise: number) => {
    const number = text === undefined ? otherwise : Number(text)
    return number < 0 ? last + 1 + number : number
  }
  const from = absolute(range[1], 0)
  const to = range[2] ? absolute(range[3], last) : from
  return turns.filter((turn) => turn.number >= from && turn.number <= to)
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
