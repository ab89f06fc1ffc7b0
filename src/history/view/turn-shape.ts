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
import { ItemShape, type ShownItem, type ShownTool } from './item-shape.ts'

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

/** A turn with all that it holds. */
export function toTurn(conversation: Conversation, turn: Turn, view: View): Static<typeof TurnShape> {
  return Object.assign(figuresOf(conversation, turn, view), saidIn(conversation, turn, view))
}

/** Rows whose words are held together at most: those of a huge log would take many times its size. */
const MOST_HELD = 20_000

/** Turns to be told one after the other. Of very many, each is read when its words are asked for, and not kept. */
export function toTurns(conversation: Conversation, turns: readonly Turn[], view: View): Static<typeof TurnShape>[] {
  const rows = turns.reduce((sum, turn) => sum + turn.rows.length, 0)
  return turns.map((turn) => (rows > MOST_HELD ? readTurn : toTurn)(conversation, turn, view))
}

function readTurn(conversation: Conversation, turn: Turn, view: View): Static<typeof TurnShape> {
  return {
    get prompt() {
      return promptIn(conversation, turn)
    },
    get items() {
      return itemsIn(conversation, turn, view)
    },
    ...figuresOf(conversation, turn, view),
  }
}

/** What is known of a turn without what was said in it. */
function figuresOf(conversation: Conversation, turn: Turn, view: View) {
  return {
    number: turn.number,
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
  return { prompt: promptIn(conversation, turn), items: itemsIn(conversation, turn, view) }
}

function promptIn(conversation: Conversation, turn: Turn): Static<typeof PromptShape> | null {
  const prompt = conversation.prompt(turn)
  return prompt && toPrompt(prompt, placeAt(conversation.entry, prompt.node))
}

function itemsIn(conversation: Conversation, turn: Turn, view: View): ShownItem[] {
  return conversation
    .items(turn)
    .filter((item) => (view.thinking || item.kind !== 'thinking') && (view.tools || item.kind !== 'tool'))
    .map((item) => toItem(item, placeAt(conversation.entry, item.node), view))
}

function toPrompt({ node, ...prompt }: Prompt, place: Static<typeof PlaceShape>): Static<typeof PromptShape> {
  return Object.assign(prompt, { uuid: node.uuid, timestamp: node.timestamp }, place)
}

/** An item of a conversation with its place, and of a call the agents that it started. */
export function toItem(item: Item, place: Static<typeof PlaceShape>, view: View): ShownItem {
  if (item.kind === 'tool') return toShownTool(item, place, view)
  const { node: _, ...rest } = item
  return Object.assign(rest, place)
}

/** Field by field: most items are calls (decision 0060). */
function toShownTool(item: ToolItem, { file, line, offset, length }: Static<typeof PlaceShape>, view: View): ShownTool {
  const { uuid, timestamp, kind, messageId, id, name, input, runBy, overflow } = item
  const { outcome, result, isError, exitCode, durationMs, images, patch, details } = item
  const agents = view.agentOf.get(id) ?? []
  return {
    uuid,
    timestamp,
    kind,
    messageId,
    id,
    name,
    input,
    runBy,
    outcome,
    result,
    isError,
    exitCode,
    durationMs,
    images,
    overflow: overflow && (view.overflow(overflow) ?? overflow),
    patch,
    details,
    agent: agents[0]?.id ?? null,
    agents: agents.map((agent) => agentSummary(agent, view)),
    file,
    line,
    offset,
    length,
  }
}

type ToolItem = Extract<Item, { readonly kind: 'tool' }>

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
