import type { RowFacts } from '../facts/row-facts.ts'
import type { Place } from '../log/place.ts'
import { isPlaceholder, type UsageRow } from '../usage/usage.ts'
import * as at from './layout.ts'
import type { Skimmer } from './skimmer.ts'

/** What a plain row bills: the same that `usageRowOf` gives of its record, each part made when it is asked for. Holds until the next row. */
export class SkimmedUsage implements UsageRow {
  readonly #skimmer: Skimmer
  #row = 0
  #facts: RowFacts | undefined

  constructor(skimmer: Skimmer) {
    this.#skimmer = skimmer
  }

  /** Turns to a row that has a message id, a model and usage; `facts` are those of the same row. */
  set(row: number, facts: RowFacts): this {
    this.#row = row
    this.#facts = facts
    return this
  }

  get inputTokens(): number {
    return this.#skimmer.number(this.#row, at.INPUT_TOKENS)
  }

  get outputTokens(): number {
    return this.#skimmer.number(this.#row, at.OUTPUT_TOKENS)
  }

  get cacheReadTokens(): number {
    return this.#skimmer.number(this.#row, at.CACHE_READ_TOKENS)
  }

  get cacheWrite5mTokens(): number {
    return this.#written - this.cacheWrite1hTokens
  }

  get cacheWrite1hTokens(): number {
    return Math.min(this.#skimmer.number(this.#row, at.CACHE_WRITE_1H_TOKENS), this.#written)
  }

  get webSearches(): number {
    return this.#skimmer.number(this.#row, at.WEB_SEARCHES)
  }

  get messageId(): string {
    return this.#facts?.messageId ?? ''
  }

  get requestId(): string {
    return this.#skimmer.id(this.#row, at.REQUEST_ID) ?? ''
  }

  get model(): string {
    return this.#facts?.model ?? ''
  }

  get timestamp(): string {
    return this.#facts?.timestamp ?? ''
  }

  get place(): Place {
    return (this.#facts as RowFacts).place
  }

  get isFork(): boolean {
    return this.#skimmer.has(this.#row, at.IS_FORK)
  }

  get isSidechain(): boolean {
    return this.#skimmer.has(this.#row, at.IS_SIDECHAIN)
  }

  get geo(): string | null {
    return this.#skimmer.name(this.#row, at.GEO) || null
  }

  get speed(): string | null {
    return this.#skimmer.name(this.#row, at.SPEED) || null
  }

  get isPlaceholder(): boolean {
    return isPlaceholder(this.outputTokens, this.#skimmer.name(this.#row, at.STOP_REASON) || null)
  }

  /** The two kinds of cache writes are given only by newer clients; the sum decides where they disagree with it. */
  get #written(): number {
    const hour = this.#skimmer.number(this.#row, at.CACHE_WRITE_1H_TOKENS)
    const short = this.#skimmer.number(this.#row, at.CACHE_WRITE_5M_TOKENS)
    return this.#skimmer.number(this.#row, at.CACHE_WRITE_TOKENS) || hour + short
  }
}
