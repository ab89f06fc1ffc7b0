import type { Place } from '../core/log/place.ts'
import type { Tokens } from '../core/usage/usage.ts'
import type { BilledSpending } from '../history/usage/usage.ts'

/** One response of the API, counted once over all logs, for the session that owns it. */
export interface BilledCall extends Tokens {
  readonly session: string
  /** The agent that spent it in a log of its own. */
  readonly agent: string | null
  readonly at: string | null
  readonly model: string
  /** In US dollars at API prices; `null` where nobody knows the price. */
  readonly costUsd: number | null
  readonly messageId: string
  readonly requestId: string | null
  /** The turn of its session, counted from 1; an agent's call belongs to the turn that started the agent. */
  readonly turn: number | null
  /** It stands on a branch that was left. */
  readonly isAbandoned: boolean
  /** Where its first row stands. */
  readonly place: Place
}

/** What calls cost. */
export interface Price {
  /** `null` where no price of any of them is known. */
  readonly usd: number | null
  /** Calls that nobody knows the price of: they are in no sum. */
  readonly unpriced: number
}

/** Adds up what calls cost. */
export function priceOf(calls: Iterable<Pick<BilledCall, 'costUsd'>>): Price {
  let usd: number | null = null
  let unpriced = 0
  for (const { costUsd } of calls) {
    if (costUsd === null) unpriced += 1
    else usd = (usd ?? 0) + costUsd
  }
  // Of nothing, the price is known.
  return { usd: usd ?? (unpriced === 0 ? 0 : null), unpriced }
}

/** A response as the index tells it, as plain data. */
export function toBilledCall(one: BilledSpending, turn: number | null): BilledCall {
  const { used, call, at, model, costUsd, session, agent, file, isAbandoned } = one
  const { messageId = '', requestId = null, line = 0, offset = 0, length = 0 } = call ?? {}
  return {
    session: session.id,
    agent,
    at: Number.isNaN(at) ? null : new Date(at).toISOString(),
    model,
    costUsd,
    inputTokens: used.inputTokens,
    outputTokens: used.outputTokens,
    cacheReadTokens: used.cacheReadTokens,
    cacheWrite5mTokens: used.cacheWrite5mTokens,
    cacheWrite1hTokens: used.cacheWrite1hTokens,
    webSearches: used.webSearches,
    messageId,
    requestId,
    turn,
    isAbandoned,
    place: { file, line, offset, length },
  }
}
