import {
  arrayAt,
  booleanAt,
  fieldAt,
  isObject,
  type JsonObject,
  type JsonValue,
  numberAt,
  objectAt,
  objectsAt,
  stringAt,
} from '../core/json.ts'
import { humanText } from '../core/log/content.ts'
import { isTreeType, type RowKind, rowKind } from '../core/log/row-kind.ts'
import { fileOf } from '../core/tools/tool-call.ts'
import type { ClientNames } from './client-names.ts'

/** What a skeleton may say beyond facts. */
export interface SkeletonOptions {
  /** A path as it may leave; `undefined` where it may not. */
  readonly path: (path: string) => string | undefined
  /** The text of a prompt as it may leave; absent where no text may. */
  readonly prompt?: ((text: string) => string) | undefined
  /** Names of tools and kinds of agents as they may leave. */
  readonly names: ClientNames
}

type Made = Record<string, JsonValue>

/**
 * A record without its content: the same type and ids, times, models, tokens, names of tools, and nothing else. It is a list
 * of what stays: a field that a client adds tomorrow does not leave. What it gives is a record of the same format.
 */
export function skeletonOf(raw: JsonObject, options: SkeletonOptions): JsonObject {
  const type = nameAt(raw, 'type')
  const kind = isTreeType(type) ? rowKind(raw, type) : undefined
  const made: Made = {}
  if (type !== undefined) made.type = type
  copy(made, raw, NAMES, nameAt)
  copy(made, raw, ['agentId'], agentAt(options))
  copy(made, raw, FLAGS, booleanAt)
  copy(made, raw, COUNTS, numberAt)
  // A row without a parent says so by null: it begins its tree.
  for (const key of ['parentUuid', 'logicalParentUuid']) if (fieldAt(raw, key) === null) made[key] = null
  copy(made, raw, ['timestamp'], timeAt)
  for (const key of PATHS) {
    const path = stringAt(raw, key)
    const given = path === undefined ? undefined : options.path(path)
    if (given !== undefined) made[key] = given
  }
  part(made, raw, 'forkedFrom', (from) => named(from, ['sessionId', 'messageUuid']))
  part(made, raw, 'origin', (from) => named(from, ['kind']))
  part(made, raw, 'compactMetadata', compaction)
  part(made, raw, 'attachment', (from) => attachment(from, kind, options))
  part(made, raw, 'message', (from) => message(raw, from, kind, options))
  part(made, raw, 'toolUseResult', (from) => toolUseResult(from, options))
  if (type === 'system' && kind !== 'system' && TAGS.has(kind as RowKind)) made.content = tagOf(kind)
  return made
}

/** A line of the prompt history: when and where something was asked; the text only where prompts may leave. */
export function historySkeleton(raw: JsonObject, { path, prompt }: SkeletonOptions): JsonObject {
  const made: Made = {}
  const display = stringAt(raw, 'display')
  if (display !== undefined) made.display = prompt?.(display) ?? ''
  copy(made, raw, ['timestamp'], numberAt)
  copy(made, raw, ['sessionId'], nameAt)
  const project = stringAt(raw, 'project')
  const given = project === undefined ? undefined : path(project)
  if (given !== undefined) made.project = given
  return made
}

/** The description of an agent, without what it was asked. */
export function metaSkeleton(raw: JsonObject, options: SkeletonOptions): JsonObject {
  const made: Made = {}
  copy(made, raw, ['agentType'], typeAt(options))
  copy(made, raw, ['toolUseId', 'model'], nameAt)
  copy(made, raw, ['parentAgentId'], agentAt(options))
  return made
}

const NAMES = [
  'uuid',
  'parentUuid',
  'logicalParentUuid',
  'sessionId',
  'session_id',
  'version',
  'userType',
  'entrypoint',
  'requestId',
  'subtype',
  'level',
  'messageId',
  'leafUuid',
  'toolUseID',
  'parentToolUseID',
  'sourceToolAssistantUUID',
  'sourceToolUseID',
  'promptId',
  'promptSource',
  'operation',
  'permissionMode',
  'mode',
  'error',
  'apiErrorType',
  'effort',
  'requestedModel',
]
const FLAGS = [
  'isSidechain',
  'isMeta',
  'isCompactSummary',
  'isVisibleInTranscriptOnly',
  'isApiErrorMessage',
  'isSnapshotUpdate',
  'apiErrorIsTransient',
  'isAbortedMidStream',
  'sandboxed',
]
const COUNTS = [
  'durationMs',
  'apiErrorStatus',
  'apiBlockIndex',
  'retryInMs',
  'retryAttempt',
  'maxRetries',
  'messageCount',
  'hookCount',
  'thinkingDurationMs',
  'costUSD',
]
const PATHS = ['cwd', 'gitBranch']

/** A word of the format: ids, models, versions. Anything that could be a sentence is not one. */
function nameAt(value: unknown, key: string): string | undefined {
  const text = stringAt(value, key)
  return text !== undefined && NAME.test(text) ? text : undefined
}

const NAME = /^[\w.:@+<>[\]-]{1,128}$/

/** The name of a tool, or of a kind of agent. */
function toolAt({ names }: SkeletonOptions) {
  return (value: unknown, key: string) => {
    const name = nameAt(value, key)
    return name === undefined ? undefined : names.tool(name)
  }
}

function typeAt({ names }: SkeletonOptions) {
  return (value: unknown, key: string) => {
    const name = nameAt(value, key)
    return name === undefined ? undefined : names.agentType(name)
  }
}

/** The id of an agent. One that is no number was named by somebody, and is told as a path is. */
function agentAt({ path }: SkeletonOptions) {
  return (value: unknown, key: string) => {
    const id = nameAt(value, key)
    return id === undefined || AGENT_ID.test(id) ? id : path(id)
  }
}

/** Ids that the client makes at random. */
export const AGENT_ID = /^[0-9a-f-]{1,40}$/

function timeAt(value: unknown, key: string): string | undefined {
  const text = stringAt(value, key)
  return text !== undefined && /^[\dT:.Z+-]{10,40}$/.test(text) ? text : undefined
}

function copy(
  into: Made,
  from: unknown,
  keys: readonly string[],
  read: (value: unknown, key: string) => JsonValue | undefined,
): void {
  for (const key of keys) {
    const value = read(from, key)
    if (value !== undefined) into[key] = value
  }
}

function part(into: Made, from: JsonObject, key: string, make: (value: JsonObject) => JsonObject): void {
  const value = objectAt(from, key)
  if (value) into[key] = make(value)
}

function named(from: JsonObject, keys: readonly string[]): Made {
  const made: Made = {}
  copy(made, from, keys, nameAt)
  return made
}

function counted(from: JsonObject, keys: readonly string[]): Made {
  const made: Made = {}
  copy(made, from, keys, numberAt)
  return made
}

function compaction(from: JsonObject): JsonObject {
  const made = counted(from, ['preTokens', 'postTokens', 'durationMs', 'messagesSummarized'])
  copy(made, from, ['trigger'], nameAt)
  part(made, from, 'preservedSegment', (it) => named(it, ['headUuid', 'anchorUuid', 'tailUuid']))
  part(made, from, 'preservedMessages', (it) => {
    const uuids = arrayAt(it, 'uuids').filter((uuid) => typeof uuid === 'string' && NAME.test(uuid))
    return { ...named(it, ['anchorUuid']), uuids }
  })
  return made
}

function attachment(from: JsonObject, kind: RowKind | undefined, options: SkeletonOptions): JsonObject {
  const made: Made = { ...named(from, ['type', 'commandMode']) }
  part(made, from, 'origin', (it) => named(it, ['kind']))
  if (fieldAt(from, 'prompt') === undefined) return made
  const prompt = fieldAt(from, 'prompt')
  const text = typeof prompt === 'string' ? prompt : ''
  made.prompt = kind === 'queued-prompt' && options.prompt ? options.prompt(text) : tagOf(kind)
  return made
}

function message(raw: JsonObject, from: JsonObject, kind: RowKind | undefined, options: SkeletonOptions): JsonObject {
  const made: Made = { ...named(from, ['id', 'type', 'role', 'model', 'stop_reason']) }
  if (fieldAt(from, 'stop_reason') === null) made.stop_reason = null
  part(made, from, 'usage', usage)
  const content = fieldAt(from, 'content')
  const isPrompt = kind === 'prompt' && options.prompt !== undefined
  const words = isPrompt ? options.prompt?.(humanText(raw)) : tagOf(kind)
  if (typeof content === 'string') made.content = words ?? ''
  else if (Array.isArray(content)) {
    let isFirst = true
    made.content = content.filter(isObject).map((block) => {
      const isText = stringAt(block, 'type') === 'text'
      const text = isText && isFirst ? (words ?? '') : ''
      if (isText) isFirst = false
      return blockOf(block, text, options)
    })
  }
  return made
}

function blockOf(block: JsonObject, text: string, options: SkeletonOptions): JsonObject {
  const made: Made = { ...named(block, ['type', 'id', 'tool_use_id']) }
  copy(made, block, ['name', 'tool_name'], toolAt(options))
  copy(made, block, ['is_error'], booleanAt)
  if (made.type === 'text') made.text = text
  if (made.type === 'thinking') made.thinking = ''
  const input = objectAt(block, 'input')
  if (input) made.input = inputOf(input, options)
  const content = fieldAt(block, 'content')
  if (typeof content === 'string') made.content = ''
  else if (Array.isArray(content)) {
    made.content = content.filter(isObject).map((one) => {
      const inner: Made = { ...named(one, ['type']) }
      copy(inner, one, ['tool_name'], toolAt(options))
      if (inner.type === 'text') inner.text = ''
      return inner
    })
  }
  return made
}

/** Of what a tool was given, the file it is about and which agent it starts. */
function inputOf(input: JsonObject, options: SkeletonOptions): JsonObject {
  const made: Made = {}
  copy(made, input, ['subagent_type'], typeAt(options))
  copy(made, input, ['run_in_background'], booleanAt)
  const file = fileOf(input)
  const given = file === null ? undefined : options.path(file)
  if (given !== undefined) made.file_path = given
  return made
}

function usage(from: JsonObject): JsonObject {
  const made = counted(from, [
    'input_tokens',
    'output_tokens',
    'cache_creation_input_tokens',
    'cache_read_input_tokens',
  ])
  copy(made, from, ['service_tier', 'inference_geo', 'speed'], nameAt)
  part(made, from, 'cache_creation', (it) => counted(it, ['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens']))
  part(made, from, 'server_tool_use', (it) => counted(it, ['web_search_requests', 'web_fetch_requests']))
  part(made, from, 'output_tokens_details', (it) => counted(it, ['thinking_tokens']))
  return made
}

/** What a tool gave back, without it: how long it took, how much it was, whether it was cut short. */
function toolUseResult(from: JsonObject, options: SkeletonOptions): JsonObject {
  const made = counted(from, [
    'durationMs',
    'durationSeconds',
    'totalDurationMs',
    'totalTokens',
    'totalToolUseCount',
    'numFiles',
    'numLines',
    'numMatches',
    'bytes',
    'code',
  ])
  copy(made, from, ['type', 'status', 'backgroundTaskId'], nameAt)
  copy(made, from, ['agentId'], agentAt(options))
  copy(made, from, ['agentType'], typeAt(options))
  copy(made, from, ['interrupted', 'isImage', 'truncated', 'isAsync', 'userModified'], booleanAt)
  part(made, from, 'usage', usage)
  if (Array.isArray(fieldAt(from, 'structuredPatch'))) {
    made.structuredPatch = objectsAt(from, 'structuredPatch').map((hunk) => ({
      ...counted(hunk, ['oldStart', 'oldLines', 'newStart', 'newLines']),
      lines: [],
    }))
  }
  return made
}

/** The words by which the client itself marks a kind of row: with them, whoever reads the skeleton finds the same kind. */
function tagOf(kind: RowKind | undefined): string {
  return (kind && TAGS.get(kind)) ?? ''
}

const TAGS: ReadonlyMap<RowKind, string> = new Map([
  ['command', '<command-name></command-name>'],
  ['command-output', '<local-command-stdout></local-command-stdout>'],
  ['bash-input', '<bash-input></bash-input>'],
  ['bash-output', '<bash-stdout></bash-stdout>'],
  ['notification', '<task-notification></task-notification>'],
  ['automated', '<channel></channel>'],
  ['interrupt', '[Request interrupted by user]'],
  ['warmup', 'Warmup'],
])
