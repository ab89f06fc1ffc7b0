import type { JsonObject, JsonValue } from '../core/json.ts'

/** What happened in a session, in order: plain data, turned into rows when the log is built. */
export type Step =
  | { readonly do: 'user'; readonly text: string; readonly options: PromptOptions }
  | { readonly do: 'assistant'; readonly blocks: readonly JsonObject[]; readonly options: AnswerOptions }
  | { readonly do: 'calls'; readonly calls: readonly Call[] }
  | { readonly do: 'warmup'; readonly reply: string }
  | { readonly do: 'workflow'; readonly spec: RecordedWorkflow }
  | { readonly do: 'notification'; readonly options: NotificationOptions }
  | { readonly do: 'command'; readonly name: string; readonly options: CommandOptions }
  | { readonly do: 'bash'; readonly input: string; readonly stdout: string; readonly stderr: string }
  | { readonly do: 'queued'; readonly text: string }
  | { readonly do: 'interrupt'; readonly options: InterruptOptions }
  | { readonly do: 'compact'; readonly options: CompactOptions }
  | { readonly do: 'rewind'; readonly to: number }
  | { readonly do: 'title' | 'ai-title'; readonly text: string }
  | { readonly do: 'summary'; readonly text: string; readonly leafUuid: string | undefined }
  | { readonly do: 'api-error'; readonly kind: ApiErrorKind; readonly options: ApiErrorOptions }
  | { readonly do: 'cost-state'; readonly fields: JsonObject }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'cd'; readonly cwd: string; readonly gitBranch: string | undefined }
  | { readonly do: 'upgrade'; readonly version: string }
  | { readonly do: 'resume' }
  | { readonly do: 'raw'; readonly row: JsonObject | ((at: RawPlace) => JsonObject) }
  | { readonly do: 'bytes'; readonly bytes: Uint8Array }

/** Something the model asked for within one response. */
export type Call =
  | { readonly call: 'tool'; readonly spec: ToolSpec }
  | { readonly call: 'agent'; readonly spec: RecordedAgent }
  | { readonly call: 'read'; readonly path: string; readonly content: string }
  | { readonly call: 'read-image'; readonly path: string }
  | { readonly call: 'change'; readonly tool: 'Edit' | 'Write'; readonly path: string; readonly change: FileChange }
  | { readonly call: 'todo'; readonly items: readonly TodoItem[] }
  | { readonly call: 'plan'; readonly markdown: string; readonly options: PlanOptions }

/** How a prompt was given. */
export interface PromptOptions {
  /** Pictures pasted into the prompt: base64 PNG data. */
  readonly images?: readonly string[]
  readonly source?: 'typed' | 'queued' | 'sdk'
  /** More fields for the row. */
  readonly fields?: JsonObject
}

/** Tokens of one response; what is left out is made up. */
export interface Usage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cacheReadTokens?: number
  readonly cacheWrite5mTokens?: number
  readonly cacheWrite1hTokens?: number
  readonly webSearches?: number
  /** More fields of `usage`, for example `{ speed: 'fast' }`. */
  readonly fields?: JsonObject
}

/** How a response was written. */
export interface AnswerOptions {
  readonly model?: string
  readonly usage?: Usage
  readonly thinking?: string
  /** One line per block (`true`) or one line for all (`false`); by default as the version does. */
  readonly streamed?: boolean
  /** Lines flushed too early: all but the last (`true`), or every one, say only 3 output tokens and no stop reason. */
  readonly placeholder?: boolean | 'all'
  /** Given, the response stands alone; otherwise tool calls that follow belong to the same response. */
  readonly stopReason?: string | null
  readonly messageId?: string
  readonly requestId?: string | null
}

/** What a tool answered. */
export interface ToolOptions {
  readonly output?: string | readonly JsonObject[]
  readonly isError?: boolean
  /** For Bash: other than 0 makes it an error, told as the client tells it. */
  readonly exitCode?: number
  /** The row's `toolUseResult`, where the usual one does not fit. */
  readonly result?: JsonValue
  readonly durationMs?: number
  readonly id?: string
}

/** One tool call with its answer. */
export interface ToolSpec extends ToolOptions {
  readonly name: string
  readonly input?: JsonObject
}

/** A whole file before and after a change; `null` before means that it did not exist. */
export interface FileChange {
  readonly before: string | null
  readonly after: string
}

/** One line of a to-do list. */
export interface TodoItem {
  readonly content: string
  readonly status: 'pending' | 'in_progress' | 'completed'
  readonly activeForm: string
}

/** How a plan was received. */
export interface PlanOptions {
  readonly slug?: string
  readonly approved?: boolean
}

/** A subagent after its steps were recorded. */
export interface RecordedAgent {
  readonly type: string
  readonly description: string
  readonly prompt: string
  readonly steps: readonly Step[]
  readonly result: string | undefined
  readonly error: string | undefined
  readonly background: boolean
  readonly model: string | undefined
}

/** A workflow after its agents' steps were recorded. */
export interface RecordedWorkflow {
  readonly name: string
  readonly description: string
  readonly agents: readonly (RecordedAgent & { readonly phase: string })[]
  readonly result: string
}

/** Word that a background agent has stopped. */
export interface NotificationOptions {
  /** The agent's description; by default the background agent started last. */
  readonly agent?: string
  readonly status?: 'completed' | 'failed' | 'killed'
  readonly result?: string
  readonly tokens?: number
  readonly toolUses?: number
  readonly durationMs?: number
  /** It came while the model worked, and is an attachment instead of a prompt. */
  readonly midTurn?: boolean
}

/** A slash command: with `expansion` one of the user's own, else a built-in one. */
export interface CommandOptions {
  readonly args?: string
  readonly output?: string
  readonly expansion?: string
}

/** What was stopped: with `forTool`, a call that was running. */
export interface InterruptOptions {
  readonly forTool?: boolean | { readonly name: string; readonly input: JsonObject }
}

/** A compaction of the conversation. */
export interface CompactOptions {
  readonly trigger?: 'manual' | 'auto'
  readonly preTokens?: number
  readonly postTokens?: number
  readonly summary?: string
  /** What was typed after `/compact`. */
  readonly instructions?: string
  /** How many of the last rows were kept (2.1.200 and up). */
  readonly preserved?: number
  /** The rewind menu's "Summarize from here": everything from this prompt on became the summary (2.1.200 and up). */
  readonly from?: number
}

/** What went wrong with a request. */
export type ApiErrorKind =
  | 'rate_limit'
  | 'overloaded'
  | 'authentication_failed'
  | 'invalid_request'
  | 'server_error'
  | 'billing_error'

/** How the client met the error. */
export interface ApiErrorOptions {
  readonly text?: string
  /** Retries told as rows of their own (2.1.290 and up). */
  readonly retries?: number
}

/** Where a raw row stands; `row` gives the fields a row of this version would have, with yours among them. */
export interface RawPlace {
  readonly parentUuid: string | null
  readonly sessionId: string
  readonly timestamp: string
  uuid(): string
  row(body: JsonObject): JsonObject
}
