import type { TreeNode } from '../../core/tree/node.ts'
import type { Turn } from '../../core/tree/turns.ts'
import { agentsByRow } from '../agent-turns.ts'
import type { Context } from '../context.ts'
import type { Conversation } from '../conversation.ts'
import type { Agent } from '../family.ts'
import { historyOf } from '../history.ts'
import type { OpenedSession } from '../open.ts'
import { sumCosts } from './spending.ts'
import { type BilledSpending, byTime, readUsage, spentInParts } from './usage.ts'

/** What the agents and the turns of one session cost. What a session inherited, it did not pay for. */
export interface FamilyCosts {
  readonly ofAgent: (agent: Agent) => number | null
  /** Its own responses, and the agents that belong to it. */
  readonly ofTurn: (conversation: Conversation, turn: Turn) => number | null
}

/** What agents of any sessions cost. */
export async function agentCosts(context: Context): Promise<(agent: Agent) => number | null> {
  const { calls } = await readUsage(historyOf(context), { single: true, progress: context.progress })
  const responses = new ResponseCosts()
  responses.add(calls)
  return (agent) => responses.ofAgent(agent)
}

/** What the agents and turns of an opened session cost; read once per opened session. */
export async function costsOf(
  context: Context,
  { library, files, family, derive }: OpenedSession,
): Promise<FamilyCosts> {
  const slot = derive(costsSlot)
  if (slot.costs) return slot.costs
  const responses = new ResponseCosts()
  for await (const part of spentInParts(historyOf({ ...context, library }), files)) responses.add(part)
  slot.costs = familyCosts(responses, family)
  return slot.costs
}

function costsSlot(): { costs: FamilyCosts | undefined } {
  return { costs: undefined }
}

/** As much of a response as sums are made of. */
type ResponseCost = Pick<BilledSpending, 'at' | 'costUsd' | 'log'> & { readonly offset: number }

/** What responses cost, by their logs and by their messages: in columns, as a huge session has very many. */
class ResponseCosts {
  readonly #at: number[] = []
  /** NaN where nobody knows the price. */
  readonly #costUsd: number[] = []
  readonly #log: number[] = []
  readonly #offset: number[] = []
  /** The one before of the same message; -1 for none. */
  readonly #before: number[] = []
  readonly #byFile = new Map<string, number[]>()
  /** The last of each message. */
  readonly #byMessage = new Map<string, number>()

  add(calls: Iterable<BilledSpending>): void {
    for (const { at, costUsd, log, file, call } of calls) {
      const row = this.#at.push(at) - 1
      this.#costUsd.push(costUsd ?? Number.NaN)
      this.#log.push(log)
      this.#offset.push(call?.offset ?? -1)
      this.#before.push((call && this.#byMessage.get(call.messageId)) ?? -1)
      const there = this.#byFile.get(file)
      if (there) there.push(row)
      else this.#byFile.set(file, [row])
      if (call) this.#byMessage.set(call.messageId, row)
    }
  }

  ofAgent({ entry, nodes, facts }: Agent): number | null {
    const there = (this.#byFile.get(entry.path) ?? []).map((row) => this.#cost(row))
    // An agent inside the log of its session has some of its rows.
    const isWhole = nodes.length === facts.facts.nodes.length
    const offsets = new Set(isWhole ? [] : nodes.map(({ offset }) => offset))
    // In one order, so that the last digits of a sum are the same each time.
    return sumCosts((isWhole ? there : there.filter(({ offset }) => offsets.has(offset))).sort(byTime))
  }

  /** In the order of their times. */
  ofMessage(id: string | null): readonly ResponseCost[] {
    const costs: ResponseCost[] = []
    for (let row = this.#byMessage.get(id ?? '') ?? -1; row !== -1; row = this.#before[row] as number) {
      costs.push(this.#cost(row))
    }
    return costs.length < 2 ? costs : costs.reverse().sort(byTime)
  }

  #cost(row: number): ResponseCost {
    const costUsd = this.#costUsd[row] as number
    return {
      at: this.#at[row] as number,
      costUsd: Number.isNaN(costUsd) ? null : costUsd,
      log: this.#log[row] as number,
      offset: this.#offset[row] as number,
    }
  }
}

function familyCosts(responses: ResponseCosts, family: readonly Agent[]): FamilyCosts {
  const ofAgent = (agent: Agent) => responses.ofAgent(agent)
  const byConversation = new Map<Conversation, ReadonlyMap<number, readonly Agent[]>>()
  const ofTurn = (conversation: Conversation, { prompt, rows }: Turn) => {
    const started = byConversation.get(conversation) ?? agentsByRow(conversation, family)
    byConversation.set(conversation, started)
    const nodes = rows.map((row) => conversation.tree.nodes[row] as TreeNode)
    const messages = new Set(nodes.map(({ messageId }) => messageId))
    const agents = [prompt ?? -1, ...rows].flatMap((row) => started.get(row) ?? [])
    return sumCosts([
      ...[...messages].flatMap((id) => responses.ofMessage(id)),
      ...agents.map((agent) => ({ costUsd: ofAgent(agent) })),
    ])
  }
  return { ofAgent, ofTurn }
}
