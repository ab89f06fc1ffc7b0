import { join } from 'node:path'
import { grouped } from '../../core/grouped.ts'
import { type Static, Type } from '../../core/schema.ts'
import type { Item, Prompt } from '../../core/tree/items.ts'
import type { Turn } from '../../core/tree/turns.ts'
import type { UsageTotal } from '../../core/usage/usage.ts'
import type { Conversation } from '../conversation.ts'
import { type Agent, placeAt } from '../family.ts'
import { NullableNumber, NullableString, nullable, type PlaceShape, placeFields, UsageShape } from '../shapes.ts'
import type { FamilyCosts } from '../usage/family-costs.ts'
import { ItemShape, type ShownItem } from './item-shape.ts'

const PromptShape = Type.Object({
  kind: Type.Choice(['prompt', 'queued', 'command', 'bash'], 'prompt, queued, command or bash'),
  uuid: Type.String(),
  text: Type.String(),
  images: Type.Integer(),
  expansion: nullable(Type.String({ description: 'What a custom command was expanded into' })),
  output: NullableString,
  timestamp: NullableString,
  ...placeFields,
})

export const TurnShape = Type.Object({
  number: Type.Integer('Counted from 1; 0 for what comes before the first prompt'),
  prompt: nullable(PromptShape),
  items: Type.Array(ItemShape),
  usage: UsageShape,
  costUsd: NullableNumber,
  models: Type.Array(Type.String(), 'The models that answered'),
  startedAt: NullableString,
  durationMs: NullableNumber,
})

/** Who the agents of the calls are, where overflowing results lie, and what is left out. */
export interface View {
  readonly agentOf: ReadonlyMap<string, readonly Agent[]>
  readonly overflow: (name: string) => string | null
  readonly thinking: boolean
  readonly tools: boolean
  readonly costs: FamilyCosts | undefined
}

/** What the turns of a session are shown with. */
export function viewOf(
  family: readonly Agent[],
  toolResults: readonly string[],
  input: { thinking?: boolean; tools?: string },
  costs?: FamilyCosts,
): View {
  return {
    agentOf: grouped(family, ({ call }) => call?.toolUseId || undefined),
    overflow: (name) => toolResults.find((path) => path.endsWith(join('tool-results', name))) ?? null,
    thinking: input.thinking ?? false,
    tools: input.tools !== 'none',
    costs,
  }
}

export function toTurn(conversation: Conversation, turn: Turn, view: View): Static<typeof TurnShape> {
  return {
    number: turn.number,
    ...saidIn(conversation, turn, view),
    usage: { ...conversation.usage(turn) } satisfies UsageTotal,
    costUsd: view.costs?.ofTurn(conversation, turn) ?? null,
    models: modelsIn(conversation, turn),
    startedAt: conversation.startedAt(turn),
    durationMs: conversation.durationMs(turn),
  }
}

function modelsIn({ tree }: Conversation, { rows }: Turn): string[] {
  const models = rows.flatMap((row) => {
    const node = tree.nodes[row]
    return node?.kind === 'response' && node.model ? [node.model] : []
  })
  return [...new Set(models)]
}

/** What was asked and done in a turn, without what it used. */
export function saidIn(
  conversation: Conversation,
  turn: Turn,
  view: View,
): Pick<Static<typeof TurnShape>, 'prompt' | 'items'> {
  const { entry } = conversation
  const prompt = conversation.prompt(turn)
  const items = conversation
    .items(turn)
    .filter((item) => (view.thinking || item.kind !== 'thinking') && (view.tools || item.kind !== 'tool'))
  return {
    prompt: prompt && toPrompt(prompt, placeAt(entry, prompt.node)),
    items: items.map((item) => toItem(item, placeAt(entry, item.node), view)),
  }
}

function toPrompt({ node, ...prompt }: Prompt, place: Static<typeof PlaceShape>): Static<typeof PromptShape> {
  return { ...prompt, uuid: node.uuid, timestamp: node.timestamp, ...place }
}

/** An item of a conversation with its place, and of a call the agents that it started. */
export function toItem({ node: _, ...item }: Item, place: Static<typeof PlaceShape>, view: View): ShownItem {
  if (item.kind !== 'tool') return { ...item, ...place }
  const agents = view.agentOf.get(item.id) ?? []
  const overflow = item.overflow && (view.overflow(item.overflow) ?? item.overflow)
  const started = { agent: agents[0]?.id ?? null, agents: agents.map((agent) => agentSummary(agent, view)) }
  return { ...item, overflow, ...started, ...place }
}

/** An agent as one line of the turn that started it. */
function agentSummary(agent: Agent, { costs }: View) {
  const { id, type, description, usage, failedAt } = agent
  const toolUses = new Set(agent.nodes.flatMap((node) => node.toolUses.map((use) => use.id))).size
  return {
    id,
    type,
    description,
    toolUses,
    usage,
    costUsd: costs?.ofAgent(agent) ?? null,
    failed: failedAt?.reason ?? null,
  }
}
