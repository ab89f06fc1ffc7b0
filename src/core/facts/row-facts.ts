import { objectAt, stringAt, textAt } from '../json.ts'
import { blocksOf } from '../log/content.ts'
import type { Place } from '../log/place.ts'
import type { LogRecord } from '../log/record.ts'
import type { RowKind } from '../log/row-kind.ts'
import { timeOf } from '../time.ts'
import { nodeOf, type TreeNode } from '../tree/node.ts'
import { type UsageRow, usageRowOf } from '../usage/usage.ts'
import { NO_KEY, textKey } from './row-key.ts'

/**
 * What one record tells lists, sums and the tree. Made of a parsed record here; of unparsed bytes by `skim/skimmed-row`, which makes
 * each part when it is asked for, and holds until the next row.
 */
export interface RowFacts {
  readonly type: string
  readonly place: Place
  /** Where in its log it begins. */
  readonly offset: number
  readonly uuid: string | null
  readonly parent: string | null
  /** The keys of its uuids (`row-key`), `NO_KEY` for none. */
  readonly key: number
  readonly parentKey: number
  readonly logicalParentKey: number
  readonly sessionId: string | null
  readonly timestamp: string | null
  /** The same in milliseconds, NaN for what is no time. */
  readonly at: number
  /** When the record was written: its own time, or that of the file snapshot in it. */
  readonly writtenAt: number
  /** The id of an `api-request` row, and the one that an answer refers to. */
  readonly requestId: string | null
  readonly requestRef: string | null
  /** The call that a progress row tells of. */
  readonly parentToolUseId: string | null
  /** A row of the tree with texts beside calls and results. */
  readonly hasText: boolean
  readonly cwd: string | null
  readonly gitBranch: string | null
  readonly version: string | null
  readonly slug: string | null
  /** `undefined` for records that are not rows of the tree. */
  readonly kind: RowKind | undefined
  readonly isSidechain: boolean
  readonly messageId: string | null
  readonly model: string | null
  readonly forkedFrom: string | null
  /** How many calls a row makes, and how many it answers. */
  readonly callCount: number
  readonly resultCount: number
  readonly toolUses: TreeNode['toolUses']
  readonly toolResults: TreeNode['toolResults']
  readonly node: TreeNode | undefined
  readonly usage: UsageRow | undefined
}

/** The facts of a parsed record. */
export function rowFacts(record: LogRecord): RowFacts {
  const { raw, place } = record
  const node = nodeOf(record)
  const uuid = stringAt(raw, 'uuid') ?? null
  const parent = stringAt(raw, 'parentUuid') ?? null
  const timestamp = stringAt(raw, 'timestamp') ?? null
  const at = msOf(timestamp)
  return {
    type: record.kind === 'oversize' ? 'oversize' : (record.type ?? 'none'),
    place,
    offset: place.offset,
    uuid,
    parent,
    key: keyOf(uuid),
    parentKey: keyOf(parent),
    logicalParentKey: keyOf(stringAt(raw, 'logicalParentUuid') ?? null),
    sessionId: textAt(raw, 'sessionId') ?? null,
    timestamp,
    at,
    writtenAt: timestamp === null ? msOf(stringAt(objectAt(raw, 'snapshot'), 'timestamp') ?? null) : at,
    requestId: record.type === 'api-request' ? (stringAt(raw, 'id') ?? null) : null,
    requestRef: textAt(raw, 'requestRef') ?? null,
    parentToolUseId: stringAt(raw, 'parentToolUseID') ?? null,
    hasText: node !== undefined && blocksOf(raw).some((block) => stringAt(block, 'type') === 'text'),
    cwd: textAt(raw, 'cwd') ?? null,
    gitBranch: textAt(raw, 'gitBranch') ?? null,
    version: textAt(raw, 'version') ?? null,
    slug: textAt(raw, 'slug') ?? null,
    kind: node?.kind,
    isSidechain: node?.isSidechain ?? false,
    messageId: node?.messageId ?? null,
    model: node?.model ?? null,
    forkedFrom: node?.forkedFrom ?? null,
    callCount: node?.toolUses.length ?? 0,
    resultCount: node?.toolResults.length ?? 0,
    toolUses: node?.toolUses ?? NONE,
    toolResults: node?.toolResults ?? NONE,
    node,
    usage: usageRowOf(record),
  }
}

const NONE: readonly never[] = []

function keyOf(uuid: string | null): number {
  return uuid === null || uuid === '' ? NO_KEY : textKey(uuid)
}

function msOf(timestamp: string | null): number {
  const time = timestamp === null ? undefined : timeOf(timestamp)
  return time === undefined ? Number.NaN : Date.parse(time)
}
