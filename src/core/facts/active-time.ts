import type { RowFacts } from './row-facts.ts'

/** How long a log was worked on up to a row: plain data. */
export interface ActiveTime {
  readonly spentMs: number
  /** The latest time of a row, in milliseconds; `null` where none had one. */
  readonly lastAt: number | null
  /** Calls since the last prompt that nothing has answered yet. */
  readonly openCalls: number
}

const NO_TIME: ActiveTime = { spentMs: 0, lastAt: null, openCalls: 0 }

/** After so long without a row nobody worked, unless a tool did. */
const PAUSE_MS = 10 * 60_000

/** Adds up how long was worked from each thing asked to the last row that followed, pauses left out. */
export class ActiveTimeFold {
  #spentMs: number
  #lastAt: number
  #openCalls: number

  constructor({ spentMs, lastAt, openCalls }: ActiveTime = NO_TIME) {
    this.#spentMs = spentMs
    this.#lastAt = lastAt ?? Number.NEGATIVE_INFINITY
    this.#openCalls = openCalls
  }

  get spentMs(): number {
    return this.#spentMs
  }

  get time(): ActiveTime {
    const lastAt = Number.isFinite(this.#lastAt) ? this.#lastAt : null
    return { spentMs: this.#spentMs, lastAt, openCalls: this.#openCalls }
  }

  /** Takes a row of the tree, in file order. */
  add(facts: RowFacts): void {
    const { at } = facts
    const isAsked = ASKED.has(facts.kind as string)
    // Behind the latest time, or without one, no time has passed.
    if (at > this.#lastAt) {
      const gap = at - this.#lastAt
      const isWork = !isAsked && (gap <= PAUSE_MS || this.#openCalls > 0)
      if (isWork && Number.isFinite(gap)) this.#spentMs += gap
      this.#lastAt = at
    }
    this.#openCalls = isAsked ? 0 : Math.max(0, this.#openCalls + facts.callCount - facts.resultCount)
  }
}

/** What begins a turn, or may: until then nobody worked. */
const ASKED: ReadonlySet<string> = new Set(['prompt', 'queued-prompt', 'warmup', 'command', 'bash-input'])
