import { Failure } from '../core/failure.ts'
import { Type } from '../core/schema.ts'
import type { Turn } from '../core/tree/turns.ts'
import type { Source } from '../disk/source.ts'
import type { Conversation } from '../history/conversation.ts'
import type { Agent } from '../history/family.ts'
import { agentConversation, chosenBranch } from '../history/open.ts'
import { nullable } from '../history/shapes.ts'
import { costsOf } from '../history/usage/family-costs.ts'
import { AgentItem, agentItem } from '../history/view/agent-item.ts'
import { HeadShape, headOf } from '../history/view/head.ts'
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
    const { library, files, family, conversation: main } = named
    const head = await headOf(context, named, branch)
    const view = viewOf(
      family,
      files.toolResults.map((entry) => entry.path),
      input,
      await costsOf(context, named),
    )
    const turns = branch === 'all' ? allTurns(main) : main.turns(chosenBranch(main.tree, branch))
    const picked = pickTurns(turns, input.turns)
    return {
      ...head,
      point,
      turns: toTurns(main, picked, view),
      totalTurns: turns.at(-1)?.number ?? 0,
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
    turns: toTurns(conversation, turns, view),
  }
}

/** Every turn of every branch once, in file order. */
function allTurns(conversation: Conversation): readonly Turn[] {
  const { tree } = conversation
  const rows = [...new Set(tree.branches.flatMap((branch) => branch.rows))].sort((a, b) => a - b)
  return conversation.turns({ leaf: -1, from: -1, rows, ownRows: rows })
}

/** `3`, `2..5`, `4..`, `..-2`: numbers count from 1, negative ones from the end. */
function pickTurns(turns: readonly Turn[], wanted: string | undefined): readonly Turn[] {
  if (wanted === undefined) return turns
  const range = /^(-?\d+)?(\.\.)?(-?\d+)?$/.exec(wanted)
  if (!range || wanted === '' || wanted === '..') {
    throw new Failure('BAD_INPUT', `"${wanted}" is not a range of turns.`, {
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
  const picked = turns.filter((turn) => turn.number >= from && turn.number <= to)
  if (picked.length > 0 || last === 0) return picked
  const none = wanted.includes('..') ? `There are no turns ${wanted}` : `There is no turn ${wanted}`
  throw new Failure('BAD_INPUT', `${none}: it has ${last === 1 ? 'one turn' : `turns 1 to ${last}`}.`, {
    hint: 'Write 3, 2..5, 4.. or -2.. for the last two.',
  })
}
