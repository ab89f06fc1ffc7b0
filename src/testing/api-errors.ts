import type { JsonObject } from '../core/json.ts'
import type { Generation } from './generation.ts'
import type { ApiErrorKind, ApiErrorOptions } from './steps.ts'
import { pass, pushTree, type Thread } from './thread.ts'

const FACTS: Readonly<Record<ApiErrorKind, { readonly status: number; readonly type: string; readonly says: string }>> =
  {
    rate_limit: { status: 429, type: 'rate_limit_error', says: 'This request would exceed your rate limit' },
    overloaded: { status: 529, type: 'overloaded_error', says: 'Overloaded' },
    authentication_failed: { status: 401, type: 'authentication_error', says: 'Invalid authentication credentials' },
    invalid_request: { status: 400, type: 'invalid_request_error', says: 'The prompt is too long' },
    server_error: { status: 500, type: 'api_error', says: 'Internal server error' },
    billing_error: { status: 402, type: 'billing_error', says: 'Your credit balance is too low' },
  }

/** An answer that the client made up because the request failed, after rows for its retries (2.1.290 and up). */
export function pushApiError(thread: Thread, kind: ApiErrorKind, options: ApiErrorOptions): void {
  const { session } = thread
  const { generation, ids } = session
  const { status, type, says } = FACTS[kind]
  const requestId = ids.requestId()
  const body = JSON.stringify({ type: 'error', error: { type, message: says }, request_id: requestId })
  const retries = generation.turnPosition ? (options.retries ?? 1) : 0
  for (let attempt = 1; attempt <= retries; attempt++) {
    pass(thread, 800)
    pushTree(thread, {
      body: {
        type: 'system',
        subtype: 'api_error',
        level: 'error',
        error: { message: `${status} ${body}`, status, requestId, formatted: `${status} ${says}`, ...NO_CONNECTION },
        retryInMs: 500 * attempt,
        retryAttempt: attempt,
        maxRetries: retries,
        source: 'request_retry',
      },
    })
  }
  pass(thread, 800)
  const told = generation.promptSource ? `API Error: ${status} ${says}.` : `API Error: ${status} ${body}`
  pushTree(thread, {
    body: { type: 'assistant' },
    after: {
      ...(!generation.linePerBlock && { costUSD: 0, durationMs: 0 }),
      message: syntheticMessage(generation, ids.uuid(), options.text ?? told),
      ...(generation.promptSource && { requestId }),
      ...(generation.resultsHangOnCalls && { error: errorName(thread, kind) }),
      isApiErrorMessage: true,
      ...(generation.agentResultsTyped && { apiErrorStatus: status }),
      ...(generation.turnPosition && { apiErrorType: type, madeBy: 'model' }),
    },
  })
}

const NO_CONNECTION = { connection: null, isNetworkDown: false, rateLimits: null, noResponse: null }

/** A message that no model wrote. */
function syntheticMessage(generation: Generation, id: string, text: string): JsonObject {
  const { usage, promptSource, agentPlace } = generation
  return {
    id,
    container: null,
    model: '<synthetic>',
    role: 'assistant',
    stop_reason: 'stop_sequence',
    stop_sequence: '',
    type: 'message',
    usage: {
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
      service_tier: null,
      cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
      ...(usage !== 'plain' && { inference_geo: null, iterations: null, speed: null }),
      ...(usage === 'full' && { output_tokens_details: null, fallback_credit: null }),
    },
    content: [{ type: 'text', text }],
    ...(promptSource && { stop_details: null }),
    ...(agentPlace !== 'inline' && { context_management: null }),
  }
}

/** Older clients called most errors unknown, and newer ones an overload an error of the server. */
function errorName(thread: Thread, kind: ApiErrorKind): string {
  const { generation } = thread.session
  if (!generation.agentResultsTyped) return 'unknown'
  return kind === 'overloaded' ? 'server_error' : kind
}
