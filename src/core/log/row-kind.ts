import { booleanAt, fieldAt, type JsonObject, objectAt, stringAt } from '../json.ts'
import { blocksOf, humanText, taggedText, textOf, toBlocks, topContent } from './content.ts'

/** What a row of the conversation tree is to a person. */
export type RowKind =
  | 'prompt'
  | 'queued-prompt'
  | 'command'
  | 'command-output'
  | 'bash-input'
  | 'bash-output'
  | 'tool-result'
  | 'notification'
  | 'automated'
  | 'interrupt'
  | 'compact-summary'
  | 'meta'
  | 'warmup'
  | 'response'
  | 'api-error'
  | 'synthetic'
  | 'compact-boundary'
  | 'system'
  | 'attachment'
  | 'progress'

/** The types that make up the tree; all other types are facts about the session. */
export type TreeType = 'user' | 'assistant' | 'system' | 'attachment' | 'progress'

export function isTreeType(type: string | undefined): type is TreeType {
  return type === 'user' || type === 'assistant' || type === 'system' || type === 'attachment' || type === 'progress'
}

export function rowKind(raw: JsonObject, type: TreeType): RowKind {
  if (type === 'user') return userKind(raw)
  if (type === 'assistant') return assistantKind(raw)
  if (type === 'system') return systemKind(raw)
  if (type === 'attachment') return attachmentKind(raw)
  return 'progress'
}

/** The order of these tests matters: it is the client's own. */
function userKind(raw: JsonObject): RowKind {
  const blocks = blocksOf(raw)
  if (blocks.some((block) => stringAt(block, 'type') === 'tool_result')) return 'tool-result'
  if (booleanAt(raw, 'isCompactSummary')) return 'compact-summary'
  if (booleanAt(raw, 'isMeta')) return 'meta'
  if (blocks.some((block) => isInterruptMarker(stringAt(block, 'text')))) return 'interrupt'
  const text = humanText(raw)
  return taggedKind(text) ?? (isWarmup(raw, text) ? 'warmup' : isHuman(raw) ? 'prompt' : 'automated')
}

function taggedKind(text: string): RowKind | undefined {
  if (text.charCodeAt(0) !== 0x3c) return undefined
  if (text.startsWith('<command-name>') || text.startsWith('<command-message>')) return 'command'
  if (text.startsWith('<local-command-stdout>') || text.startsWith('<local-command-stderr>')) return 'command-output'
  if (text.startsWith('<local-command-caveat>')) return 'meta'
  if (text.startsWith('<bash-input>')) return 'bash-input'
  if (text.startsWith('<bash-stdout>') || text.startsWith('<bash-stderr>')) return 'bash-output'
  if (text.startsWith('<task-notification>')) return 'notification'
  if (/^<(teammate-message|channel)[\s>]/.test(text)) return 'automated'
  return undefined
}

export function isInterruptMarker(text: string | undefined): boolean {
  return text === '[Request interrupted by user]' || text === '[Request interrupted by user for tool use]'
}

function isWarmup(raw: JsonObject, text: string): boolean {
  return text === 'Warmup' && booleanAt(raw, 'isSidechain') === true
}

/** Rows that the client or another program typed say so by `origin` or `promptSource`; older rows say nothing. */
function isHuman(raw: JsonObject): boolean {
  const origin = stringAt(objectAt(raw, 'origin'), 'kind')
  if (origin !== undefined) return origin === 'human'
  return stringAt(raw, 'promptSource') !== 'system'
}

function assistantKind(raw: JsonObject): RowKind {
  if (booleanAt(raw, 'isApiErrorMessage')) return 'api-error'
  return stringAt(objectAt(raw, 'message'), 'model') === '<synthetic>' ? 'synthetic' : 'response'
}

function systemKind(raw: JsonObject): RowKind {
  const subtype = stringAt(raw, 'subtype')
  if (subtype === 'compact_boundary') return 'compact-boundary'
  if (subtype !== 'local_command') return 'system'
  return taggedKind(topContent(raw).trimStart()) ?? 'system'
}

function attachmentKind(raw: JsonObject): RowKind {
  const attachment = objectAt(raw, 'attachment')
  if (stringAt(attachment, 'type') !== 'queued_command') return 'attachment'
  const mode = stringAt(attachment, 'commandMode')
  const origin = stringAt(objectAt(attachment, 'origin'), 'kind')
  if (mode === 'task-notification' || origin === 'task-notification') return 'notification'
  if (queuedText(raw).startsWith('<task-notification>')) return 'notification'
  return origin === undefined || origin === 'human' ? 'queued-prompt' : 'automated'
}

/** The text of a prompt that was typed while the model worked. */
export function queuedText(raw: JsonObject): string {
  const prompt = fieldAt(objectAt(raw, 'attachment'), 'prompt')
  return toBlocks(prompt)
    .map((block) => stringAt(block, 'text') ?? '')
    .join('\n')
    .trim()
}

/** A slash command as its row names it. */
export interface CommandRow {
  /** With its slash: `/compact`. */
  readonly name: string
  readonly args: string
  /** Custom commands and skills put their message before their name; built-in ones the other way round. */
  readonly isCustom: boolean
}

export function commandOf(text: string): CommandRow | undefined {
  const name = taggedText(text, 'command-name')?.trim() ?? taggedText(text, 'command-message')?.trim()
  if (!name) return undefined
  const isCustom = text.trimStart().startsWith('<command-message>')
  const args = taggedText(text, 'command-args')?.trim() ?? ''
  return { name: name.startsWith('/') ? name : `/${name}`, args, isCustom }
}

/**
 * What a row tells the model in the place of a custom command or a skill: the text of its blocks. What the client says for itself is
 * written as one string, or in tags.
 */
export function expansionOf(raw: JsonObject): string | undefined {
  const content = fieldAt(objectAt(raw, 'message'), 'content')
  const text = Array.isArray(content) && booleanAt(raw, 'isMeta') ? textOf(raw) : ''
  return text === '' || text.startsWith('<') || text.startsWith('Caveat: ') ? undefined : text
}
