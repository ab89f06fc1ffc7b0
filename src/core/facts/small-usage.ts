import type { Place } from '../log/place.ts'
import type { TreeNode } from '../tree/node.ts'
import type { UsageRow, UsedRow } from '../usage/usage.ts'
import { Alikes } from './alikes.ts'
import type { RowEvidence } from './evidence.ts'

/** What many rows have in common. */
interface Alike extends Pick<UsageRow, 'model' | 'isFork' | 'isSidechain' | 'geo' | 'speed' | 'isPlaceholder'> {
  readonly file: string
  readonly sessionId: string | null
  readonly isMadeHere: boolean
}

/** Makes the usage of a log small: that of all answers is held while it is open (docs/decisions/performance.md). */
export class UsagePacker {
  readonly #alikes = new Alikes(isAlike)

  /** `index` is that of the row of the tree on which it stands. */
  pack(row: UsageRow, node: TreeNode, index: number, { sessionId, isMadeHere, requestRef, writtenAt }: RowEvidence) {
    const { model, isFork, isSidechain, geo, speed, isPlaceholder } = row
    const { file } = row.place
    const alike = this.#alikes.of({
      model,
      isFork,
      isSidechain,
      geo,
      speed,
      isPlaceholder,
      file,
      sessionId,
      isMadeHere,
    })
    return new SmallUsage(row, { node, index }, { requestRef, writtenAt }, alike)
  }
}

function isAlike(one: Alike, other: Alike): boolean {
  return (
    one.isPlaceholder === other.isPlaceholder &&
    one.isSidechain === other.isSidechain &&
    one.isFork === other.isFork &&
    one.isMadeHere === other.isMadeHere &&
    one.model === other.model &&
    one.geo === other.geo &&
    one.speed === other.speed &&
    one.sessionId === other.sessionId &&
    one.file === other.file
  )
}

/** A usage row that holds what is its own; the rest is told by its row of the tree, and by what it has in common with others. */
class SmallUsage implements UsedRow {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWrite5mTokens: number
  readonly cacheWrite1hTokens: number
  readonly webSearches: number
  readonly requestId: string
  readonly node: number
  private readonly row: TreeNode
  private readonly requestRef: string | null
  private readonly writtenAt: number
  private readonly alike: Alike

  constructor(
    row: UsageRow,
    { node, index }: { readonly node: TreeNode; readonly index: number },
    { requestRef, writtenAt }: Pick<RowEvidence, 'requestRef' | 'writtenAt'>,
    alike: Alike,
  ) {
    this.inputTokens = row.inputTokens
    this.outputTokens = row.outputTokens
    this.cacheReadTokens = row.cacheReadTokens
    this.cacheWrite5mTokens = row.cacheWrite5mTokens
    this.cacheWrite1hTokens = row.cacheWrite1hTokens
    this.webSearches = row.webSearches
    this.requestId = row.requestId
    this.node = index
    this.row = node
    this.requestRef = requestRef
    this.writtenAt = writtenAt
    this.alike = alike
  }

  /** A row that carries usage has one. */
  get messageId() {
    return this.row.messageId as string
  }

  get timestamp() {
    return this.row.timestamp ?? ''
  }

  get place(): Place {
    const { line, offset, length } = this.row
    return { file: this.alike.file, line, offset, length }
  }

  get model() {
    return this.alike.model
  }

  get isFork() {
    return this.alike.isFork
  }

  get isSidechain() {
    return this.alike.isSidechain
  }

  get geo() {
    return this.alike.geo
  }

  get speed() {
    return this.alike.speed
  }

  get isPlaceholder() {
    return this.alike.isPlaceholder
  }

  get evidence(): RowEvidence {
    const { requestRef, writtenAt } = this
    const { sessionId, isMadeHere } = this.alike
    return { sessionId, requestRef, isMadeHere, writtenAt }
  }
}
