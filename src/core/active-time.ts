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
  #time: ActiveTime

  constructor(before: ActiveTime = NO_TIME) {
    this.#time = before
  }

  get time(): ActiveTime {
    return this.#time
  }

  /** Takes a row of the tree, in file order. */
  add(facts: RowFacts): void {
    const { spentMs, lastAt, openCalls } = this.#time
    const isAsked = ASKED.has(facts.kind as string)
    const calls = isAsked ? 0 : Math.max(0, openCalls + facts.callCount - facts.resultCount)
    if (Number.isNaN(facts.at)) {
      this.#time = { spentMs, lastAt, openCalls: calls }
      return
    }
    const gap = lastAt === null ? 0 : Math.max(0, facts.at - lastAt)
    const isWork = !isAsked && (gap <= PAUSE_MS || openCalls > 0)
    this.#time = {
      spentMs: isWork ? spentMs + gap : spentMs,
      lastAt: Math.max(lastAt ?? facts.at, facts.at),
      openCalls: calls,
    }
  }
}

/** What begins a turn, or may: until then nobody worked. */
const ASKED: ReadonlySet<string> = new Set(['prompt', 'queued-prompt', 'warmup', 'command', 'bash-input'])
