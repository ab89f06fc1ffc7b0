import { turnAt, turnOfAgent } from '../../core/facts/agent-turn.ts'
import type { SessionFiles } from '../../disk/inventory.ts'
import type { LinkedAgent } from '../../index/queries/agents.ts'
import type { SessionQueries } from '../../index/queries/history-queries.ts'
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

/** Resolves the agent and the turn of a response. */
export interface FamilyLabels {
  readonly agentOf: (one: BilledSpending) => AgentLabel | undefined
  readonly turnOf: (one: BilledSpending) => TurnLabel | undefined
}

/** Reads the agents and turns of all sessions, or of one. A response of an agent belongs to the turn of the agent. */
export async function familyLabels(
  queries: Pick<SessionQueries, 'turns' | 'infos'>,
  session?: SessionFiles,
): Promise<FamilyLabels> {
  const turns = await queries.turns(session && [session.log?.path ?? ''])
  const families = await queries.infos(session && [session.id])
  const agentOf = (one: BilledSpending): LinkedAgent | undefined => {
    const agents = families.get(one.session.key)?.agents ?? []
    const isOwner = ({ file, responses }: LinkedAgent) =>
      one.agent === null ? responses.includes(one.call?.offset ?? -1) : file === one.file
    return one.isAgent ? agents.find(isOwner) : undefined
  }
  const turnOf = (one: BilledSpending): TurnLabel | undefined => {
    const info = families.get(one.session.key)
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
