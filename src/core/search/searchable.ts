import { fieldAt, type JsonObject, objectAt, stringAt, textAt } from '../json.ts'
import { blocksOf, humanText, joinText, taggedText, textOf, toBlocks, topContent } from '../log/content.ts'
import type { LogRecord } from '../log/record.ts'
import { commandOf, expansionOf, isTreeType, queuedText, type RowKind, rowKind } from '../log/row-kind.ts'
import { GatheredText } from './gathered-text.ts'

/** Who said it. */
export type SearchRole = (typeof SEARCH_ROLES)[number]

export const SEARCH_ROLES = ['user', 'assistant', 'tool', 'system'] as const

/** What it is. A response is known by the best of its blocks: text, then a call, then thinking. */
export type SearchKind = (typeof SEARCH_KINDS)[number]

export const SEARCH_KINDS = [
  'prompt',
  'command',
  'command-output',
  'bash',
  'bash-output',
  'automated',
  'notification',
  'compact-summary',
  'text',
  'thinking',
  'tool',
  'tool-result',
  'error',
  'attachment',
  'system',
  'title',
] as const

/**
 * What of a record is searched. Within a line of it, everything stands as one piece in one string of the record, so that a
 * search over the raw bytes finds the same.
 */
export interface Searchable {
  readonly role: SearchRole
  readonly kind: SearchKind
  readonly text: string
  /** The record holds more than `MAX_SEARCHABLE` of text; the rest is not searched. */
  readonly isCut: boolean
  /** Names of the tools that the record calls. */
  readonly tools: readonly string[]
  /** The calls that the record makes or answers, by which an answer finds its tool. */
  readonly toolUseIds: readonly string[]
  readonly files: readonly string[]
  readonly isError: boolean
}

/** The searched text of a record and what filters need to know of it; `undefined` where there is nothing to be found. */
export function searchableText(record: LogRecord): Searchable | undefined {
  const found = new GatheredText()
  const type = record.type
  const what = isTreeType(type) ? gatherRow(record.raw, rowKind(record.raw, type), found) : gatherTitle(record, found)
  return what && found.finish(what[0], what[1])
}

type What = readonly [role: SearchRole, kind: SearchKind]

/** Records beside the tree that a person named something in. Copies of prompts and the client's own state are not among them. */
function gatherTitle({ raw, type }: LogRecord, found: GatheredText): What | undefined {
  const field = TITLE_FIELDS.get(type ?? '')
  if (field === undefined) return undefined
  found.add(stringAt(raw, field))
  return ['system', 'title']
}

const TITLE_FIELDS: ReadonlyMap<string, string> = new Map([
  ['summary', 'summary'],
  ['custom-title', 'customTitle'],
  ['ai-title', 'aiTitle'],
  ['agent-name', 'agentName'],
  ['tag', 'tag'],
  ['task-summary', 'summary'],
  ['pr-link', 'prUrl'],
])

function gatherRow(raw: JsonObject, kind: RowKind, found: GatheredText): What | undefined {
  const type = stringAt(raw, 'type')
  const spoken = type === 'attachment' ? queuedText(raw) : type === 'system' ? topContent(raw) : humanText(raw)
  switch (kind) {
    case 'prompt':
    case 'queued-prompt':
      found.add(spoken)
      return ['user', 'prompt']
    case 'command': {
      const command = commandOf(spoken)
      found.add(command?.name)
      found.add(command?.args)
      return ['user', 'command']
    }
    case 'bash-input':
      found.add(taggedText(spoken, 'bash-input') ?? spoken)
      return ['user', 'bash']
    case 'command-output':
    case 'bash-output': {
      const text = type === 'system' ? topContent(raw) : textOf(raw)
      for (const tag of OUTPUT_TAGS) found.add(taggedText(text, tag))
      return ['system', kind]
    }
    case 'automated':
    case 'notification':
      found.add(spoken)
      return ['system', kind]
    case 'compact-summary':
      found.add(textOf(raw))
      return ['system', kind]
    case 'meta':
      found.add(expansionOf(raw))
      return ['system', 'command']
    case 'api-error':
      found.isError = true
      found.add(textOf(raw))
      return ['assistant', 'error']
    case 'response':
    case 'synthetic':
      return ['assistant', gatherResponse(raw, found)]
    case 'tool-result':
      gatherResults(raw, found)
      return ['tool', kind]
    case 'attachment':
      return gatherAttachment(raw, found)
    case 'system':
      return gatherSystem(raw, found)
    default:
      // Markers, what the client says to the model, and progress, whose rows are copies.
      return undefined
  }
}

const OUTPUT_TAGS = ['local-command-stdout', 'local-command-stderr', 'bash-stdout', 'bash-stderr']

function gatherResponse(raw: JsonObject, found: GatheredText): SearchKind {
  let best: SearchKind | undefined
  for (const block of blocksOf(raw)) {
    const type = stringAt(block, 'type') ?? ''
    if (type === 'text') {
      found.add(stringAt(block, 'text'))
      best = 'text'
    } else if (type === 'thinking') {
      found.add(stringAt(block, 'thinking'))
      best ??= 'thinking'
    } else if (type.endsWith('tool_use')) {
      found.addCall(block)
      if (best !== 'text') best = 'tool'
    } else if (type.endsWith('tool_result')) {
      found.addResult(block)
      if (best !== 'text') best = 'tool'
    }
  }
  return best ?? 'text'
}

function gatherResults(raw: JsonObject, found: GatheredText): void {
  const details = fieldAt(raw, 'toolUseResult')
  for (const block of blocksOf(raw)) {
    const type = stringAt(block, 'type')
    if (type === 'tool_result') found.addResult(block)
    else if (type === 'text') found.add(stringAt(block, 'text'))
  }
  found.addFile(textAt(details, 'filePath') ?? textAt(objectAt(details, 'file'), 'filePath'))
  // Of an output too large for the row, the row holds only a preview; the details have more of it.
  if (textAt(details, 'persistedOutputPath')) {
    found.add(stringAt(details, 'stdout'))
    found.add(stringAt(details, 'stderr'))
  }
}

function gatherSystem(raw: JsonObject, found: GatheredText): What | undefined {
  const error = objectAt(raw, 'error')
  found.isError = error !== undefined || stringAt(raw, 'level') === 'error'
  found.add(topContent(raw) || (textAt(error, 'formatted') ?? textAt(error, 'message')))
  return ['system', found.isError ? 'error' : 'system']
}

/** What a person attached, and what a hook objected to. The rest is what the client tells the model. */
function gatherAttachment(raw: JsonObject, found: GatheredText): What | undefined {
  const attachment = objectAt(raw, 'attachment')
  const subtype = stringAt(attachment, 'type') ?? ''
  if (GIVEN.has(subtype)) {
    found.addFile(textAt(attachment, 'filename') ?? textAt(attachment, 'path'))
    found.addStrings(attachment)
    return ['user', 'attachment']
  }
  if (!isSearchedAttachment(subtype)) return undefined
  found.isError = subtype.endsWith('_error')
  found.add(textAt(objectAt(attachment, 'blockingError'), 'blockingError'))
  found.add(joinText(toBlocks(fieldAt(attachment, 'content'))))
  found.add(textAt(attachment, 'stderr'))
  return ['system', 'attachment']
}

/** Whether there is anything to be found in attachments of a type. */
export function isSearchedAttachment(subtype: string): boolean {
  return GIVEN.has(subtype) || (subtype.startsWith('hook_') && subtype !== 'hook_success')
}

const GIVEN: ReadonlySet<string> = new Set(
  'file directory edited_text_file edited_image_file pdf_reference selected_lines_in_ide opened_file_in_ide mcp_resource'.split(
    ' ',
  ),
)
