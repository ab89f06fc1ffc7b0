import type { TreeNode } from '../node.ts'
import type { Place } from '../place.ts'
import type { RowFacts } from '../row-facts.ts'
import type { RowKind, TreeType } from '../row-kind.ts'
import { isPlaceholder, type UsageRow } from '../usage.ts'
import * as at from './layout.ts'
import type { NameColumn, Skimmer } from './skimmer.ts'

/** The facts of a plain row: the same that `rowFacts` gives of its record. */
export function skimFacts(skimmer: Skimmer, row: number, place: Place): RowFacts {
  const kind = skimmedKind(skimmer, row)
  const timestamp = timeAt(skimmer, row, at.TIME)
  const node = kind && skimNode(skimmer, row, { kind, timestamp, place })
  const type = skimmer.name(row, at.TYPE) as string
  return {
    type,
    uuid: node ? node.uuid || null : (skimmer.uuid(row, at.UUID) ?? null),
    parent: node ? node.parent : (skimmer.uuid(row, at.PARENT) ?? null),
    sessionId: textAt(skimmer, row, at.SESSION),
    timestamp,
    snapshotTimestamp: timeAt(skimmer, row, at.SNAPSHOT_TIME),
    requestId: type === 'api-request' ? (skimmer.id(row, at.ID) ?? null) : null,
    requestRef: skimmer.id(row, at.REQUEST_REF) || null,
    parentToolUseId: skimmer.id(row, at.PARENT_TOOL_USE_ID) ?? null,
    hasText: hasText(skimmer, row),
    cwd: textAt(skimmer, row, at.CWD),
    gitBranch: textAt(skimmer, row, at.GIT_BRANCH),
    version: textAt(skimmer, row, at.VERSION),
    slug: textAt(skimmer, row, at.SLUG),
    node,
    usage: node && skimUsage(skimmer, row, node, place),
  }
}

/** What a plain row is to a person: one of the few kinds that are not left to the parser; `undefined` for rows beside the tree. */
function skimmedKind(skimmer: Skimmer, row: number): RowKind | undefined {
  const type = skimmer.name(row, at.TYPE)
  if (type === 'user') return 'tool-result'
  if (type === 'assistant') {
    if (skimmer.has(row, at.IS_API_ERROR)) return 'api-error'
    return skimmer.name(row, at.MODEL) === '<synthetic>' ? 'synthetic' : 'response'
  }
  return type === 'system' || type === 'attachment' || type === 'progress' ? type : undefined
}

function hasText(skimmer: Skimmer, row: number): boolean {
  for (let i = 0; i < skimmer.blockCount(row); i++) if (skimmer.blockKind(row, i) === at.TEXT_BLOCK) return true
  return false
}

interface Known {
  readonly kind: RowKind
  readonly timestamp: string | null
  readonly place: Place
}

function skimNode(skimmer: Skimmer, row: number, { kind, timestamp, place }: Known): TreeNode {
  const type = skimmer.name(row, at.TYPE) as TreeType
  const isAssistant = type === 'assistant'
  return {
    uuid: skimmer.uuid(row, at.UUID) ?? '',
    parent: skimmer.uuid(row, at.PARENT) ?? null,
    logicalParent: skimmer.uuid(row, at.LOGICAL_PARENT) ?? null,
    type,
    kind,
    subtype: skimmer.name(row, at.SUBTYPE) ?? skimmer.name(row, at.ATTACHMENT_TYPE) ?? null,
    isSidechain: skimmer.has(row, at.IS_SIDECHAIN),
    timestamp,
    line: place.line,
    offset: place.offset,
    length: place.length,
    messageId: isAssistant ? skimmer.id(row, at.MESSAGE_ID) || null : null,
    model: isAssistant ? textAt(skimmer, row, at.MODEL) : null,
    toolUses: isAssistant ? toolUses(skimmer, row) : NONE,
    toolResults: type === 'user' ? toolResults(skimmer, row) : NONE,
    agentId: textAt(skimmer, row, at.AGENT),
    preview: null,
    command: null,
    preserved: null,
    compaction: null,
    forkedFrom: textAt(skimmer, row, at.FORKED_FROM),
  }
}

const NONE: readonly never[] = []

function toolUses(skimmer: Skimmer, row: number): TreeNode['toolUses'] {
  const uses: { readonly id: string; readonly name: string }[] = []
  for (let i = 0; i < skimmer.blockCount(row); i++) {
    if (skimmer.blockKind(row, i) !== at.CALL_BLOCK) continue
    const { id, name } = skimmer.block(row, i)
    uses.push({ id: id ?? '', name: name ?? 'unknown' })
  }
  return uses.length === 0 ? NONE : uses
}

function toolResults(skimmer: Skimmer, row: number): TreeNode['toolResults'] {
  const results: { readonly id: string; readonly isError: boolean }[] = []
  for (let i = 0; i < skimmer.blockCount(row); i++) {
    if (skimmer.blockKind(row, i) !== at.RESULT_BLOCK) continue
    const { id, isError } = skimmer.block(row, i)
    results.push({ id: id ?? '', isError })
  }
  return results.length === 0 ? NONE : results
}

function skimUsage(skimmer: Skimmer, row: number, node: TreeNode, place: Place): UsageRow | undefined {
  const { messageId, model } = node
  if (!skimmer.has(row, at.HAS_USAGE) || messageId === null || model === null || model === '<synthetic>')
    return undefined
  const outputTokens = skimmer.number(row, at.OUTPUT_TOKENS)
  // The two kinds of cache writes are given only by newer clients; the sum decides where they disagree with it.
  const hour = skimmer.number(row, at.CACHE_WRITE_1H_TOKENS)
  const written = skimmer.number(row, at.CACHE_WRITE_TOKENS)
  const total = written || hour + skimmer.number(row, at.CACHE_WRITE_5M_TOKENS)
  return {
    inputTokens: skimmer.number(row, at.INPUT_TOKENS),
    outputTokens,
    cacheReadTokens: skimmer.number(row, at.CACHE_READ_TOKENS),
    cacheWrite5mTokens: total - Math.min(hour, total),
    cacheWrite1hTokens: Math.min(hour, total),
    webSearches: skimmer.number(row, at.WEB_SEARCHES),
    messageId,
    model,
    requestId: skimmer.id(row, at.REQUEST_ID) ?? '',
    timestamp: node.timestamp ?? '',
    place,
    isFork: skimmer.has(row, at.IS_FORK),
    isSidechain: node.isSidechain,
    geo: textAt(skimmer, row, at.GEO),
    speed: textAt(skimmer, row, at.SPEED),
    isPlaceholder: isPlaceholder(outputTokens, textAt(skimmer, row, at.STOP_REASON)),
  }
}

/** Empty texts are none. */
function textAt(skimmer: Skimmer, row: number, column: NameColumn): string | null {
  return skimmer.name(row, column) || null
}

function timeAt(skimmer: Skimmer, row: number, column: typeof at.TIME | typeof at.SNAPSHOT_TIME): string | null {
  const ms = skimmer.number(row, column)
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}
