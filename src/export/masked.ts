import type { JsonValue } from '../core/json.ts'
import type { Turn } from '../core/tree/turns.ts'
import { sumUsage, type UsageTotal } from '../core/usage/usage.ts'
import type { Conversation } from '../history/conversation.ts'
import type { Agent } from '../history/family.ts'
import type { FoundSession } from '../history/find.ts'
import { historyOf } from '../history/history.ts'
import { openFound, startedBy } from '../history/open.ts'
import { costsOf } from '../history/usage/family-costs.ts'
import { sessionUsage, spentBy } from '../history/usage/usage.ts'
import { agentItem } from '../history/view/agent-item.ts'
import { headOf } from '../history/view/head.ts'
import type { SessionItem } from '../history/view/session-item.ts'
import { readAsked, toTurn, type WholeTurn } from '../history/view/turn-shape.ts'
import { wholeView } from '../history/view/whole-view.ts'
import type { ExportJob } from './exporter.ts'
import { dotted } from './figures.ts'

export type MaskedTurn = WholeTurn

/** A conversation whose turns are read, and lose their secrets, one by one. */
export interface MaskedTalk {
  readonly turns: () => Iterable<MaskedTurn>
  /** What was asked, turn by turn: cheaper than the turns. */
  readonly prompts: () => Iterable<Pick<MaskedTurn, 'number' | 'prompt'>>
}

/** An agent as its card tells, and its conversation. */
export interface MaskedAgent extends MaskedTalk {
  readonly item: ReturnType<typeof agentItem>
}

/** A session as `show` has it, without secrets. */
export interface MaskedSession extends MaskedTalk {
  /** All that `show` tells except turns and agents. */
  readonly head: Awaited<ReturnType<typeof headOf>> & { readonly totalTurns: number }
  /** What is written down: the session, or the agent that was named, in the same fields. */
  readonly item: SessionItem
  /** What it and its agents used, each response once. */
  readonly usage: UsageTotal
  /** Its agents except warmups, none where they are not wanted. */
  readonly agents: readonly MaskedAgent[]
}

/** Takes the secrets out of a value; gives it as it is where they are wanted. */
export function masked<T>({ redactor }: ExportJob, value: T): T {
  // What comes back has the shape that went in: only the texts differ.
  return redactor ? (redactor.value(value as JsonValue).value as T) : value
}

/** Reads a session for an export. */
export async function readMasked(found: FoundSession, job: ExportJob): Promise<MaskedSession> {
  const { library, files } = found
  const context = { ...job.context, library }
  const opened = await openFound(context, found)
  const view = await wholeView(context, opened, { thinking: true })
  const costs = await costsOf(context, opened)
  const { conversation: main } = opened
  const totalTurns = main.turns(main.tree.active).at(-1)?.number ?? 0
  const head = { ...(await headOf(context, opened)), totalTurns }
  const each = function* <T>(open: () => Conversation, read: (conversation: Conversation, turn: Turn) => T) {
    const conversation = open()
    for (const turn of conversation.turns(conversation.tree.active)) yield masked(job, read(conversation, turn))
  }
  const talk = (open: () => Conversation): MaskedTalk => ({
    turns: () => each(open, (conversation, turn) => toTurn(conversation, turn, view)),
    prompts: () => each(open, (conversation, turn) => ({ number: turn.number, prompt: readAsked(conversation, turn) })),
  })
  const toAgent = (agent: Agent): MaskedAgent => ({
    item: masked(job, agentItem(agent, costs.ofAgent(agent))),
    ...talk(() => opened.conversationOf(agent)),
  })
  const isWanted = (agent: Agent) => job.options.agents !== 'none' && agent.class !== 'warmup'
  const agents = startedBy(opened.agent, opened.family).filter(isWanted).map(toAgent)
  const history = historyOf(context)
  const spent = (await sessionUsage(history, files)).filter(await spentBy(history, found))
  const shown = masked(job, head)
  return {
    head: shown,
    item: itemOf(shown),
    usage: sumUsage(spent.map(({ used }) => used)),
    ...talk(() => opened.conversation),
    agents,
  }
}

function itemOf({ session, agent }: MaskedSession['head']): SessionItem {
  if (!agent) return session
  const { id, startedAt, endedAt, models, costUsd } = agent
  const own = { models, costUsd, ownCostUsd: costUsd, agents: null, counts: null }
  return { ...session, id: `agent-${id}`, title: agentName(agent), createdAt: startedAt, updatedAt: endedAt, ...own }
}

/** What an agent is called: its type, and what it was for. */
export function agentName({ type, description, prompt }: ReturnType<typeof agentItem>): string {
  return dotted([type ?? 'Agent', description ?? prompt])
}
