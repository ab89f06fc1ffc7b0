import { Type } from '../core/schema.ts'
import type { Agent } from '../history/family.ts'
import { chosenBranch, type OpenedSession } from '../history/open.ts'
import { nullable } from '../history/shapes.ts'
import { costsOf } from '../history/usage/family-costs.ts'
import { AgentItem, agentItem } from '../history/view/agent-item.ts'
import { HeadShape, headOf } from '../history/view/head.ts'
import { pageOfTurns } from '../history/view/page.ts'
import { openAt, PointShape } from '../history/view/shown-point.ts'
import { TurnShape, toTurns, type View, viewOf } from '../history/view/turn-shape.ts'
import { defineOp } from './op.ts'

export const show = defineOp({
  name: 'show',
  group: 'Read',
  reaches: {
    '--outline': { command: 'outline', summary: 'Its turns and landmarks, one line each' },
    '--rows': { command: 'read', summary: 'Row by row, a page at a time' },
    '--tree': { command: 'tree', summary: 'Its branches, and every row' },
    '--timeline': { command: 'timeline', summary: 'Where its time went: tools, the API, waiting for you' },
    '--context': { command: 'context', summary: 'What filled the context window, turn by turn' },
    '--raw': { command: 'record', summary: 'A record as it was written: show SESSION:UUID --raw' },
  },
  lists: 'turns',
  teamStore: 'read',
  summary: 'Read a session, or an agent, as a conversation.',
  examples: [
    'annals show last',
    'annals show 3f9a --turns 2..4',
    'annals show last:3',
    'annals show agent-a1b2 --tools full',
  ],
  input: Type.Object({
    session: Type.String(
      'An id or the start of one, last, current, a title, a log file or agent-<id>; or a point: SESSION:TURN, SESSION:UUID, FILE:LINE',
    ),
    branch: Type.Optional(Type.String('A branch, by the start of its last uuid, or all (default: the active one)')),
    turns: Type.Optional(Type.String('Only these turns: 3, 2..5, 4.. or ..-2 (from the end)')),
    thinking: Type.Optional(Type.Boolean("Also show the model's thinking")),
    tools: Type.Optional(
      Type.Choice(['none', 'brief', 'full'], 'How much of tool calls: none, brief (default) or full'),
    ),
    full: Type.Optional(Type.Boolean('Everything: the whole input and output of every call')),
    agents: Type.Optional(Type.Boolean('Show the conversations of agents in place')),
  }),
  positional: ['session'],
  result: Type.Object({
    ...HeadShape.properties,
    point: nullable(PointShape),
    turns: Type.Array(TurnShape),
    totalTurns: Type.Integer(),
    agents: Type.Array(
      Type.Object({
        agent: AgentItem,
        turns: Type.Array(TurnShape),
      }),
    ),
  }),
  async run(context, input) {
    const { opened: named, point, branch = input.branch } = await openAt(context, input.session)
    const { files, family, conversation: main } = named
    const head = await headOf(context, named, branch)
    const view = viewOf(
      family,
      files.toolResults.map((entry) => entry.path),
      input,
      await costsOf(context, named),
    )
    const walk = branch === 'all' ? main.walkAll() : main.walk(chosenBranch(main.tree, branch))
    return {
      ...head,
      point,
      turns: toTurns(main, pageOfTurns(walk, input.turns), view),
      totalTurns: walk.turns.at(-1)?.number ?? 0,
      agents: input.agents
        ? family.filter((one) => one.class !== 'warmup').map((one) => openedAgent(named, one, view))
        : [],
    }
  },
})

function openedAgent({ conversationOf }: OpenedSession, agent: Agent, view: View) {
  const conversation = conversationOf(agent)
  const turns = conversation.turns(conversation.tree.active)
  return {
    agent: agentItem(agent, view.costs?.ofAgent(agent) ?? null),
    turns: toTurns(conversation, turns, view),
  }
}
