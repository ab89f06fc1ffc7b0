/** As much of an agent as its turn is found by. */
export interface StartedAgent {
  readonly id: string
  /** The agent that started it; `null` where the session itself did. */
  readonly parentAgent: string | null
  readonly startedAt: string | null
}

/** The turns of a session, or of an agent that starts others. */
export interface OwnTurns<A> {
  /** Whose they are: an agent's id, or `null` for the session. */
  readonly owner: string | null
  /** When each began; `null` on abandoned branches, which time alone never points at. */
  readonly turns: readonly { readonly startedAt: string | null }[]
  /** The turn of the call that started an agent, where it is one of these. */
  readonly ofCall: (agent: A) => number | null
}

/**
 * The turn that an agent belongs to, by its index: that of the call which started it, or which started the agent above it. Where no such
 * call is found, the last turn that had begun by then, else the first. All agents of a session belong to one of its turns.
 */
export function turnOfAgent<A extends StartedAgent>(
  agent: A,
  family: readonly A[],
  { owner, turns, ofCall }: OwnTurns<A>,
): number | undefined {
  const line = new Set<A>([agent])
  // A set grows while it is walked; agents that name each other come to an end.
  for (const at of line) {
    const called = ofCall(at)
    if (called !== null) return called
    const above = at.parentAgent === owner ? undefined : family.find(({ id }) => id === at.parentAgent)
    if (above && !line.has(above)) line.add(above)
    else return owner === null || at.parentAgent === owner ? turnAt(turns, Date.parse(at.startedAt ?? '')) : undefined
  }
  return undefined
}

/** The last turn that had begun at a time, in milliseconds, else the first. */
export function turnAt(turns: OwnTurns<never>['turns'], ms: number): number | undefined {
  const last = turns.findLastIndex(({ startedAt }) => startedAt !== null && Date.parse(startedAt) <= ms)
  return turns.length === 0 ? undefined : Math.max(0, last)
}
