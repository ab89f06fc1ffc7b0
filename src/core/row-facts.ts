import { blocksOf } from './content.ts'
import { objectAt, stringAt, textAt } from './json.ts'
import { nodeOf, type TreeNode } from './node.ts'
import type { LogRecord } from './record.ts'
import { type UsageRow, usageRowOf } from './usage.ts'

/** What one record tells lists, sums and the tree. Made of a parsed record here, of unparsed bytes by `skim/skim-facts`. */
export interface RowFacts {
  readonly type: string
  readonly uuid: string | null
  readonly parent: string | null
  readonly sessionId: string | null
  readonly timestamp: string | null
  /** The time of a file snapshot, which has none of its own. */
  readonly snapshotTimestamp: string | null
  /** The id of an `api-request` row, and the one that an answer refers to. */
  readonly requestId: string | null
  readonly requestRef: string | null
  /** The call that a progress row tells of. */
  readonly parentToolUseId: string | null
  /** A message with texts beside calls and results. */
  readonly hasText: boolean
  readonly cwd: string | null
  readonly gitBranch: string | null
  readonly version: string | null
  readonly slug: string | null
  /** `undefined` for records that are not rows of the tree. */
  readonly node: TreeNode | undefined
  readonly usage: UsageRow | undefined
}

export function rowFacts(record: LogRecord): RowFacts {
  const { raw } = record
  return {
    type: record.kind === 'oversize' ? 'oversize' : (record.type ?? 'none'),
    uuid: stringAt(raw, 'uuid') ?? null,
    parent: stringAt(raw, 'parentUuid') ?? null,
    sessionId: textAt(raw, 'sessionId') ?? null,
    timestamp: stringAt(raw, 'timestamp') ?? null,
    snapshotTimestamp: stringAt(objectAt(raw, 'snapshot'), 'timestamp') ?? null,
    requestId: record.type === 'api-request' ? (stringAt(raw, 'id') ?? null) : null,
    requestRef: textAt(raw, 'requestRef') ?? null,
    parentToolUseId: stringAt(raw, 'parentToolUseID') ?? null,
    hasText: blocksOf(raw).some((block) => stringAt(block, 'type') === 'text'),
    cwd: textAt(raw, 'cwd') ?? null,
    gitBranch: textAt(raw, 'gitBranch') ?? null,
    version: textAt(raw, 'version') ?? null,
    slug: textAt(raw, 'slug') ?? null,
    node: nodeOf(record),
    usage: usageRowOf(record),
  }
}
