import type { ToolCall } from '../tools/tool-call.ts'
import type { CompactionNote } from './node.ts'

/** What stands in a turn, by its kind. The union is closed: whoever paints items narrows by `kind` and reads nothing else. */
export type ItemContent =
  | TextItem
  | ThinkingItem
  | ToolItem
  | CommandItem
  | BashItem
  | NotificationItem
  | CompactionItem
  | InterruptItem
  | ErrorItem
  | AutomatedItem
  | AttachmentItem
  | SystemItem

/** Words of the model. */
export interface TextItem {
  readonly kind: 'text'
  readonly messageId: string | null
  readonly text: string
}

/** What the model thought; empty where it was not written down. */
export interface ThinkingItem {
  readonly kind: 'thinking'
  readonly messageId: string | null
  readonly text: string
}

/** A tool call with what came back; `meaningOf` says what it did. */
export interface ToolItem extends ToolCall {
  readonly kind: 'tool'
  readonly messageId: string | null
}

/** A slash command, what a custom one was expanded into, and what it printed. */
export interface CommandItem {
  readonly kind: 'command'
  readonly name: string
  readonly args: string
  readonly expansion: string | null
  readonly output: string | null
}

/** A shell command that a person typed, and what it printed. */
export interface BashItem {
  readonly kind: 'bash'
  readonly input: string
  readonly output: string | null
}

/** A message from something that ran in the background. */
export interface NotificationItem {
  readonly kind: 'notification'
  readonly toolUseId: string | null
  readonly status: string | null
  readonly text: string
}

/** A place where the context was cut and summed up. */
export interface CompactionItem extends CompactionNote {
  readonly kind: 'compaction'
  readonly summary: string | null
}

/** A person stopped the model. */
export interface InterruptItem {
  readonly kind: 'interrupt'
  readonly text: string
  /** A tool was running or about to. */
  readonly duringTool: boolean
}

/** A request to the API that failed. */
export interface ErrorItem {
  readonly kind: 'error'
  readonly text: string
}

/** A prompt that no person wrote. */
export interface AutomatedItem {
  readonly kind: 'automated'
  readonly text: string
}

/** A file or another thing that was put into the context, or what a hook said. */
export interface AttachmentItem {
  readonly kind: 'attachment'
  readonly subtype: string
  /** The name of what was attached, or the words of the hook. */
  readonly text: string
  readonly isHook: boolean
  readonly isError: boolean
}

/** A note of the client. */
export interface SystemItem {
  readonly kind: 'system'
  readonly subtype: string
  readonly text: string
  readonly isError: boolean
}

/** What a person typed to run a command. */
export function typedText(item: CommandItem | BashItem): string {
  return item.kind === 'bash' ? item.input : `${item.name} ${item.args}`.trim()
}

/** A notification with its status, where its words do not say it anyway. */
export function notificationText({ text, status }: NotificationItem): string {
  const isSaid = status === null || status === 'completed' || text.includes(status)
  return isSaid ? text : `${text} · ${status}`
}
