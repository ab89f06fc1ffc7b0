import { booleanAt, type JsonObject, numberAt, objectAt, stringAt, textAt } from '../json.ts'
import { joinText, taggedText, textOf, toolResultsOf, toolUsesOf } from '../log/content.ts'
import type { Place } from '../log/place.ts'
import type { LogRecord } from '../log/record.ts'
import { queuedText } from '../log/row-kind.ts'
import type { RowFacts } from './row-facts.ts'

/** A call that started an agent, and what was heard of it later. */
export interface AgentCall {
  readonly toolUseId: string
  readonly place: Place
  readonly timestamp: string | null
  readonly prompt: string | null
  readonly description: string | null
  readonly type: string | null
  /** The agent's id, as its result or its progress names it. */
  readonly agentId: string | null
  readonly agentIdFrom: 'result' | 'progress' | null
  /** The workflow run that the call started; its agents lie in a folder of that name. */
  readonly run: string | null
  readonly reported: AgentReport
}

/** What the client itself said of an agent: in the call's result, or in later notifications. */
export interface AgentReport {
  readonly status: string | null
  readonly durationMs: number | null
  readonly tokens: number | null
  readonly toolUses: number | null
  /** What the parent was told. */
  readonly result: string | null
  readonly isError: boolean
}

const NO_REPORT: AgentReport = {
  status: null,
  durationMs: null,
  tokens: null,
  toolUses: null,
  result: null,
  isError: false,
}

/** The tools that start agents; `Task` became `Agent` in 2.1.68. */
export const AGENT_TOOLS: readonly string[] = ['Task', 'Agent', 'Workflow']

export function startsAgent(toolName: string): boolean {
  return AGENT_TOOLS.includes(toolName)
}

/** Gathers the agent calls of one log with their results, progress and notifications. */
export class AgentCallFold {
  readonly #calls: Map<string, AgentCall>

  /** Goes on from the calls that were made before. */
  constructor(before: readonly AgentCall[] = []) {
    this.#calls = new Map(before.map((call) => [call.toolUseId, call]))
  }

  add(record: LogRecord): void {
    if (record.type === 'assistant') this.#addCalls(record)
    else if (this.#calls.size === 0) return
    else if (record.type === 'user') this.#addUser(record.raw)
    else if (record.type === 'progress') this.#addProgress(record.raw)
    else if (record.type === 'attachment') this.#addNotification(queuedText(record.raw))
  }

  /** Whether a row starts an agent or tells of one. */
  isConcerned(facts: RowFacts): boolean {
    const { type } = facts
    if (type === 'assistant') return facts.callCount > 0 && facts.toolUses.some(({ name }) => startsAgent(name))
    if (this.#calls.size === 0 || facts.kind === undefined) return false
    if (type === 'user') return facts.hasText || facts.toolResults.some(({ id }) => this.#calls.has(id))
    return type === 'progress' && this.#calls.get(facts.parentToolUseId ?? '')?.agentId === null
  }

  calls(): readonly AgentCall[] {
    return [...this.#calls.values()]
  }

  #addCalls({ raw, place }: LogRecord): void {
    for (const { id, name, input } of toolUsesOf(raw)) {
      if (!startsAgent(name) || this.#calls.has(id)) continue
      this.#calls.set(id, {
        toolUseId: id,
        place,
        timestamp: stringAt(raw, 'timestamp') ?? null,
        prompt: textAt(input, 'prompt') ?? null,
        description: textAt(input, 'description') ?? textAt(input, 'name') ?? null,
        type: textAt(input, 'subagent_type') ?? null,
        agentId: null,
        agentIdFrom: null,
        run: null,
        reported: NO_REPORT,
      })
    }
  }

  #addUser(raw: JsonObject): void {
    for (const { toolUseId, isError, content } of toolResultsOf(raw)) {
      const call = this.#calls.get(toolUseId)
      if (!call) continue
      const result = objectAt(raw, 'toolUseResult')
      const agentId = textAt(result, 'agentId')
      const isAsync = booleanAt(result, 'isAsync') === true || stringAt(result, 'status') === 'async_launched'
      this.#calls.set(toolUseId, {
        ...call,
        type: call.type ?? textAt(result, 'agentType') ?? null,
        run: textAt(result, 'runId') ?? null,
        ...(agentId === undefined ? {} : { agentId, agentIdFrom: 'result' as const }),
        reported: {
          status: textAt(result, 'status') ?? (isError ? 'error' : null),
          durationMs: numberAt(result, 'totalDurationMs') ?? null,
          tokens: numberAt(result, 'totalTokens') ?? null,
          toolUses: numberAt(result, 'totalToolUseCount') ?? null,
          result: isAsync ? null : joinText(content) || null,
          isError,
        },
      })
    }
    this.#addNotification(textOf(raw))
  }

  #addProgress(raw: JsonObject): void {
    const data = objectAt(raw, 'data')
    const call = this.#calls.get(stringAt(raw, 'parentToolUseID') ?? '')
    const agentId = textAt(data, 'agentId')
    if (!call || call.agentId !== null || agentId === undefined) return
    this.#calls.set(call.toolUseId, { ...call, agentId, agentIdFrom: 'progress' })
  }

  /** Background agents report when they are done, and may do so several times: the last word stands. */
  #addNotification(text: string): void {
    if (!text.startsWith('<task-notification>')) return
    const call = this.#calls.get(taggedText(text, 'tool-use-id')?.trim() ?? '')
    if (!call) return
    const status = taggedText(text, 'status')?.trim() ?? call.reported.status
    this.#calls.set(call.toolUseId, {
      ...call,
      reported: {
        status,
        durationMs: taggedNumber(text, 'duration_ms') ?? call.reported.durationMs,
        tokens: taggedNumber(text, 'subagent_tokens') ?? call.reported.tokens,
        toolUses: taggedNumber(text, 'tool_uses') ?? call.reported.toolUses,
        result: taggedText(text, 'result')?.trim() ?? call.reported.result,
        isError: status === 'failed' || status === 'error',
      },
    })
  }
}

function taggedNumber(text: string, name: string): number | undefined {
  const value = Number(taggedText(text, name) ?? Number.NaN)
  return Number.isFinite(value) ? value : undefined
}
