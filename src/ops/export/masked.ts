import type { Static } from 'typebox'
import { Failure } from '../../core/failure.ts'
import type { JsonValue } from '../../core/json.ts'
import type { Turn } from '../../core/turns.ts'
import { sumTokens, type UsageTotal } from '../../core/usage.ts'
import type { Conversation } from '../../disk/conversation.ts'
import type { Agent } from '../../disk/family.ts'
import { historyOf } from '../../history/history.ts'
import { type BilledCall, sessionUsage } from '../../history/usage.ts'
import type { AgentItem } from '../agents.ts'
import { agentItem } from '../agents.ts'
import type { FoundSession } from '../find-session.ts'
import { agentConversation, costsOf, openSession, wholeView } from '../open-session.ts'
import { show } from '../show.ts'
import { type TurnShape, toTurn } from '../turn-shape.ts'
import type { ExportJob } from './exporter.ts'

export type MaskedTurn = Static<typeof TurnShape>

/** A conversation whose turns are read, and lose their secrets, one by one. */
export interface MaskedTalk {
  readonly turns: () => Iterable<MaskedTurn>
  /** What was asked, turn by turn: cheaper than the turns. */
  readonly prompts: () => Iterable<Pick<MaskedTurn, 'number' | 'prompt'>>
}

/** An agent as its card tells, and its conversation. */
export interface MaskedAgent extends MaskedTalk {
  readonly item: Static<typeof AgentItem>
}

/** A session as `show` has it, without secrets. */
export interface MaskedSession extends MaskedTalk {
  /** All that `show` tells except turns and agents. */
  readonly head: Omit<Static<typeof show.result>, 'turns' | 'agents'>
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
export async function readMasked({ library, files }: FoundSession, job: ExportJob): Promise<MaskedSession> {
  const context = { ...job.context, library }
  const path = files.log?.path
  if (path === undefined) throw new Failure('SESSION_NOT_FOUND', `The log of ${files.id} is gone.`)
  const opened = openSession(context, path)
  const view = await wholeView(context, opened, { thinking: true })
  const costs = await costsOf(context, opened)
  const { turns: _, agents: __, ...head } = await show.run(context, { session: path, turns: '0' })
  const each = function* <T>(open: () => Conversation, read: (conversation: Conversation, turn: Turn) => T) {
    const conversation = open()
    for (const turn of conversation.turns(conversation.tree.active)) yield masked(job, read(conversation, turn))
  }
  const talk = (open: () => Conversation): MaskedTalk => ({
    turns: () => each(open, (conversation, turn) => toTurn(conversation, turn, view)),
    prompts: () =>
      each(open, (conversation, turn) => {
        const { number, prompt } = toTurn(conversation, { ...turn, rows: [] }, view)
        return { number, prompt }
      }),
  })
  const toAgent = (agent: Agent): MaskedAgent => ({
    item: masked(job, agentItem(agent, costs.ofAgent(agent))),
    ...talk(() => agentConversation(library.source, agent)),
  })
  const isWanted = (agent: Agent) => job.options.agents !== 'none' && agent.class !== 'warmup'
  const agents = opened.family.filter(isWanted).map(toAgent)
  return {
    head: masked(job, head),
    usage: usageOf(await sessionUsage(historyOf(context), path)),
    ...talk(() => opened.conversation),
    agents,
  }
}

function usageOf(calls: readonly BilledCall[]): UsageTotal {
  return sumTokens(calls.map(({ used }) => used))
}
