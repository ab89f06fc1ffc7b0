import type { RowFacts, SkimmedRows } from '../facts/row-facts.ts'
import type { UsageRow } from '../usage/usage.ts'
import * as at from './layout.ts'
import type { SkimBatch } from './skim-log.ts'
import type { SkimmedRow } from './skimmed-row.ts'
import type { Skimmer } from './skimmer.ts'

/** The rows of the last skim, straight from its tables. One object serves all skims of a log. */
export class SkimTable implements SkimmedRows {
  words: Int32Array
  doubles: Float64Array
  blocks: Int32Array
  readonly #skimmer: Skimmer
  readonly #row: SkimmedRow
  readonly #file: string
  #offset = 0
  #line = 0

  constructor(skimmer: Skimmer, row: SkimmedRow, file: string) {
    this.words = skimmer.rows
    this.doubles = skimmer.doubles
    this.blocks = skimmer.blocks
    this.#skimmer = skimmer
    this.#row = row
    this.#file = file
  }

  /** Turns to the rows of a skim. */
  set({ offset, line }: SkimBatch): void {
    this.words = this.#skimmer.rows
    this.doubles = this.#skimmer.doubles
    this.blocks = this.#skimmer.blocks
    this.#offset = offset
    this.#line = line
  }

  offset(row: number): number {
    return this.#offset + this.#skimmer.offset(row)
  }

  name(name: number): string {
    return this.#skimmer.nameOf(name) ?? ''
  }

  messageId(row: number): string {
    return this.#skimmer.id(row, at.MESSAGE_ID) ?? ''
  }

  requestRef(row: number): string {
    return this.#skimmer.id(row, at.REQUEST_REF) ?? ''
  }

  blockId(row: number, i: number): string {
    return this.#skimmer.blockId(row, i) ?? ''
  }

  facts(row: number): RowFacts {
    return this.#row.set(row, this.#file, this.#line + this.#skimmer.lineNumber(row) + 1, this.offset(row))
  }

  usage(row: number): UsageRow {
    return this.facts(row).usage as UsageRow
  }
}
