/** A stretch of time, in milliseconds since 1970. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** A call that ran: tools work, questions wait for a person. */
export interface RunningCall extends Stretch {
  readonly isAsking: boolean
}

/** Where the time of a turn went. */
export interface TimeSpent {
  /** From a call to its result; what ran side by side counts once. */
  readonly toolMs: number
  /** Questions and plans that waited for a person. */
  readonly askMs: number
  /** What is left: the API answering, as far as that can be known. */
  readonly apiMs: number
}

/** Says where the time of a turn went. The three parts make up the whole. */
export function timeSpent(turn: Stretch, calls: readonly RunningCall[]): TimeSpent {
  const within = calls.map((call) => ({
    ...call,
    from: Math.max(call.from, turn.from),
    to: Math.min(call.to, turn.to),
  }))
  const askMs = coveredMs(within.filter(({ isAsking }) => isAsking))
  const busyMs = coveredMs(within)
  return { toolMs: busyMs - askMs, askMs, apiMs: Math.max(0, turn.to - turn.from) - busyMs }
}

/** How long at least one of some stretches lasted. */
export function coveredMs(stretches: readonly Stretch[]): number {
  let covered = 0
  let reached = Number.NEGATIVE_INFINITY
  for (const { from, to } of stretches.toSorted((a, b) => a.from - b.from)) {
    if (to <= reached || to <= from) continue
    covered += to - Math.max(from, reached)
    reached = to
  }
  return covered
}
