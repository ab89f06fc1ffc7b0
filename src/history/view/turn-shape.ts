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
  items: Type.Sequence(ItemShape),
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

/** A turn as operations give it: of a huge session, its items are read while they are iterated. */
export type ShownTurn = Static<typeof TurnShape>

/** A turn whose items are held. */
export interface WholeTurn extends ShownTurn {
  items: ShownItem[]
}

/** Reads a turn with all that it holds. */
export function toTurn(conversation: Conversation, turn: Turn, view: View): WholeTurn {
  return Object.assign(figuresOf(conversation, turn, view), {
    prompt: readPrompt(conversation, turn),
    items: readItems(conversation, turn, view),
  })
}

/** Rows whose items are held together at most: those of a huge log would take many times its size. */
const MOST_HELD = 20_000

/** Reads turns. Where they have very many rows together, items are not held: iterating those of a turn reads them. */
export function toTurns(conversation: Conversation, turns: readonly Turn[], view: View): ShownTurn[] {
  const rows = turns.reduce((sum, turn) => sum + turn.rows.length, 0)
  if (rows <= MOST_HELD) return turns.map((turn) => toTurn(conversation, turn, view))
  return turns.map((turn) => ({
    prompt: readPrompt(conversation, turn),
    items: new ItemsToRead(() => readItems(conversation, turn, view)),
    ...figuresOf(conversation, turn, view),
  }))
}

/** Items of a turn that are read each time they are iterated. */
class ItemsToRead implements Iterable<ShownItem> {
  readonly #read: () => readonly ShownItem[]

  constructor(read: () => readonly ShownItem[]) {
    this.#read = read
  }

  [Symbol.iterator](): Iterator<ShownItem> {
    return this.#read()[Symbol.iterator]()
  }

  /** `JSON.stringify` writes turn after turn: the items of one are held at a time. */
  toJSON(): readonly ShownItem[] {
    return this.#read()
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

/** Reads what a turn was begun with. */
export function readPrompt(conversation: Conversation, turn: Turn): ShownPrompt | null {
  return shownPrompt(conversation, conversation.prompt(turn))
}

/** The same without what a command printed: cheaper. */
export function readAsked(conversation: Conversation, turn: Turn): ShownPrompt | null {
  return shownPrompt(conversation, conversation.asked(turn))
}

function readItems(conversation: Conversation, turn: Turn, view: View): ShownItem[] {
  return shownItems(conversation, conversation.items(turn), view)
}

/** Items of a conversation as they are shown, without those that the view leaves out. */
export function shownItems({ entry }: Conversation, items: readonly Item[], view: View): ShownItem[] {
  return items
    .filter((item) => (view.thinking || item.kind !== 'thinking') && (view.tools || item.kind !== 'tool'))
    .map((item) => toItem(item, placeAt(entry, item.node), view))
}

type ShownPrompt = Static<typeof PromptShape>

function shownPrompt({ entry }: Conversation, prompt: Prompt | null): ShownPrompt | null {
  return prompt && toPrompt(prompt, placeAt(entry, prompt.node))
}

function toPrompt({ node, ...prompt }: Prompt, place: Static<typeof PlaceShape>): ShownPrompt {
  return Object.assign(prompt, { uuid: node.uuid, timestamp: node.timestamp }, place)
}

/** An item of a conversation with its place, and of a call the agents that it started. */
export function toItem(item: Item, place: Static<typeof PlaceShape>, view: View): ShownItem {
  if (item.kind === 'tool') return toShownTool(item, place, view)
  const { node: _, ...rest } = item
  return Object.assign(rest, place)
}

/** Field by field: most items are calls (docs/decisions/performance.md). */
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
