import type { FollowingRows, RowFacts } from '../facts/row-facts.ts'
import * as at from './layout.ts'
import type { SkimBatch } from './skim-log.ts'
import type { SkimmedRow } from './skimmed-row.ts'
import type { Skimmer } from './skimmer.ts'

/** Its place in `SKIMMED_TYPES`. */
const ASSISTANT = 1

/** Rows of the last skim that follow, straight from its tables. One object serves all skims of a log. */
export class SkimmedRows implements FollowingRows {
  readonly #skimmer: Skimmer
  readonly #row: SkimmedRow
  readonly #file: string
  #offset = 0
  #line = 0

  constructor(skimmer: Skimmer, row: SkimmedRow, file: string) {
    this.#skimmer = skimmer
    this.#row = row
    this.#file = file
  }

  /** Turns to the rows of a skim. */
  set({ offset, line }: SkimBatch): void {
    this.#offset = offset
    this.#line = line
  }

  /** The first row from one on that does not follow. */
  endOf(from: number, rows: number): number {
    let row = from
    while (row < rows && this.#skimmer.has(row, at.FOLLOWS)) row++
    return row
  }

  offset(row: number): number {
    return this.#offset + this.#skimmer.offset(row)
  }

  key(row: number): number {
    return this.#skimmer.number(row, at.KEY)
  }

  at(row: number): number {
    return this.#skimmer.number(row, at.TIME)
  }

  isAnswer(row: number): boolean {
    return this.#skimmer.typeNumber(row) === ASSISTANT
  }

  callCount(row: number): number {
    return this.#skimmer.countBlocks(row, at.CALL_BLOCK)
  }

  resultCount(row: number): number {
    return this.#skimmer.countBlocks(row, at.RESULT_BLOCK)
  }

  goesOn(row: number): boolean {
    return this.#skimmer.has(row, at.GOES_ON)
  }

  outputTokens(row: number): number {
    return this.#skimmer.number(row, at.OUTPUT_TOKENS)
  }

  callsAny(row: number, tools: readonly string[]): boolean {
    const blocks = this.#skimmer.blockCount(row)
    for (let i = 0; i < blocks; i++) {
      if (this.#skimmer.blockKind(row, i) !== at.CALL_BLOCK) continue
      if (tools.includes(this.#skimmer.blockName(row, i) ?? '')) return true
    }
    return false
  }

  callIds(row: number): readonly string[] {
    const ids: string[] = []
    const blocks = this.#skimmer.blockCount(row)
    for (let i = 0; i < blocks; i++) {
      if (this.#skimmer.blockKind(row, i) === at.CALL_BLOCK) ids.push(this.#skimmer.blockId(row, i) ?? '')
    }
    return ids
  }

  facts(row: number): RowFacts {
    return this.#row.set(row, this.#file, this.#line + this.#skimmer.lineNumber(row) + 1, this.offset(row))
  }
}
