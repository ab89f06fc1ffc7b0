import { booleanAt, fieldAt, type JsonObject, objectAt, stringAt, textAt } from '../core/json.ts'
import { blocksOf, joinText, preview, toBlocks } from '../core/log/content.ts'
import type { LogRecord } from '../core/log/record.ts'
import { meaningOf } from '../core/tools/meaning-of.ts'
import { outcomeOf, UNANSWERED } from '../core/tools/tool-call.ts'
import { toolWords } from '../core/tools/tool-words.ts'

/** What a step can be. */
export type StepType = 'user_message' | 'assistant_message' | 'tool_call' | 'tool_result'

/** One block of a conversation: something said, a tool that was called, or what it gave back. */
export interface Step {
  /** Counted from 1 in the order of the log: a log that only grows keeps the numbers it has. */
  readonly stepId: number
  readonly sessionId: string
  readonly rawUuid: string | null
  readonly parentUuid: string | null
  readonly type: StepType
  readonly timestamp: string | null
  /** Its first 200 characters. */
  readonly summary: string
  toolCall: StepCall | null
}

export interface StepCall {
  readonly toolUseId: string
  readonly name: string | null
  /** `success`, `error`, or `pending` while nothing has come back. */
  readonly status: string
  readonly durationMs: number | null
}

/** A call that was made. */
interface KnownCall {
  readonly step: Step
  readonly name: string | null
  isAnswered: boolean
}

/**
 * Makes steps of the rows of a session. Left out, as frago has it: whatever is no user or assistant row (snapshots, queue
 * operations, summaries, system rows), sidechains (but in the log of an agent, which is one), and blocks that are neither text, image nor tool. A row that stands in the
 * log twice is one.
 */
export class StepFold {
  readonly steps: Step[] = []
  readonly #session: string
  readonly #isAgent: boolean
  readonly #mask: (text: string) => string
  readonly #seen = new Set<string>()
  readonly #calls = new Map<string, KnownCall>()

  constructor(
    { session, isAgent }: { readonly session: string; readonly isAgent: boolean },
    mask: (text: string) => string,
  ) {
    this.#session = session
    this.#isAgent = isAgent
    this.#mask = mask
  }

  #isOthers(raw: JsonObject): boolean {
    return !this.#isAgent && booleanAt(raw, 'isSidechain') === true
  }

  add({ raw, type }: LogRecord): void {
    if ((type !== 'user' && type !== 'assistant') || this.#isOthers(raw)) return
    const uuid = textAt(raw, 'uuid') ?? null
    if (uuid !== null && this.#seen.has(uuid)) return
    if (uuid !== null) this.#seen.add(uuid)
    for (const block of blocksOf(raw)) {
      const made = type === 'user' ? this.#userStep(raw, block) : this.#assistantStep(raw, block)
      if (!made) continue
      this.steps.push(made)
      const { toolCall } = made
      if (made.type !== 'tool_call' || !toolCall || this.#calls.has(toolCall.toolUseId)) continue
      this.#calls.set(toolCall.toolUseId, { step: made, name: toolCall.name, isAnswered: false })
    }
  }

  #userStep(raw: JsonObject, block: JsonObject): Step | undefined {
    const type = stringAt(block, 'type')
    if (type === 'image') return this.#step(raw, 'user_message', '[image]')
    if (type === 'text') return this.#said(raw, 'user_message', block)
    if (type !== 'tool_result') return undefined
    const toolUseId = stringAt(block, 'tool_use_id') ?? ''
    const status = booleanAt(block, 'is_error') ? 'error' : 'success'
    const call = this.#calls.get(toolUseId)
    const { durationMs } = outcomeOf(call?.name ?? '', toolUseId, call?.step.timestamp ?? null, raw)
    const answer = { toolUseId, name: call?.name ?? null, status, durationMs }
    if (call && !call.isAnswered) {
      call.isAnswered = true
      call.step.toolCall = answer
    }
    const content = toBlocks(fieldAt(block, 'content'))
    const hasImage = content.some((part) => stringAt(part, 'type') === 'image')
    return this.#step(raw, 'tool_result', joinText(content) || (hasImage ? '[image]' : ''), answer)
  }

  #assistantStep(raw: JsonObject, block: JsonObject): Step | undefined {
    const type = stringAt(block, 'type')
    if (type === 'text') return this.#said(raw, 'assistant_message', block)
    if (type !== 'tool_use' && type !== 'server_tool_use' && type !== 'mcp_tool_use') return undefined
    const name = stringAt(block, 'name') ?? 'unknown'
    const meaning = meaningOf({ ...UNANSWERED, name, input: objectAt(block, 'input') ?? {} })
    const words = toolWords(name, meaning, (path) => path).what
    const call = { toolUseId: stringAt(block, 'id') ?? '', name: this.#mask(name), status: 'pending', durationMs: null }
    return this.#step(raw, 'tool_call', words === '' ? name : `${name}: ${words}`, call)
  }

  #said(raw: JsonObject, type: StepType, block: JsonObject): Step | undefined {
    const text = stringAt(block, 'text') ?? ''
    return text.trim() === '' ? undefined : this.#step(raw, type, text)
  }

  #step(raw: JsonObject, type: StepType, text: string, toolCall: StepCall | null = null): Step {
    return {
      stepId: this.steps.length + 1,
      sessionId: this.#session,
      rawUuid: textAt(raw, 'uuid') ?? null,
      parentUuid: textAt(raw, 'parentUuid') ?? null,
      type,
      timestamp: textAt(raw, 'timestamp') ?? null,
      // Masked before it is cut: half a secret would not be found.
      summary: preview(this.#mask(text), SUMMARY_LENGTH),
      toolCall,
    }
  }
}

const SUMMARY_LENGTH = 200
