import type { RowFacts } from '../facts/row-facts.ts'
import { NO_KEY, textKey } from '../facts/row-key.ts'
import type { Place } from '../log/place.ts'
import type { RowKind, TreeType } from '../log/row-kind.ts'
import { isoText } from '../time.ts'
import type { TreeNode } from '../tree/node.ts'
import type { UsageRow } from '../usage/usage.ts'
import * as at from './layout.ts'
import { SkimmedUsage } from './skimmed-usage.ts'
import type { NameColumn, Skimmer } from './skimmer.ts'

/**
 * The facts of a plain row: the same that `rowFacts` gives of its record, each made when it is asked for. One object serves all rows
 * of a log, one after the other: it says what the row is that it was set to last.
 */
export class SkimmedRow implements RowFacts {
  type = ''
  /** One of the few kinds that are not left to the parser. */
  kind: RowKind | undefined
  offset = 0
  readonly #skimmer: Skimmer
  readonly #usage: SkimmedUsage
  #row = 0
  #file = ''
  #line = 0
  /** The uuid that was asked for last, of whatever row. */
  #lastUuid: string | null = null
  // Texts that several readers of a row ask for; `undefined` until one does.
  #messageId: string | null | undefined
  #timestamp: string | undefined
  #toolUses: TreeNode['toolUses'] | undefined

  constructor(skimmer: Skimmer) {
    this.#skimmer = skimmer
    this.#usage = new SkimmedUsage(skimmer)
  }

  /** Turns to a row of the last skim; `line` and `offset` are where it stands in its log. */
  set(row: number, file: string, line: number, offset: number): this {
    this.#row = row
    this.#file = file
    this.#line = line
    this.offset = offset
    this.type = this.#skimmer.name(row, at.TYPE) as string
    this.kind = this.#kind()
    this.#messageId = undefined
    this.#timestamp = undefined
    this.#toolUses = undefined
    return this
  }

  get place(): Place {
    return {
      file: this.#file,
      line: this.#line,
      offset: this.offset,
      length: this.#skimmer.length(this.#row),
    }
  }

  get uuid(): string | null {
    const uuid = this.#skimmer.uuid(this.#row, at.UUID) ?? null
    this.#lastUuid = uuid
    return uuid
  }

  get parent(): string | null {
    const parent = this.#skimmer.uuid(this.#row, at.PARENT) ?? null
    return parent === this.#lastUuid ? this.#lastUuid : parent
  }

  get key(): number {
    return this.#skimmer.has(this.#row, at.HAS_UUID) ? this.#skimmer.number(this.#row, at.KEY) : NO_KEY
  }

  get parentKey(): number {
    return this.#skimmer.has(this.#row, at.HAS_PARENT) ? this.#skimmer.number(this.#row, at.PARENT_KEY) : NO_KEY
  }

  get logicalParentKey(): number {
    const uuid = this.#skimmer.uuid(this.#row, at.LOGICAL_PARENT)
    return uuid === undefined ? NO_KEY : textKey(uuid)
  }

  get sessionId(): string | null {
    return this.#nameAt(at.SESSION)
  }

  get timestamp(): string | null {
    if (Number.isNaN(this.at)) return null
    this.#timestamp ??= isoText(this.at)
    return this.#timestamp
  }

  get at(): number {
    return this.#skimmer.number(this.#row, at.TIME)
  }

  get writtenAt(): number {
    const ms = this.at
    return Number.isNaN(ms) ? this.#skimmer.number(this.#row, at.SNAPSHOT_TIME) : ms
  }

  get requestId(): string | null {
    return this.type === 'api-request' ? (this.#skimmer.id(this.#row, at.ID) ?? null) : null
  }

  get requestRef(): string | null {
    return this.#skimmer.id(this.#row, at.REQUEST_REF) || null
  }

  get parentToolUseId(): string | null {
    return this.#skimmer.id(this.#row, at.PARENT_TOOL_USE_ID) ?? null
  }

  get hasText(): boolean {
    return this.kind !== undefined && this.#countOf(at.TEXT_BLOCK) > 0
  }

  get cwd(): string | null {
    return this.#nameAt(at.CWD)
  }

  get gitBranch(): string | null {
    return this.#nameAt(at.GIT_BRANCH)
  }

  get version(): string | null {
    return this.#nameAt(at.VERSION)
  }

  get slug(): string | null {
    return this.#nameAt(at.SLUG)
  }

  get isSidechain(): boolean {
    return this.kind !== undefined && this.#skimmer.has(this.#row, at.IS_SIDECHAIN)
  }

  get messageId(): string | null {
    if (this.type !== 'assistant') return null
    this.#messageId ??= this.#skimmer.id(this.#row, at.MESSAGE_ID)
    return this.#messageId || null
  }

  get model(): string | null {
    return this.type === 'assistant' ? this.#nameAt(at.MODEL) : null
  }

  get forkedFrom(): string | null {
    return this.kind === undefined ? null : this.#nameAt(at.FORKED_FROM)
  }

  get callCount(): number {
    return this.type === 'assistant' ? this.#countOf(at.CALL_BLOCK) : 0
  }

  get resultCount(): number {
    return this.type === 'user' ? this.#countOf(at.RESULT_BLOCK) : 0
  }

  get toolUses(): TreeNode['toolUses'] {
    if (this.callCount === 0) return NONE
    this.#toolUses ??= this.#blocks(at.CALL_BLOCK).map(({ id, name }) => ({ id: id ?? '', name: name ?? 'unknown' }))
    return this.#toolUses
  }

  get toolResults(): TreeNode['toolResults'] {
    if (this.resultCount === 0) return NONE
    return this.#blocks(at.RESULT_BLOCK).map(({ id, isError }) => ({ id: id ?? '', isError }))
  }

  get node(): TreeNode | undefined {
    const { kind } = this
    if (kind === undefined) return undefined
    const skimmer = this.#skimmer
    const row = this.#row
    // Before its own: most hang under the row before, and share that text with it.
    const { parent } = this
    return {
      uuid: this.uuid ?? '',
      parent,
      logicalParent: skimmer.uuid(row, at.LOGICAL_PARENT) ?? null,
      type: this.type as TreeType,
      kind,
      subtype: skimmer.name(row, at.SUBTYPE) ?? skimmer.name(row, at.ATTACHMENT_TYPE) ?? null,
      isSidechain: skimmer.has(row, at.IS_SIDECHAIN),
      timestamp: this.timestamp,
      line: this.#line,
      offset: this.offset,
      length: skimmer.length(row),
      messageId: this.messageId,
      model: this.model,
      toolUses: this.toolUses,
      toolResults: this.toolResults,
      agentId: this.#nameAt(at.AGENT),
      preview: null,
      command: null,
      preserved: null,
      compaction: null,
      forkedFrom: this.#nameAt(at.FORKED_FROM),
    }
  }

  get usage(): UsageRow | undefined {
    const skimmer = this.#skimmer
    const row = this.#row
    if (!skimmer.has(row, at.HAS_USAGE)) return undefined
    const { messageId, model } = this
    if (messageId === null || model === null || model === '<synthetic>') return undefined
    return this.#usage.set(row, this)
  }

  #kind(): RowKind | undefined {
    const { type } = this
    if (type === 'user') return 'tool-result'
    if (type === 'assistant') {
      if (this.#skimmer.has(this.#row, at.IS_API_ERROR)) return 'api-error'
      return this.#skimmer.name(this.#row, at.MODEL) === '<synthetic>' ? 'synthetic' : 'response'
    }
    return type === 'system' || type === 'attachment' || type === 'progress' ? type : undefined
  }

  /** Empty texts are none. */
  #nameAt(column: NameColumn): string | null {
    return this.#skimmer.name(this.#row, column) || null
  }

  #countOf(kind: number): number {
    return this.#skimmer.countBlocks(this.#row, kind)
  }

  #blocks(kind: number): readonly ReturnType<Skimmer['block']>[] {
    const blocks: ReturnType<Skimmer['block']>[] = []
    for (let i = 0; i < this.#skimmer.blockCount(this.#row); i++) {
      if (this.#skimmer.blockKind(this.#row, i) === kind) blocks.push(this.#skimmer.block(this.#row, i))
    }
    return blocks
  }
}

const NONE: readonly never[] = []
