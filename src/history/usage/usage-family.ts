import { turnAt, turnOfAgent } from '../../core/facts/agent-turn.ts'
import type { LinkedAgent } from '../agents.ts'
import { familyKey } from '../families.ts'
import type { Questions } from '../questions.ts'
import type { BilledSpending } from './usage.ts'

/** An agent by its id, its type (or what kind of agent it is where it has none), and what it was for. */
export interface AgentLabel {
  readonly id: string
  readonly type: string
  readonly label: string | null
}

/** A turn: its number, with the branch behind it where that was abandoned, and what was asked. */
export interface TurnLabel {
  readonly key: string
  readonly label: string | null
}

/** Says of a response which agent made it, and which turn it belongs to: an agent's to the turn that the agent belongs to. */
export function familyLabels(questions: Pick<Questions, 'turns' | 'sessions'>): {
  readonly agentOf: (one: BilledSpending) => AgentLabel | undefined
  readonly turnOf: (one: BilledSpending) => TurnLabel | undefined
} {
  const turns = questions.turns()
  const families = questions.sessions()
  const agentOf = (one: BilledSpending): LinkedAgent | undefined => {
    const agents = families.get(keyOf(one.session))?.agents ?? []
    const isOwner = ({ file, responses }: LinkedAgent) =>
      one.agent === null ? responses.includes(one.call?.offset ?? -1) : file === one.file
    return one.isAgent ? agents.find(isOwner) : undefined
  }
  const turnOf = (one: BilledSpending): TurnLabel | undefined => {
    const info = families.get(keyOf(one.session))
    const own = turns.get(info?.file ?? '') ?? []
    const agent = agentOf(one)
    const n = agent
      ? turnOfAgent(agent, info?.agents ?? [], { owner: null, turns: own, ofCall: ({ turn }) => turn })
      : (one.call?.turn ?? turnAt(own, one.at))
    return own[n ?? -1]
  }
  return {
    agentOf: (one) => {
      const agent = agentOf(one)
      return agent && { id: agent.id, type: agent.type ?? agent.class, label: agent.description }
    },
    turnOf,
  }
}

function keyOf({ id, root, project }: BilledSpending['session']): string {
  return familyKey(root, project.key, id)
}
