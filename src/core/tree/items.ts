import { fieldAt, type JsonObject, objectAt, stringAt, textAt } from '../json.ts'
import { blocksOf, humanText, imageCount, joinText, taggedText, textOf, toBlocks, topContent } from '../log/content.ts'
import { commandOf, expansionOf, queuedText, type RowKind } from '../log/row-kind.ts'
import { serverOutcome } from '../tools/server-tool.ts'
import { outcomeOf, type ToolCall, type ToolOutcome, UNANSWERED } from '../tools/tool-call.ts'
import type { ItemContent } from './item-schema.ts'
import type { TreeNode } from './node.ts'

/** Something a person reads in a turn, with the row it stands on. */
export type Item = ItemBase & ItemContent

interface ItemBase {
  readonly uuid: string
  readonly timestamp: string | null
  readonly node: TreeNode
}

/** What a turn was begun with. */
export interface Prompt {
  readonly kind: 'prompt' | 'queued' | 'command' | 'bash'
  readonly text: string
  readonly images: number
  /** What a custom command was expanded into, for the model. */
  readonly expansion: string | null
  readonly output: string | null
  readonly node: TreeNode
}

/** Reads rows of a log again. */
export interface Rows {
  row(node: TreeNode): JsonObject | undefined
  /** The row that answers a tool call, wherever on the branch it stands. */
  answer(toolUseId: string): JsonObject | undefined
}

/** The prompt of a turn; `rest` are the turn's other rows, where a command's output is looked for. */
export function promptOf(node: TreeNode, rest: readonly TreeNode[], rows: Rows): Prompt {
  return promptBefore(node, { nodes: rest, from: 0 }, rows)
}

/** The rows after one, without a copy of them for every row. */
interface Following {
  readonly nodes: readonly TreeNode[]
  readonly from: number
}

function promptBefore(node: TreeNode, following: Following, rows: Rows): Prompt {
  const raw = rows.row(node) ?? {}
  const bare = { images: 0, expansion: null, output: null, node }
  if (node.kind === 'queued-prompt') return { ...bare, kind: 'queued', text: queuedText(raw) }
  if (node.kind === 'command') {
    const command = commandOf(node.type === 'system' ? topContent(raw) : humanText(raw))
    const text = command ? `${command.name} ${command.args}`.trim() : ''
    const output = outputAfter(following, 'command-output', rows)
    return { ...bare, kind: 'command', text, expansion: expansionAfter(following, rows), output }
  }
  if (node.kind === 'bash-input') {
    const text = taggedText(humanText(raw), 'bash-input') ?? humanText(raw)
    return { ...bare, kind: 'bash', text, output: outputAfter(following, 'bash-output', rows) }
  }
  return { ...bare, kind: 'prompt', text: humanText(raw), images: imageCount(raw) }
}

/** The items of some rows in order. Streamed rows of a response stand side by side under its message id. */
export function itemsOf(nodes: readonly TreeNode[], rows: Rows): readonly Item[] {
  return nodes.flatMap((_, at) => itemsAt(nodes, at, rows))
}

/** The items of one of these rows. Rows after it are read where they hold its output or its summary. */
export function itemsAt(nodes: readonly TreeNode[], at: number, rows: Rows): readonly Item[] {
  const node = nodes[at]
  const raw = node && SHOWN.has(node.kind) ? rows.row(node) : undefined
  return node && raw ? itemsOfRow(node, raw, { nodes, from: at + 1 }, rows) : []
}

/** Whether a row can have items, by its kind alone: the row is not read. */
export function canShow({ kind, subtype }: Pick<TreeNode, 'kind' | 'subtype'>): boolean {
  if (kind === 'system') return !QUIET_SYSTEM.has(subtype ?? '')
  if (kind === 'attachment') return NAMED_ATTACHMENTS.has(subtype ?? '') || isTellingHook(subtype ?? '')
  return SHOWN.has(kind)
}

/** The kinds of rows that are items by themselves: no other is read for them. */
const SHOWN: ReadonlySet<RowKind> = new Set<RowKind>([
  ...(['response', 'synthetic', 'api-error', 'interrupt', 'automated', 'command', 'bash-input'] as const),
  ...(['notification', 'compact-boundary', 'system', 'attachment'] as const),
])

function itemsOfRow(node: TreeNode, raw: JsonObject, following: Following, rows: Rows): readonly Item[] {
  const base = { uuid: node.uuid, timestamp: node.timestamp, node }
  switch (node.kind) {
    case 'response':
    case 'synthetic':
      return responseItems(base, raw, following, rows)
    case 'api-error':
      return [{ kind: 'error', text: textOf(raw), ...base }]
    case 'interrupt':
      return [interrupt(base, textOf(raw))]
    case 'automated':
      return [{ kind: 'automated', text: node.type === 'attachment' ? queuedText(raw) : humanText(raw), ...base }]
    case 'command':
    case 'bash-input': {
      const { kind, text, expansion, output } = promptBefore(node, following, rows)
      if (kind === 'bash') return [{ kind, input: text, output, ...base }]
      const [name, ...args] = text.split(' ')
      return [{ kind: 'command', name: name ?? '', args: args.join(' '), expansion, output, ...base }]
    }
    case 'notification':
      return [notification(base, node.type === 'attachment' ? queuedText(raw) : humanText(raw))]
    case 'compact-boundary':
      return [compaction(base, following, rows)]
    case 'system':
      return systemItems(base, raw)
    case 'attachment':
      return attachmentItems(base, raw)
    default:
      return []
  }
}

function responseItems(base: ItemBase, raw: JsonObject, following: Following, rows: Rows): readonly Item[] {
  const { messageId } = base.node
  return blocksOf(raw).flatMap((block): Item[] => {
    const type = stringAt(block, 'type')
    if (type === 'text') return [{ kind: 'text', messageId, text: stringAt(block, 'text') ?? '', ...base }]
    if (type === 'thinking' || type === 'redacted_thinking') {
      return [{ kind: 'thinking', messageId, text: stringAt(block, 'thinking') ?? '', ...base }]
    }
    if (type === 'tool_use' || type === 'server_tool_use' || type === 'mcp_tool_use') {
      const id = stringAt(block, 'id') ?? ''
      const name = stringAt(block, 'name') ?? 'unknown'
      const runBy = type === 'tool_use' ? 'client' : 'api'
      const outcome =
        runBy === 'client'
          ? outcomeOf(name, id, base.timestamp, rows.answer(id))
          : servedOutcome(id, messageId, raw, following, rows)
      return [toolItem(base, { id, name, input: objectAt(block, 'input') ?? {}, runBy, ...outcome })]
    }
    return []
  })
}

/** Field by field: an object onto which so many are spread is made many times more slowly, and most items are calls (docs/decisions/performance.md). */
function toolItem({ uuid, timestamp, node }: ItemBase, call: ToolCall): Item {
  const { id, name, input, runBy, outcome, result, isError, exitCode, durationMs, images, overflow, patch, details } =
    call
  return {
    uuid,
    timestamp,
    node,
    kind: 'tool',
    messageId: node.messageId,
    id,
    name,
    input,
    runBy,
    outcome,
    result,
    isError,
    exitCode,
    durationMs,
    images,
    overflow,
    patch,
    details,
  }
}

/** What came of a call that the API ran: told in the same response, in this row or in one of the next. */
function servedOutcome(
  toolUseId: string,
  messageId: string | null,
  raw: JsonObject,
  { nodes, from }: Following,
  rows: Rows,
): ToolOutcome {
  const here = serverOutcome(toolUseId, raw)
  if (here) return here
  for (let i = from; i < nodes.length; i++) {
    const node = nodes[i] as TreeNode
    if (node.kind === 'prompt') break
    const told = node.messageId === messageId ? serverOutcome(toolUseId, rows.row(node) ?? {}) : undefined
    if (told) return told
  }
  return UNANSWERED
}

function interrupt(base: ItemBase, text: string): Item {
  return { kind: 'interrupt', text, duringTool: text.includes('for tool use'), ...base }
}

/** The output of a command or bash input: in the next row that is one, before the next thing that was asked. */
function outputAfter(following: Following, kind: 'command-output' | 'bash-output', rows: Rows): string | null {
  const node = nextOf(following, kind)
  if (!node) return null
  const raw = rows.row(node) ?? {}
  const text = node.type === 'system' ? topContent(raw) : textOf(raw)
  const tags =
    kind === 'bash-output' ? ['bash-stdout', 'bash-stderr'] : ['local-command-stdout', 'local-command-stderr']
  return tags
    .map((tag) => taggedText(text, tag) ?? '')
    .filter((part) => part.trim() !== '')
    .join('\n')
}

/** What a custom command was expanded into: the next row that tells the model so. */
function expansionAfter(following: Following, rows: Rows): string | null {
  const node = nextOf(following, 'meta')
  return (node && expansionOf(rows.row(node) ?? {})) || null
}

/** The next row of a kind, if it comes before the next thing that was said or done. */
function nextOf({ nodes, from }: Following, kind: RowKind): TreeNode | undefined {
  for (let i = from; i < nodes.length; i++) {
    const node = nodes[i] as TreeNode
    if (node.kind === kind) return node
    if (ENDS_A_LOOK.has(node.kind)) return undefined
  }
  return undefined
}

const ENDS_A_LOOK: ReadonlySet<RowKind> = new Set(['prompt', 'command', 'bash-input', 'response', 'compact-boundary'])

function notification(base: ItemBase, text: string): Item {
  return {
    ...base,
    kind: 'notification',
    toolUseId: taggedText(text, 'tool-use-id')?.trim() ?? null,
    status: taggedText(text, 'status')?.trim() ?? null,
    text: (taggedText(text, 'summary') ?? taggedText(text, 'result') ?? text).trim(),
  }
}

function compaction(base: ItemBase, following: Following, rows: Rows): Item {
  const note = base.node.compaction ?? { trigger: null, preTokens: null, postTokens: null }
  const summary = nextOf(following, 'compact-summary')
  return { ...base, kind: 'compaction', ...note, summary: summary ? textOf(rows.row(summary) ?? {}) : null }
}

/** System rows that tell a person nothing, or that are told elsewhere. */
const QUIET_SYSTEM = new Set([
  'turn_duration',
  'file_snapshot',
  'thinking',
  'read_divider',
  'rewind_stand_in',
  'stop_hook_summary',
])

function systemItems(base: ItemBase, raw: JsonObject): readonly Item[] {
  const subtype = textAt(raw, 'subtype') ?? 'system'
  const text =
    topContent(raw) || textAt(objectAt(raw, 'error'), 'formatted') || textAt(objectAt(raw, 'error'), 'message')
  if (QUIET_SYSTEM.has(subtype) || !text) return []
  return [{ ...base, kind: 'system', subtype, text, isError: TELLS_FAILURE.test(subtype) }]
}

/** Rows of the client that tell of something that failed or was refused. */
const TELLS_FAILURE = /error|blocking|failed/

/** Attachments that a person put there, or that changed what happened. The rest is what the client tells the model. */
function attachmentItems(base: ItemBase, raw: JsonObject): readonly Item[] {
  const attachment = objectAt(raw, 'attachment')
  const subtype = textAt(attachment, 'type') ?? 'attachment'
  const name = textAt(attachment, 'filename') ?? textAt(attachment, 'path') ?? textAt(attachment, 'displayPath')
  if (NAMED_ATTACHMENTS.has(subtype) && name) {
    return [{ kind: 'attachment', subtype, text: name, isHook: false, isError: false, ...base }]
  }
  if (!isTellingHook(subtype)) return []
  const error = objectAt(attachment, 'blockingError')
  const text =
    textAt(error, 'blockingError') ??
    (joinText(toBlocks(fieldAt(attachment, 'content'))) || textAt(attachment, 'stderr'))
  const isError = TELLS_FAILURE.test(subtype)
  return text ? [{ kind: 'attachment', subtype, text, isHook: true, isError, ...base }] : []
}

/** A hook that said something. Success alone is not told. */
function isTellingHook(subtype: string): boolean {
  return subtype.startsWith('hook_') && subtype !== 'hook_success'
}

const NAMED_ATTACHMENTS = new Set([
  'file',
  'directory',
  'edited_text_file',
  'edited_image_file',
  'pdf_reference',
  'selected_lines_in_ide',
  'opened_file_in_ide',
  'mcp_resource',
])
