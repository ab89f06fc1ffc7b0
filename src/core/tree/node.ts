import { booleanAt, type JsonObject, numberAt, objectAt, stringAt, stringsAt, textAt } from '../json.ts'
import { humanText, preview, toolResultsOf, toolUsesOf, topContent } from '../log/content.ts'
import type { LogRecord } from '../log/record.ts'
import {
  type CommandRow,
  commandOf,
  isTreeType,
  queuedText,
  type RowKind,
  rowKind,
  type TreeType,
} from '../log/row-kind.ts'

/**
 * What the tree and the turns need to know of a row: small enough to keep for every row of every log, and plain data, so
 * that an index can store it. The row itself is read again by its place.
 */
export interface TreeNode {
  readonly uuid: string
  readonly parent: string | null
  readonly logicalParent: string | null
  readonly type: TreeType
  readonly kind: RowKind
  readonly subtype: string | null
  readonly isSidechain: boolean
  readonly timestamp: string | null
  readonly line: number
  readonly offset: number
  readonly length: number
  /** Assistant rows: the response this row is a part of. */
  readonly messageId: string | null
  readonly model: string | null
  readonly toolUses: readonly { readonly id: string; readonly name: string }[]
  /** User rows: the calls that the row answers. */
  readonly toolResults: readonly { readonly id: string; readonly isError: boolean }[]
  readonly agentId: string | null
  /** The first words of a prompt, command or bash input. */
  readonly preview: string | null
  readonly command: CommandRow | null
  /** Compact boundaries: the rows that stay in the window, attached again after `anchor`. */
  readonly preserved: Preserved | null
  /** Compact boundaries: what the client noted of the compaction. */
  readonly compaction: CompactionNote | null
  /** Where a copied row came from. */
  readonly forkedFrom: string | null
}

export interface CompactionNote {
  readonly trigger: string | null
  readonly preTokens: number | null
  readonly postTokens: number | null
}

export interface Preserved {
  readonly head: string
  readonly tail: string
  readonly anchor: string
  readonly uuids: readonly string[]
}

/** The tree node of a record; `undefined` for records that are not rows of the tree. */
export function nodeOf(record: LogRecord): TreeNode | undefined {
  const { raw, place } = record
  if (!isTreeType(record.type)) return undefined
  const kind = rowKind(raw, record.type)
  const text = spokenText(raw, record.type, kind)
  const message = objectAt(raw, 'message')
  return {
    uuid: stringAt(raw, 'uuid') ?? '',
    parent: textAt(raw, 'parentUuid') ?? null,
    logicalParent: textAt(raw, 'logicalParentUuid') ?? null,
    type: record.type,
    kind,
    subtype: stringAt(raw, 'subtype') ?? stringAt(objectAt(raw, 'attachment'), 'type') ?? null,
    isSidechain: booleanAt(raw, 'isSidechain') ?? false,
    timestamp: stringAt(raw, 'timestamp') ?? null,
    line: place.line,
    offset: place.offset,
    length: place.length,
    messageId: record.type === 'assistant' ? (textAt(message, 'id') ?? null) : null,
    model: record.type === 'assistant' ? (textAt(message, 'model') ?? null) : null,
    toolUses: record.type === 'assistant' ? listed(toolUsesOf(raw).map(({ id, name }) => ({ id, name }))) : NONE,
    toolResults:
      kind === 'tool-result' ? listed(toolResultsOf(raw).map((r) => ({ id: r.toolUseId, isError: r.isError }))) : NONE,
    agentId: textAt(raw, 'agentId') ?? null,
    preview: text === undefined ? null : preview(text),
    command: kind === 'command' && text !== undefined ? shortCommand(text) : null,
    preserved: kind === 'compact-boundary' ? preservedOf(raw) : null,
    compaction: kind === 'compact-boundary' ? compactionOf(raw) : null,
    forkedFrom: textAt(objectAt(raw, 'forkedFrom'), 'sessionId') ?? null,
  }
}

const NONE: readonly never[] = []

function listed<T>(items: readonly T[]): readonly T[] {
  return items.length === 0 ? NONE : items
}

/** The words of a row that a person said or did, for titles and lists. */
export function spokenText(raw: JsonObject, type: TreeType, kind: RowKind): string | undefined {
  if (kind === 'queued-prompt') return queuedText(raw)
  if (type === 'system' && kind === 'command') return topContent(raw)
  if (type === 'user' && SPOKEN.has(kind)) return humanText(raw)
  return undefined
}

function shortCommand(text: string): CommandRow | null {
  const command = commandOf(text)
  return command ? { ...command, args: preview(command.args) } : null
}

const SPOKEN: ReadonlySet<RowKind> = new Set(['prompt', 'command', 'bash-input', 'automated', 'warmup'])

/** The kinds of rows that have words which a person said or did. */
export const SPOKEN_KINDS: readonly RowKind[] = ['queued-prompt', ...SPOKEN]

/** What a compact boundary says of its compaction. */
function compactionOf(raw: JsonObject): CompactionNote {
  const metadata = objectAt(raw, 'compactMetadata')
  return {
    trigger: textAt(metadata, 'trigger') ?? null,
    preTokens: numberAt(metadata, 'preTokens') ?? null,
    postTokens: numberAt(metadata, 'postTokens') ?? null,
  }
}

function preservedOf(raw: JsonObject): Preserved | null {
  const metadata = objectAt(raw, 'compactMetadata')
  const segment = objectAt(metadata, 'preservedSegment')
  const head = textAt(segment, 'headUuid')
  const tail = textAt(segment, 'tailUuid')
  const anchor = textAt(segment, 'anchorUuid')
  if (!head || !tail || !anchor) return null
  return { head, tail, anchor, uuids: stringsAt(objectAt(metadata, 'preservedMessages'), 'uuids') }
}
