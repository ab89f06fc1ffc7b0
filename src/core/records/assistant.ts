import { type Static, Type } from '../schema.ts'
import { contentBlock } from './content.ts'
import { envelope } from './envelope.ts'
import { boolean, nullableNumber, nullableString, number, optional, string, strings, unknown } from './shape.ts'
import { usage } from './usage.ts'

const message = Type.Object({
  id: string,
  type: string,
  role: string,
  model: string,
  content: Type.Array(contentBlock),
  stop_reason: nullableString,
  stop_sequence: nullableString,
  usage,
  ...optional({ container: unknown, context_management: unknown, stop_details: unknown, diagnostics: unknown }),
})

/** A row of type `assistant`: one block of an API response (all of them in 1.0.0), or an error told as a message. */
export const assistant = Type.Object({
  type: Type.Literal('assistant'),
  ...envelope,
  message,
  ...optional({
    requestId: string,
    requestRef: string,
    apiBlockIndex: number,
    isMeta: boolean,
    // 1.0.0
    costUSD: number,
    durationMs: number,
    // errors
    isApiErrorMessage: boolean,
    error: string,
    errorDetails: string,
    apiError: string,
    apiErrorStatus: nullableNumber,
    apiErrorType: nullableString,
    apiErrorIsTransient: boolean,
    failedResponseHadNoToolCall: boolean,
    truncatedAfterOutput: boolean,
    isAbortedMidStream: boolean,
    streamCutCause: string,
    streamCutError: unknown,
    refusingModel: string,
    refusedMessageId: string,
    supersedesUuids: strings,
    healsDistinctCarrier: unknown,
    serverClassifierRequest: unknown,
    // how it was asked for
    effort: nullableString,
    perTurnEffort: nullableString,
    requestedModel: string,
    promptCacheRequested: nullableString,
    thinkingDisplay: string,
    thinkingDurationMs: number,
    toolInputStreamMs: number,
    wireToolInputs: unknown,
    // who made it
    madeBy: string,
    attributionAgent: string,
    attributionSkill: string,
    attributionPlugin: string,
    attributionMcpServer: string,
    attributionMcpTool: string,
  }),
})

/** An assistant row as it stands in a log. */
export type AssistantRow = Static<typeof assistant>
