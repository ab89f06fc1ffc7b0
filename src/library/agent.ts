import type { AgentClass } from '../core/facts/agent-link.ts'
import type { Place } from '../core/log/place.ts'
import type { UsageTotal } from '../core/usage/usage.ts'
import type { Agent as OpenAgent } from '../history/family.ts'
import type { OpenedSession } from '../history/open.ts'
import { type Conversation, toConversation } from './conversation.ts'

/** A subagent: a conversation of its own that a call of its session, or of another agent, started. */
export interface Agent {
  readonly id: string
  readonly session: string
  readonly class: AgentClass
  readonly type: string | null
  readonly description: string | null
  /** The workflow run it belongs to. */
  readonly run: string | null
  /** The agent that started it; `null` where the session itself did. */
  readonly parentAgent: string | null
  /** The call that started it; `null` where that is not known. */
  readonly call: { readonly toolUseId: string | null; readonly place: Place } | null
  readonly file: string
  readonly models: readonly string[]
  readonly usage: UsageTotal
  readonly startedAt: string | null
  readonly endedAt: string | null
  readonly prompt: string | null
  readonly result: string | null
  /** Where and why it failed. */
  readonly failedAt: (Place & { readonly reason: string }) | null
  open(): Promise<Conversation>
}

/** The agents of a session as others read them. */
export function toAgents({ family, conversationOf }: OpenedSession): readonly Agent[] {
  const open = (agent: OpenAgent) => toConversation(conversationOf(agent), callerOf)
  const agents: readonly Agent[] = family.map((agent) => toAgent(agent, open))
  const byCall = new Map(agents.flatMap((agent) => (agent.call ? [[agent.call.toolUseId, agent]] : [])))
  return agents

  function callerOf(toolUseId: string): Agent | null {
    return byCall.get(toolUseId) ?? null
  }
}

function toAgent(agent: OpenAgent, open: (agent: OpenAgent) => Conversation): Agent {
  const { id, session, type, description, run, parentAgent, call, models, usage, startedAt, endedAt } = agent
  return {
    id,
    session,
    class: agent.class,
    type,
    description,
    run,
    parentAgent,
    call,
    file: agent.entry.path,
    models,
    usage,
    startedAt,
    endedAt,
    prompt: agent.prompt,
    result: agent.result,
    failedAt: agent.failedAt,
    open: async () => open(agent),
  }
}
