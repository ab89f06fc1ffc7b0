import { preview } from '../log/content.ts'
import type { AgentCall } from './agent-calls.ts'

/** What an agent is, by where it lies, its name and its first words. */
export type AgentClass = 'task' | 'warmup' | 'compact' | 'suggestion' | 'side-question' | 'workflow' | 'incomplete'

/** The rule that found the call which started an agent, best first. */
export type CallRule = 'meta' | 'result' | 'progress' | 'prompt' | 'time'

/** What is known of an agent before it is linked. */
export interface UnlinkedAgent {
  readonly id: string
  /** The workflow run in whose folder it lies. */
  readonly run: string | null
  /** The call that its meta file names. */
  readonly toolUseId: string | null
  readonly prompt: string | null
  readonly startedAt: string | null
}

/** A call together with the agent in whose log it stands; `null` for the session's own log. */
export interface PlacedCall {
  readonly call: AgentCall
  readonly caller: string | null
}

export interface CallLink extends PlacedCall {
  readonly rule: CallRule
}

/** How long after its call an agent's first row may come for time alone to link them. */
const TIME_MS = 1000

/**
 * Finds for each agent the call that started it. Rules are tried best first over all agents, so that a weak rule never
 * takes a call that a stronger one gives to another agent; one call starts one agent, or one workflow run.
 */
export function linkCalls(
  agents: readonly UnlinkedAgent[],
  calls: readonly PlacedCall[],
): ReadonlyMap<UnlinkedAgent, CallLink> {
  const links = new Map<UnlinkedAgent, CallLink>()
  const taken = new Set<PlacedCall>()
  for (const [rule, fits] of RULES) {
    for (const agent of agents) {
      if (links.has(agent)) continue
      const found = calls.find((placed) => !taken.has(placed) && placed.caller !== agent.id && fits(agent, placed.call))
      if (!found) continue
      if (found.call.run === null) taken.add(found)
      links.set(agent, { ...found, rule })
    }
  }
  return links
}

const RULES: readonly (readonly [CallRule, (agent: UnlinkedAgent, call: AgentCall) => boolean])[] = [
  ['meta', (agent, call) => agent.toolUseId !== null && agent.toolUseId === call.toolUseId],
  ['result', (agent, call) => (call.agentIdFrom === 'result' && call.agentId === agent.id) || isRun(agent, call)],
  ['progress', (agent, call) => call.agentIdFrom === 'progress' && call.agentId === agent.id],
  ['prompt', (agent, call) => isOpen(call) && samePrompt(agent.prompt, call.prompt)],
  ['time', (agent, call) => isOpen(call) && isJustAfter(agent.startedAt, call.timestamp)],
]

function isRun(agent: UnlinkedAgent, call: AgentCall): boolean {
  return agent.run !== null && agent.run === call.run
}

/** A call whose result names its agent, or its run, is not another agent's. */
function isOpen(call: AgentCall): boolean {
  return call.agentId === null && call.run === null
}

/** Rows keep only the first words of a prompt, so only these are compared. */
function samePrompt(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && preview(a) === preview(b)
}

function isJustAfter(time: string | null, before: string | null): boolean {
  const passed = Date.parse(time ?? '') - Date.parse(before ?? '')
  return passed >= 0 && passed <= TIME_MS
}

/** Tells what an agent is. `hasUserRow` is false for logs that hold only the answers. */
export function agentClass(agent: {
  readonly id: string
  readonly run: string | null
  readonly prompt: string | null
  readonly hasUserRow: boolean
}): AgentClass {
  if (agent.run !== null) return 'workflow'
  if (agent.id.startsWith('acompact-')) return 'compact'
  if (agent.id.startsWith('aprompt_suggestion-')) return 'suggestion'
  if (agent.id.startsWith('aside_question-')) return 'side-question'
  if (!agent.hasUserRow) return 'incomplete'
  return agent.prompt === 'Warmup' ? 'warmup' : 'task'
}
