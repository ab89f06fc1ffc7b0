import { typedText } from '../../core/tree/item-text.ts'
import type { Item, Prompt } from '../../core/tree/items.ts'
import type { Turn } from '../../core/tree/turns.ts'
import type { Conversation } from '../../history/conversation.ts'
import type { Agent } from '../../history/family.ts'
import { type OpenedSession, startedBy } from '../../history/open.ts'
import type { ExportJob } from '../exporter.ts'
import { toolCall } from './call.ts'
import { loneErrorsIn } from './lone-errors.ts'
import { type Group, type Limits, limitsFor, Piece, type XmlNode } from './model.ts'

/** What the elements of a session are made with. */
export interface Making {
  readonly mask: (text: string) => string
  readonly redactor: ExportJob['redactor']
  readonly thinking: boolean
  readonly limits: Limits
  /** The folder that paths are told from. */
  readonly cwd: string | null
  /** Errors of a turn that belong to no call. */
  readonly loneErrors: (conversation: Conversation, turn: Turn) => readonly string[]
  /** The agents that a call started, as elements. */
  readonly agentsOf: (toolUseId: string) => readonly Group[]
}

/** The turns of a session, with the agents where they were called. Empty where nobody said anything. */
export function sessionTurns(opened: OpenedSession, job: ExportJob): readonly Group[] {
  const family = startedBy(opened.agent, opened.family)
  const agents = job.options.agents === 'none' ? [] : family.filter((agent) => agent.class !== 'warmup')
  const met = new Set<Agent>()
  let depth = 0
  const make = (conversation: Conversation, turns: readonly Turn[]) => {
    const isLeft = leftTest(conversation)
    return turns.flatMap((turn) => {
      const children = turnNodes(conversation, turn, making)
      if (children.length === 0) return []
      const at = conversation.startedAt(turn)?.slice(0, 19)
      return [{ tag: 'turn', attributes: { n: turn.number, at, abandoned: isLeft(turn) ? 'yes' : null }, children }]
    })
  }
  const agentGroup = (agent: Agent): readonly Group[] => {
    // One that seems to have started itself, or is called twice, is told once; what is too deep comes at the end.
    if (met.has(agent) || depth > MOST_LEVELS) return []
    met.add(agent)
    depth += 1
    const conversation = opened.conversationOf(agent)
    const turns = conversation.turns(conversation.tree.active)
    const children = turns.flatMap((turn) => turnNodes(conversation, turn, making, agent))
    depth -= 1
    const { id, type, class: kind, failedAt } = agent
    const attributes = {
      id,
      type: type && making.mask(type),
      kind: kind === 'task' ? null : kind,
      failed: failedAt?.reason && making.mask(failedAt.reason),
    }
    return children.length === 0 ? [] : [{ tag: 'agent', attributes, children }]
  }
  const making: Making = {
    mask: maskOf(job),
    redactor: job.redactor,
    thinking: job.options.thinking,
    limits: limitsFor(job.options.budget),
    cwd: opened.known.facts.cwd,
    loneErrors: loneErrorsIn(opened.library.source),
    agentsOf: (id) => (id === '' ? [] : agents.filter(({ call }) => call?.toolUseId === id).flatMap(agentGroup)),
  }
  const turns = make(opened.conversation, opened.conversation.walkAll().turns)
  // Those that no call is known of stand at the end.
  const others: Group[] = []
  for (let known = -1; known < met.size; ) {
    known = met.size
    others.push(...agents.flatMap(agentGroup))
  }
  return others.length === 0 ? turns : [...turns, { tag: 'agents', attributes: {}, children: others }]
}

/** How deep agents are told inside each other. */
const MOST_LEVELS = 20

/** Puts placeholders in the place of secrets. */
export function maskOf({ redactor }: ExportJob): (text: string) => string {
  return redactor ? (text) => redactor.text(text).text : (text) => text
}

/** Tells the turns that the conversation went back behind. */
function leftTest({ tree }: Conversation): (turn: Turn) => boolean {
  const active = new Set(tree.active?.rows)
  return ({ prompt, rows }) => tree.branches.length > 1 && !active.has(prompt ?? rows[0] ?? -1)
}

function turnNodes(conversation: Conversation, turn: Turn, making: Making, agent?: Agent): readonly XmlNode[] {
  const prompt = conversation.prompt(turn)
  const items = conversation.items(turn)
  const answer = answerOf(items)
  const asked = prompt === null ? [] : promptNodes(prompt, making, agent !== undefined)
  const lone = making.loneErrors(conversation, turn).map((text) => new Piece('error', making.mask(text), 'kept'))
  return [...asked, ...lone, ...items.flatMap((item) => itemNodes(item, making, answer))]
}

/** The response that said the last words of a turn. */
function answerOf(items: readonly Item[]): Item | undefined {
  return items.findLast((item) => item.kind === 'text' && item.text.trim() !== '')
}

function promptNodes(prompt: Prompt, { mask, limits }: Making, isTask: boolean): readonly XmlNode[] {
  const { kind, text, output, images } = prompt
  const attributes = { kind: kind === 'prompt' ? null : kind, images: images || null }
  const asked = isTask
    ? new Piece('task', mask(text), 'task', { ...attributes, limit: limits.task })
    : new Piece('user', mask(text), 'kept', attributes)
  return output ? [asked, new Piece('out', mask(output), 'result', { limit: limits.result })] : [asked]
}

function itemNodes(item: Item, making: Making, answer: Item | undefined): readonly XmlNode[] {
  const { mask, limits } = making
  const note = (tag: string, text: string, kind?: string | null) =>
    text.trim() === '' ? [] : [new Piece(tag, mask(text), 'note', { kind, limit: limits.note })]
  switch (item.kind) {
    case 'text': {
      const isAnswer = answer?.kind === 'text' && (item === answer || isSameMessage(item, answer))
      return item.text.trim() === ''
        ? []
        : [new Piece(isAnswer ? 'answer' : 'say', mask(item.text), isAnswer ? 'kept' : 'said')]
    }
    case 'thinking':
      if (!making.thinking || item.text.trim() === '') return []
      return [new Piece('think', mask(item.text), 'thinking', { limit: limits.thinking })]
    case 'tool':
      return [toolCall(item, making)]
    case 'error':
      return [new Piece('error', mask(item.text), 'kept')]
    case 'interrupt':
      return [{ tag: 'interrupt', attributes: {}, children: [] }]
    case 'command':
    case 'bash':
      return commandNodes(making, typedText(item), item.output, item.kind)
    case 'compaction':
      return [
        {
          tag: 'compaction',
          attributes: { trigger: item.trigger, before: item.preTokens, after: item.postTokens },
          children: note('summary', item.summary ?? ''),
        },
      ]
    case 'notification':
      return note('note', item.text, item.status ?? 'notification')
    case 'automated':
      return note('note', item.text, 'automated')
    case 'attachment':
    case 'system':
      return item.isError
        ? [new Piece('error', mask(item.text), 'kept', { kind: item.subtype })]
        : note('note', item.text, item.subtype)
  }
}

function isSameMessage(item: Item & { readonly kind: 'text' | 'thinking' }, answer: Item): boolean {
  return item.messageId !== null && 'messageId' in answer && item.messageId === answer.messageId
}

function commandNodes({ mask, limits }: Making, text: string, output: string | null, kind: string): readonly XmlNode[] {
  const asked = new Piece('user', mask(text), 'kept', { kind })
  return output?.trim() ? [asked, new Piece('out', mask(output), 'result', { limit: limits.result })] : [asked]
}
