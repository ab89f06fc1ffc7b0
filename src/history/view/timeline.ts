import { promptWords } from '../../core/facts/title.ts'
import { humanText, preview, taggedText } from '../../core/log/content.ts'
import { queuedText } from '../../core/log/row-kind.ts'
import { type Static, Type } from '../../core/schema.ts'
import type { TreeNode } from '../../core/tree/node.ts'
import { type RunningCall, type Stretch, timeSpent } from '../../core/tree/time-spent.ts'
import type { Turn } from '../../core/tree/turns.ts'
import { turnOfRow, type Walk } from '../../core/tree/walk.ts'
import type { Agent } from '../family.ts'
import { type OpenedSession, startedBy } from '../open.ts'
import { NullableNumber, NullableString, nullable } from '../shapes.ts'
import { saidInRow } from './steps.ts'

const at = { row: Type.Integer(), uuid: Type.String(), turn: Type.Integer() }
const span = { startedAt: NullableString, endedAt: NullableString }

export const TimelineTurn = Type.Object({
  ...at,
  text: nullable(Type.String('The first words of its prompt')),
  ...span,
  toolMs: Type.Integer('From calls to their results; what ran side by side counts once'),
  askMs: Type.Integer('Questions and plans that waited for the person'),
  apiMs: Type.Integer('The rest: an estimate of the time that the API took'),
  waitMs: nullable(Type.Integer('From its last row to the next prompt; null for the last turn')),
})

export const TimelineCall = Type.Object({
  ...at,
  id: Type.String(),
  text: Type.String('`Bash · npm test`'),
  ...span,
  failed: Type.Boolean(),
  asks: Type.Boolean('It waits for the person'),
})

export const TimelineTask = Type.Object({
  ...at,
  kind: Type.Choice(['agent', 'task'], 'A subagent, or a command in the background'),
  id: Type.String('Of an agent its id, else that of the call'),
  text: Type.String(),
  ...span,
  parent: nullable(Type.String('The agent that started it')),
  failed: Type.Boolean(),
  toolUses: NullableNumber,
})

/** How the turns of a branch went over time. */
export interface Timeline {
  readonly turns: readonly Static<typeof TimelineTurn>[]
  readonly calls: readonly Static<typeof TimelineCall>[]
  readonly tasks: readonly Static<typeof TimelineTask>[]
}

/** Says when each turn, call, agent and background task began and ended. */
export function timelineOf(opened: OpenedSession, walk: Walk): Timeline {
  const calls = walk.rows.flatMap((_, row) => callsAt(opened, walk, row))
  const turns = walk.turns.map((_, number) => turnAt(opened, walk, number, calls))
  return { turns, calls, tasks: [...agentsIn(opened, calls), ...tasksIn(opened, walk, calls)] }
}

type Call = Static<typeof TimelineCall>

function callsAt({ conversation }: OpenedSession, walk: Walk, row: number): readonly Call[] {
  const { nodes } = conversation.tree
  const index = walk.rows[row] as number
  const { uuid, timestamp } = nodes[index] as TreeNode
  const { number: turn } = walk.turns[turnOfRow(walk, row)] as Turn
  return saidInRow(conversation, index).calls.map(({ id, words, isAsking }) => {
    const answer = conversation.answer(id)
    const failed = answer?.toolResults.find((result) => result.id === id)?.isError ?? false
    const endedAt = answer?.timestamp ?? null
    return { row, uuid, turn, id, text: words, startedAt: timestamp, endedAt, failed, asks: isAsking }
  })
}

function turnAt(opened: OpenedSession, walk: Walk, number: number, calls: readonly Call[]) {
  const { nodes } = opened.conversation.tree
  const turn = walk.turns[number] as Turn
  const row = walk.starts[number] as number
  const prompt = turn.prompt === undefined ? undefined : (nodes[turn.prompt] as TreeNode)
  const time = timeOfTurn(nodes, turn)
  const next = walk.turns[number + 1]
  const until = next ? timeOfTurn(nodes, next)?.from : undefined
  const spent = timeSpent(
    time ?? { from: 0, to: 0 },
    calls.filter((call) => call.turn === turn.number).flatMap(running),
  )
  return {
    row,
    uuid: prompt?.uuid ?? nodes[walk.rows[row] ?? -1]?.uuid ?? '',
    turn: turn.number,
    text: prompt ? preview(promptWords(prompt), WORDS) : null,
    startedAt: isoOf(time?.from),
    endedAt: isoOf(time?.to),
    ...spent,
    waitMs: time && until !== undefined ? Math.max(0, until - time.to) : null,
  }
}

const WORDS = 120

/** From its prompt to the last of its rows; times in a log do not always rise. */
function timeOfTurn(nodes: readonly TreeNode[], { prompt, rows }: Turn): Stretch | undefined {
  const all = prompt === undefined ? rows : [prompt, ...rows]
  const times = all.flatMap((i) => msOf(nodes[i]?.timestamp) ?? [])
  const [from] = times
  return from === undefined ? undefined : { from, to: times.reduce((a, b) => Math.max(a, b), from) }
}

function running({ startedAt, endedAt, asks }: Call): readonly RunningCall[] {
  const [from, to] = [msOf(startedAt), msOf(endedAt)]
  return from === undefined || to === undefined ? [] : [{ from, to, isAsking: asks }]
}

/** The agents below what was opened, each on the row of the call that started it. */
function agentsIn({ agent, family }: OpenedSession, calls: readonly Call[]): readonly Static<typeof TimelineTask>[] {
  const byId = new Map(calls.map((call) => [call.id, call]))
  const tasks = new Map(startedBy(agent, family).map((one) => [one.id, one]))
  const callOf = (one: Agent, depth = 0): Call | undefined => {
    const above = depth < DEEPEST && one.parentAgent !== null ? tasks.get(one.parentAgent) : undefined
    return byId.get(one.call?.toolUseId ?? '') ?? (above && callOf(above, depth + 1))
  }
  return [...tasks.values()].flatMap((one) => {
    const call = callOf(one)
    if (one.class === 'warmup' || !call) return []
    const { id, type, description, startedAt, endedAt, parentAgent, failedAt, nodes } = one
    const text = [type ?? 'agent', description ?? ''].filter((part) => part !== '').join(': ')
    const toolUses = new Set(nodes.flatMap((node) => node.toolUses.map((use) => use.id))).size
    const where = { row: call.row, uuid: call.uuid, turn: call.turn }
    const parent = tasks.has(parentAgent ?? '') ? parentAgent : null
    return [{ ...where, kind: 'agent', id, text, startedAt, endedAt, parent, failed: failedAt !== null, toolUses }]
  })
}

const DEEPEST = 12

/** Commands that went on in the background until a notification told of their end. */
function tasksIn(opened: OpenedSession, walk: Walk, calls: readonly Call[]) {
  const { conversation, family } = opened
  const { tree } = conversation
  const agents = new Set(family.flatMap(({ call }) => call?.toolUseId ?? []))
  const byId = new Map(calls.map((call) => [call.id, call]))
  return walk.rows.flatMap((index): Static<typeof TimelineTask>[] => {
    const node = tree.nodes[index] as TreeNode
    if (node.kind !== 'notification') return []
    const raw = conversation.row(node) ?? {}
    const text = node.type === 'attachment' ? queuedText(raw) : humanText(raw)
    const id = taggedText(text, 'tool-use-id')?.trim() ?? ''
    const call = byId.get(id)
    if (!call || agents.has(id)) return []
    const status = taggedText(text, 'status')?.trim() ?? ''
    const { row, uuid, turn, startedAt } = call
    const failed = status === 'failed' || status === 'killed'
    const where = { row, uuid, turn, kind: 'task' as const, id, text: call.text }
    return [{ ...where, startedAt, endedAt: node.timestamp, parent: null, failed, toolUses: null }]
  })
}

function msOf(iso: string | null | undefined): number | undefined {
  const ms = Date.parse(iso ?? '')
  return Number.isNaN(ms) ? undefined : ms
}

function isoOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}
