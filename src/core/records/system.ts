import { type Properties, type Static, Type } from '../schema.ts'
import { envelope } from './envelope.ts'
import {
  boolean,
  loose,
  nullable,
  nullableString,
  number,
  optional,
  string,
  strings,
  unknown,
  variants,
} from './shape.ts'

const base = {
  type: Type.Literal('system'),
  ...envelope,
  ...optional({ content: string, level: string, isMeta: boolean, toolUseID: string, preventContinuation: boolean }),
}

function subtype<S extends string, P extends Properties>(name: S, properties: P) {
  return Type.Object({ subtype: Type.Literal(name), ...base, ...properties })
}

const compactMetadata = Type.Object({
  trigger: string,
  preTokens: number,
  ...optional({
    postTokens: number,
    durationMs: number,
    cumulativeDroppedTokens: number,
    messagesSummarized: number,
    userContext: string,
    preservedSegment: Type.Object({ headUuid: string, anchorUuid: string, tailUuid: string }),
    preservedMessages: Type.Object({ anchorUuid: string, uuids: strings, ...optional({ allUuids: strings }) }),
    preCompactDiscoveredTools: strings,
    runningTurnPrompt: unknown,
  }),
})

const microcompactMetadata = Type.Object({
  trigger: string,
  preTokens: number,
  tokensSaved: number,
  ...optional({ compactedToolIds: strings, clearedAttachmentUUIDs: strings }),
})

const refusal = optional({
  requestId: nullableString,
  originalModel: string,
  fallbackModel: string,
  direction: string,
  trigger: string,
  apiRefusalCategory: nullableString,
  apiRefusalExplanation: nullableString,
  refusedUserMessageUuid: nullableString,
  retractedMessageUuids: strings,
})

/** Kinds of row that the client's code names and whose fields we have never seen. */
const named = loose({
  subtype: Type.Enum([
    'away_summary',
    'memory_saved',
    'agents_killed',
    'bridge_status',
    'permission_retry',
    'scheduled_task_fire',
    'file_snapshot',
    'thinking',
    'model_fallback',
    'model_consent_fallback',
    'per_turn_effort_changed',
    'rewind_stand_in',
    'read_divider',
    'post_tool_hook_feedback',
    'error',
  ]),
  ...base,
})

/** A row of type `system`: something the client noted between messages. Rows of 1.0.x may have no subtype. */
export const system = variants('subtype', [
  Type.Object(base),
  subtype('compact_boundary', optional({ compactMetadata })),
  subtype('microcompact_boundary', optional({ microcompactMetadata })),
  subtype('api_error', {
    // 2.1.112 and before: the raw error with headers and cause; later a digest of it.
    error: loose(optional({ status: nullable(number), message: string, formatted: string })),
    ...optional({ cause: unknown, retryInMs: number, retryAttempt: number, maxRetries: number, source: string }),
  }),
  subtype('informational', {}),
  subtype(
    'local_command',
    optional({ commandRun: Type.Object({ command: string, ...optional({ args: string }) }), contextUsage: unknown }),
  ),
  subtype('stop_hook_summary', {
    hookCount: number,
    hookInfos: Type.Array(loose(optional({ command: string, durationMs: number }))),
    hookErrors: Type.Array(unknown),
    preventedContinuation: boolean,
    ...optional({ stopReason: string, hasOutput: boolean, hookAdditionalContext: Type.Array(unknown) }),
  }),
  subtype('turn_duration', {
    durationMs: number,
    ...optional({
      messageCount: number,
      pendingBackgroundAgentCount: number,
      pendingWorkflowCount: number,
      budgetTokens: number,
      budgetLimit: number,
      budgetNudges: number,
    }),
  }),
  subtype('model_refusal_no_fallback', refusal),
  subtype('model_refusal_fallback', refusal),
  named,
])

/** A system row as it stands in a log. */
export type SystemRow = Static<typeof system>
