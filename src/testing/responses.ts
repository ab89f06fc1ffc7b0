import { type JsonObject, numberAt } from '../core/json.ts'
import type { Generation } from './generation.ts'
import type { AnswerOptions, Usage } from './steps.ts'
import { iso, isTerminal, type ModelTotals, pass, pushPlain, pushTree, type Thread } from './thread.ts'

/** The lines of one response, once written. */
export interface WrittenResponse {
  readonly messageId: string
  readonly usage: JsonObject
  /** The line of each block; all the same where a response is one line. */
  readonly lines: readonly string[]
}

/** Keeps a response open, since tool calls that come next belong to it; one with a stop reason is closed at once. */
export function openResponse(thread: Thread, blocks: readonly JsonObject[], options: AnswerOptions): void {
  settle(thread)
  const { thinking } = options
  const first = thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: 'bWFkZSB1cA==' }]
  thread.response = { blocks: [...first, ...blocks], options }
  if (options.stopReason !== undefined) settle(thread)
}

/** Writes the open response, if there is one, as the end of its turn. */
export function settle(thread: Thread): void {
  if (thread.response === undefined) return
  const { options } = thread.response
  const stopReason = options.stopReason === undefined ? 'end_turn' : options.stopReason
  closeResponse(thread, [], stopReason)
  if (stopReason !== 'tool_use') endTurn(thread)
}

/** Writes the open response (or a new one) together with the calls that end it. */
export function closeResponse(
  thread: Thread,
  calls: readonly JsonObject[],
  stopReason: string | null,
): WrittenResponse {
  const { blocks, options } = thread.response ?? { blocks: [], options: {} }
  thread.response = undefined
  return writeResponse(thread, [...blocks, ...calls], stopReason, options)
}

function writeResponse(
  thread: Thread,
  blocks: readonly JsonObject[],
  stopReason: string | null,
  options: AnswerOptions,
): WrittenResponse {
  const { session } = thread
  const { generation, ids } = session
  const model = options.model ?? generation.model
  const messageId = options.messageId ?? ids.messageId()
  const requestId = options.requestId === undefined ? ids.requestId() : options.requestId
  const startedAt = thread.now
  const usage = usageOf(thread, blocks, options.usage ?? {})
  const requestRef = pushRequest(thread, model)
  const groups = (options.streamed ?? generation.linePerBlock) ? blocks.map((block) => [block]) : [blocks]
  const lines = groups.flatMap((content, index) => {
    const isLast = index === groups.length - 1
    const early = options.placeholder === 'all' || (options.placeholder === true && !isLast)
    const unfinished = early || (generation.flushesEarly && !isLast)
    pass(thread, 1_500)
    const message = {
      id: messageId,
      type: 'message',
      role: 'assistant',
      model,
      content,
      stop_reason: unfinished ? null : stopReason,
      stop_sequence: null,
      usage: early ? { ...usage, output_tokens: 3 } : usage,
      ...(generation.promptSource && { stop_details: null }),
    }
    const uuid = pushTree(thread, {
      body: {
        message,
        ...(generation.turnPosition && { apiBlockIndex: index }),
        ...(generation.linePerBlock && requestId !== null && { requestId }),
        ...(requestRef !== undefined && { requestRef }),
        ...(!generation.linePerBlock && { costUSD: 0.0123, durationMs: thread.now - startedAt }),
        ...(generation.turnPosition && { requestedModel: model, promptCacheRequested: '5m' }),
        ...(generation.promptSource && thread.agent !== undefined && { attributionAgent: thread.agent.type }),
        type: 'assistant',
      },
      after: answerFields(thread),
    })
    return content.map(() => uuid)
  })
  spend(thread, model, usage)
  return { messageId, usage, lines }
}

/** The row of a request, without what was sent; gives the id by which its answer names it. */
function pushRequest(thread: Thread, model: string): string | undefined {
  const { sessionId, generation, ids, requests } = thread.session
  if (!requests || !generation.requestRows) return undefined
  const id = ids.uuid()
  const agentId = thread.agent?.id === undefined ? {} : { agentId: thread.agent.id }
  pushPlain(thread, {
    type: 'api-request',
    sessionId,
    ...agentId,
    id,
    timestamp: iso(thread.now),
    version: generation.version,
    querySource: thread.agent === undefined ? 'repl_main_thread' : 'agent',
    shapeHash: ids.hex(64),
    params: { model, max_tokens: 64_000 },
    keep: 0,
    tail: [ids.hex(64)],
    cacheControl: [],
    requestDigest: ids.hex(64),
  })
  return id
}

/** Rows with which the client ends a turn. */
export function endTurn(thread: Thread): void {
  const { session } = thread
  const { generation, sessionId } = session
  if (thread.agent !== undefined || thread.turns === 0) return
  if (generation.turnDuration && isTerminal(session)) {
    const durationMs = thread.now - thread.turnStartedAt
    pushTree(thread, {
      body: { type: 'system', subtype: 'turn_duration', durationMs, messageCount: thread.parents.size },
      after: { isMeta: false },
    })
  }
  stampTail(thread, sessionId)
}

/** Settings that the client writes again and again, so that reading a log's end finds them. */
function stampTail(thread: Thread, sessionId: string): void {
  const { session } = thread
  const { lastPrompt, agentName } = session.generation
  const text = thread.prompts.at(-1)?.text.replaceAll('\n', ' ').slice(0, 200)
  if (lastPrompt !== 'none') {
    const leaf = lastPrompt === 'leaf' && thread.parent !== null ? { leafUuid: thread.parent } : {}
    pushPlain(thread, { type: 'last-prompt', ...(text !== undefined && { lastPrompt: text }), ...leaf, sessionId })
  }
  if (session.title === undefined || lastPrompt === 'none') return
  pushPlain(thread, { type: 'custom-title', customTitle: session.title, sessionId })
  if (agentName) pushPlain(thread, { type: 'agent-name', agentName: session.title, sessionId })
}

function answerFields(thread: Thread): JsonObject {
  const { session } = thread
  if (!session.generation.turnPosition) return {}
  const process = isTerminal(session) && thread.agent === undefined ? { session_id: session.processId } : {}
  return { effort: 'medium', perTurnEffort: 'medium', madeBy: 'model', ...process }
}

function usageOf(thread: Thread, blocks: readonly JsonObject[], given: Usage): JsonObject {
  const { ids, generation } = thread.session
  const inputTokens = given.inputTokens ?? 4 + ids.below(20)
  const outputTokens = given.outputTokens ?? 12 + Math.ceil(JSON.stringify(blocks).length / 4)
  const cacheReadTokens = given.cacheReadTokens ?? thread.contextTokens
  const write5m = given.cacheWrite5mTokens ?? 180 + ids.below(1_200)
  const write1h = given.cacheWrite1hTokens ?? 0
  thread.contextTokens += inputTokens + outputTokens + write5m + write1h
  return usageFields(generation, {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWrite5mTokens: write5m,
    cacheWrite1hTokens: write1h,
    webSearches: given.webSearches ?? 0,
    fields: given.fields ?? {},
  })
}

function usageFields(generation: Generation, usage: Required<Usage>): JsonObject {
  const { cacheWrite5mTokens, cacheWrite1hTokens } = usage
  const tokens = {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: cacheWrite5mTokens + cacheWrite1hTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
  }
  const writes = { ephemeral_5m_input_tokens: cacheWrite5mTokens, ephemeral_1h_input_tokens: cacheWrite1hTokens }
  const output = { output_tokens: usage.outputTokens }
  const searches = { server_tool_use: { web_search_requests: usage.webSearches, web_fetch_requests: 0 } }
  if (generation.usage === 'plain') {
    const asked = usage.webSearches === 0 ? {} : searches
    return { ...tokens, cache_creation: writes, ...output, ...asked, service_tier: 'standard', ...usage.fields }
  }
  const detailed = generation.usage === 'detailed' || generation.usage === 'full'
  return {
    ...tokens,
    ...output,
    ...(detailed && { output_tokens_details: { thinking_tokens: 0 } }),
    ...searches,
    service_tier: 'standard',
    cache_creation: writes,
    inference_geo: '',
    iterations: [],
    speed: 'standard',
    ...(generation.usage === 'full' && { fallback_credit: null }),
    ...usage.fields,
  }
}

const NOTHING: ModelTotals = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadInputTokens: 0,
  cacheCreationEphemeral5mInputTokens: 0,
  cacheCreationEphemeral1hInputTokens: 0,
  webSearchRequests: 0,
}

/** Keeps the session's own ledger, which `cost-state` rows tell. */
function spend(thread: Thread, model: string, usage: JsonObject): void {
  const before = thread.session.spent.get(model) ?? NOTHING
  thread.session.spent.set(model, {
    inputTokens: before.inputTokens + count(usage, 'input_tokens'),
    outputTokens: before.outputTokens + count(usage, 'output_tokens'),
    cacheReadInputTokens: before.cacheReadInputTokens + count(usage, 'cache_read_input_tokens'),
    cacheCreationEphemeral5mInputTokens:
      before.cacheCreationEphemeral5mInputTokens + count(usage.cache_creation, 'ephemeral_5m_input_tokens'),
    cacheCreationEphemeral1hInputTokens:
      before.cacheCreationEphemeral1hInputTokens + count(usage.cache_creation, 'ephemeral_1h_input_tokens'),
    webSearchRequests: before.webSearchRequests + count(usage.server_tool_use, 'web_search_requests'),
  })
}

function count(value: unknown, key: string): number {
  return numberAt(value, key) ?? 0
}
