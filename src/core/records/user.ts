import { type Static, Type } from '../schema.ts'
import { contentBlock } from './content.ts'
import { envelope } from './envelope.ts'
import { boolean, loose, number, optional, string, strings, unknown } from './shape.ts'
import { todo } from './todo.ts'
import { toolUseResult } from './tool-results.ts'

/** 2.0.x: `level`, `disabled`, `triggers`; 2.1.x: `maxThinkingTokens`. */
const thinkingMetadata = Type.Object(
  optional({ level: string, disabled: boolean, triggers: Type.Array(unknown), maxThinkingTokens: number }),
)

/** Where a prompt came from: `kind` is human, task-notification, coordinator, peer, channel and others. */
const origin = loose({ kind: string, ...optional({ producer: string, runId: string }) })

const permissionDecision = loose({
  decision: string,
  ...optional({ source: string, reasonType: string, reasonCode: string, grantScope: string }),
})

/** A row of type `user`: a prompt, a tool result, a command, or text the client injected. */
export const user = Type.Object({
  type: Type.Literal('user'),
  ...envelope,
  message: Type.Object({ role: string, content: Type.Union([string, Type.Array(contentBlock)]) }),
  ...optional({
    // tool results
    toolUseResult,
    sourceToolAssistantUUID: string,
    sourceToolUseID: string,
    permissionDecision,
    toolDenialKind: string,
    toolEndsTurn: boolean,
    sandboxed: boolean,
    mcpMeta: unknown,
    // what kind of text it is
    isMeta: boolean,
    isCompactSummary: boolean,
    isVisibleInTranscriptOnly: boolean,
    turnCompanion: boolean,
    interruptedMessageId: string,
    summarizeMetadata: Type.Object(
      optional({ messagesSummarized: number, direction: string, userContext: string, feedback: string }),
    ),
    summarizedTurnPromptUuids: strings,
    planContent: string,
    refusedMessageId: string,
    userFeedback: unknown,
    classifierMetaLines: unknown,
    stackedExpansion: unknown,
    stackedOriginalInput: unknown,
    // where it came from
    promptId: string,
    promptSource: string,
    permissionMode: string,
    origin,
    turnOrigin: string,
    turnPosition: Type.Object(optional({ promptIndex: number, turnIndex: number })),
    imagePasteIds: Type.Array(number),
    queueSkipAttachments: boolean,
    queuePriority: string,
    // 2.0.6x to 2.1.6x
    thinkingMetadata,
    todos: Type.Array(todo),
  }),
})

/** A user row as it stands in a log. */
export type UserRow = Static<typeof user>
