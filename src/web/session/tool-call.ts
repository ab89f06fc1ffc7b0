import {
  booleanAt,
  type JsonObject,
  type JsonValue,
  numberAt,
  objectAt,
  objectsAt,
  stringAt,
  textAt,
} from '../../core/json.ts'
import { type Hunk, hunksAt } from '../../core/tool-call.ts'

/** A tool call as `read` gives it, with every field in its place. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly input: JsonObject
  /** What the model was given; `null` while nothing has come back. */
  readonly result: string | null
  readonly isError: boolean
  readonly exitCode: number | null
  readonly durationMs: number | null
  readonly images: number
  readonly overflow: string | null
  readonly patch: readonly Hunk[] | null
  readonly agents: readonly AgentLine[]
}

/** An agent as the call that started it tells of it. */
export interface AgentLine {
  readonly id: string
  readonly type: string | null
  readonly description: string | null
  readonly toolUses: number | null
  readonly costUsd: number | null
  readonly failed: string | null
}

/** Reads a tool item. Whatever is missing or odd is empty. */
export function toolCallOf(item: unknown): ToolCall {
  const result = stringAt(item, 'result')
  return {
    id: stringAt(item, 'id') ?? '',
    name: textAt(item, 'name') ?? 'unknown',
    input: objectAt(item, 'input') ?? {},
    result: result === undefined ? null : result.replace(/<\/?tool_use_error>/g, ''),
    isError: booleanAt(item, 'isError') ?? false,
    exitCode: numberAt(item, 'exitCode') ?? null,
    durationMs: numberAt(item, 'durationMs') ?? null,
    images: numberAt(item, 'images') ?? 0,
    overflow: textAt(item, 'overflow') ?? null,
    patch: hunksAt(item, 'patch'),
    agents: objectsAt(item, 'agents').map(agentLineOf),
  }
}

function agentLineOf(agent: JsonObject): AgentLine {
  return {
    id: stringAt(agent, 'id') ?? '',
    type: textAt(agent, 'type') ?? null,
    description: textAt(agent, 'description') ?? null,
    toolUses: numberAt(agent, 'toolUses') ?? null,
    costUsd: numberAt(agent, 'costUsd') ?? null,
    failed: textAt(agent, 'failed') ?? null,
  }
}

/** How a call ended. */
type Ending = 'good' | 'bad' | 'open' | 'declined' | 'interrupted'

/** How a call ended: `open` where nothing has come back. */
export function endingOf({ result, isError, exitCode }: ToolCall): Ending {
  if (result === null) return 'open'
  if (!isError && (exitCode === null || exitCode === 0)) return 'good'
  if (DECLINED.test(result)) return 'declined'
  return INTERRUPTED.test(result) ? 'interrupted' : 'bad'
}

const DECLINED = /^The user doesn't want to (?:proceed|take this action)/
const INTERRUPTED = /\[Request interrupted by user/

/** The text of every part of a call that a person can open, for finding words in it. */
export function textsOf(call: ToolCall): readonly string[] {
  return [...stringsIn(call.input), ...(call.result === null ? [] : [call.result])]
}

const DEEPEST = 12

/** Every string inside a value, down to a depth. */
function stringsIn(value: JsonValue | undefined, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return []
  return Object.values(value).flatMap((inner) => stringsIn(inner, depth + 1))
}
