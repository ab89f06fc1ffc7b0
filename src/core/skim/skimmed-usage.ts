import type { RowFacts } from '../facts/row-facts.ts'
import type { Place } from '../log/place.ts'
import { isPlaceholder, type UsageRow } from '../usage/usage.ts'
import * as at from './layout.ts'
import type { Skimmer } from './skimmer.ts'

/** What a plain row bills: the same that `usageRowOf` gives of its record. Holds until the next row. */
export class SkimmedUsage implements UsageRow {
  inputTokens = 0
  outputTokens = 0
  cacheReadTokens = 0
  cacheWrite5mTokens = 0
  cacheWrite1hTokens = 0
  webSearches = 0
  isFork = false
  isSidechain = false
  geo: string | null = null
  speed: string | null = null
  isPlaceholder = false
  readonly #skimmer: Skimmer
  #row = 0
  #facts: RowFacts | undefined

  constructor(skimmer: Skimmer) {
    this.#skimmer = skimmer
  }

  /** Turns to a row that has a message id, a model and usage; `facts` are those of the same row. */
  set(row: number, facts: RowFacts): this {
    const skimmer = this.#skimmer
    const { rows: words, doubles } = skimmer
    const word = row * at.ROW_WORDS
    const double = word / 2
    const flags = words[word + at.FLAGS] as number
    // The two kinds of cache writes are given only by newer clients; the sum decides where they disagree with it.
    const hour = doubles[double + at.CACHE_WRITE_1H_TOKENS] as number
    const short = doubles[double + at.CACHE_WRITE_5M_TOKENS] as number
    const written = (doubles[double + at.CACHE_WRITE_TOKENS] as number) || hour + short
    this.#row = row
    this.#facts = facts
    this.inputTokens = doubles[double + at.INPUT_TOKENS] as number
    this.outputTokens = doubles[double + at.OUTPUT_TOKENS] as number
    this.cacheReadTokens = doubles[double + at.CACHE_READ_TOKENS] as number
    this.cacheWrite1hTokens = Math.min(hour, written)
    this.cacheWrite5mTokens = written - this.cacheWrite1hTokens
    this.webSearches = doubles[double + at.WEB_SEARCHES] as number
    this.isFork = (flags & at.IS_FORK) !== 0
    this.isSidechain = (flags & at.IS_SIDECHAIN) !== 0
    this.geo = skimmer.nameOf(words[word + at.GEO] as number) || null
    this.speed = skimmer.nameOf(words[word + at.SPEED] as number) || null
    const stopReason = skimmer.nameOf(words[word + at.STOP_REASON] as number) || null
    this.isPlaceholder = isPlaceholder(this.outputTokens, stopReason)
    return this
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
}
