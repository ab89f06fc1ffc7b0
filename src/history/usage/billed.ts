import type { Spending } from './spending.ts'
import type { BilledSession, BilledSpending } from './usage.ts'

/** A log, and whose it is. */
export interface BilledLog {
  readonly session: BilledSession
  readonly path: string
  readonly agent: string | null
}

/** What a log spent, with whose it is. Field by field: a row of columns has none that could be spread. */
export function billedBy(one: Spending, { session, path, agent }: BilledLog): BilledSpending {
  const { log, at, model, used, costUsd, uncachedUsd, responses, rows, copies, placeholders } = one
  const { isSidechain, isAbandoned, call } = one
  const isAgent = agent !== null || isSidechain
  return {
    log,
    at,
    model,
    used,
    costUsd,
    uncachedUsd,
    responses,
    rows,
    copies,
    placeholders,
    isSidechain,
    isAbandoned,
    call,
    session,
    file: path,
    agent,
    isAgent,
  }
}
