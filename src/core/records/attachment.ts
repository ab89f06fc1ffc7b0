import { type Static, Type } from '../schema.ts'
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
  typed,
  unknown,
  variants,
} from './shape.ts'
import { task, todo } from './todo.ts'
import { readResult } from './tool-results.ts'

const hook = { hookName: string, hookEvent: string, ...optional({ toolUseID: string }) }
const hookRun = {
  ...hook,
  ...optional({
    content: unknown,
    stdout: string,
    stderr: string,
    exitCode: nullable(number),
    command: string,
    durationMs: number,
    timeoutMs: number,
    timedOut: boolean,
  }),
}

/** Names of attachments that the client's code or other people's logs show, and whose fields we do not know well. */
const named = loose({
  type: Type.Enum([
    'agent_mention',
    'agent_pending_messages',
    'already_read_file',
    'async_hook_response',
    'auto_mode_exit',
    'autocheckpointing',
    'background_shell_status',
    'bash_output_audience_note',
    'batching_reminder_sent',
    'budget_usd',
    'compact_file_reference',
    'compaction_reminder',
    'companion_intro',
    'context_efficiency',
    'credential_org',
    'critical_system_reminder',
    'current_session_memory',
    'date_change',
    'diagnostics',
    'directory',
    'dynamic_skill',
    'edited_image_file',
    'fork_briefing',
    'goal_status',
    'hook_additional_context',
    'hook_cancelled',
    'hook_deferred_tool',
    'hook_error_during_execution',
    'hook_permission_decision',
    'hook_stopped_continuation',
    'hook_system_message',
    'invoked_skills',
    'lsp_diagnostics',
    'max_turns_reached',
    'mcp_resource',
    'memory_update',
    'nested_memory',
    'opened_file_in_ide',
    'output_style',
    'output_style_instructions',
    'output_token_usage',
    'pdf_reference',
    'plan_file_reference',
    'poll_events',
    'read_truncation_notice',
    'relevant_memories',
    'selected_lines_in_diff',
    'selected_lines_in_ide',
    'skill_discovery',
    'structured_output',
    'task_status',
    'team_context',
    'teammate_mailbox',
    'teammate_shutdown_batch',
    'thinking_drop',
    'thinking_stripped',
    'token_usage',
    'tool_results_cut',
    'tool_search_usage_reminder',
    'ultra_effort_enter',
    'ultra_effort_exit',
    'ultrathink_effort',
    'verify_plan_reminder',
    'workflow_keyword_request',
  ]),
})

/** State of the client that it tells the model; the fields change from version to version. */
const clientState = loose({
  type: Type.Enum(['auto_mode', 'prompt_snapshot', 'remote_session_change', 'session_context']),
})

const environment = Type.Object(
  optional({
    workingDirectory: string,
    isWorktree: boolean,
    isGitRepo: boolean,
    additionalWorkingDirectories: strings,
    platform: string,
    shell: string,
    osVersion: string,
  }),
)

const attachmentData = variants('type', [
  // what a person gave
  typed('queued_command', {
    prompt: Type.Union([string, Type.Array(loose({ type: string }))]),
    ...optional({
      commandMode: string,
      source_uuid: string,
      delivery_id: string,
      humanTurn: boolean,
      origin: loose({ kind: string }),
      runId: string,
      timestamp: string,
      imagePasteIds: Type.Array(number),
      isMeta: boolean,
    }),
  }),
  typed('file', {
    filename: string,
    content: readResult,
    ...optional({ displayPath: string, truncated: boolean, savedCopyFraming: unknown }),
  }),
  typed('edited_text_file', { filename: string, ...optional({ snippet: string, displayPath: string }) }),
  typed('command_permissions', { allowedTools: strings, ...optional({ model: string, effort: unknown }) }),
  // hooks
  typed('hook_success', hookRun),
  typed('hook_non_blocking_error', hookRun),
  typed('hook_blocking_error', {
    ...hook,
    blockingError: Type.Object({ blockingError: string, ...optional({ command: string }) }),
  }),
  // what the model was told
  typed('instructions', { files: Type.Array(loose({ path: string, ...optional({ type: string, content: string }) })) }),
  typed('skill_listing', {
    content: string,
    ...optional({ skillCount: number, isInitial: boolean, names: strings, digests: strings }),
  }),
  typed('agent_listing_delta', {
    addedTypes: strings,
    removedTypes: strings,
    ...optional({
      addedLines: strings,
      isInitial: boolean,
      showConcurrencyNote: boolean,
      builtInTypes: strings,
      builtInPluginTypes: strings,
    }),
  }),
  typed('deferred_tools_delta', {
    addedNames: strings,
    removedNames: strings,
    ...optional({
      addedLines: strings,
      readdedNames: strings,
      wireHiddenNames: strings,
      pendingMcpServers: Type.Array(unknown),
      needsAuthMcpServers: Type.Array(unknown),
      failedMcpServers: Type.Array(unknown),
      isInitial: boolean,
    }),
  }),
  typed('deferred_tools_record', { entries: Type.Array(loose({ name: string })) }),
  typed('mcp_instructions_delta', {
    addedNames: strings,
    removedNames: strings,
    ...optional({ addedBlocks: strings, isInitial: boolean }),
  }),
  typed('environment', { snapshot: environment, ...optional({ changes: Type.Array(loose({ field: string })) }) }),
  typed('model', {
    ...optional({
      identity: Type.Object(
        optional({ modelId: nullableString, marketingName: nullableString, knowledgeCutoff: nullableString }),
      ),
      text: string,
    }),
  }),
  typed('date', { date: string }),
  typed('silent_turn_reminder', optional({ text: string })),
  typed('total_tokens_reminder', optional({ text: string })),
  typed('task_reminder', { content: Type.Array(task), itemCount: number }),
  typed('todo_reminder', { content: Type.Array(todo), itemCount: number }),
  typed('plan_mode', {
    ...optional({ reminderType: string, isSubAgent: boolean, planFilePath: string, planExists: boolean }),
  }),
  typed('plan_mode_exit', optional({ planFilePath: string, planExists: boolean })),
  typed('plan_mode_reentry', optional({ planFilePath: string })),
  clientState,
  named,
])

const rendered = Type.Array(loose(optional({ content: unknown })))

/** A row of type `attachment`: context that the client put beside a prompt. */
export const attachment = Type.Object({
  type: Type.Literal('attachment'),
  ...envelope,
  attachment: attachmentData,
  ...optional({
    isMeta: boolean,
    rendered,
    renderedRole: string,
    renderedBesideToolResult: boolean,
    renderedInHumanTurn: rendered,
    promptId: string,
  }),
})

/** An attachment row as it stands in a log. */
export type AttachmentRow = Static<typeof attachment>
