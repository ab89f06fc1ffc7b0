/** What says which session another was made from. */
interface Forked {
  readonly id: string
  readonly forkedFrom: string | null
}

/** A session of a list, where it stands. */
export interface ListedFork<T> {
  readonly session: T
  /** How many originals it stands under. */
  readonly depth: number
  /** The first of its family in the order that was given: the whole family stands at its place. */
  readonly first: T
}

/** Puts forks under their originals, as far as these are listed; what came first keeps its place, with its family. */
export function forksUnderOriginals<T extends Forked>(sessions: readonly T[]): readonly ListedFork<T>[] {
  // Most lists have none, and this is asked with every key that is pressed.
  if (sessions.every(({ forkedFrom }) => forkedFrom === null)) {
    return sessions.map((session) => ({ session, depth: 0, first: session }))
  }
  const byId = new Map(sessions.toReversed().map((session) => [session.id, session]))
  const forks = new Map<T, T[]>()
  for (const session of sessions) {
    const original = originalOf(session, byId)
    if (original) forks.set(original, [...(forks.get(original) ?? []), session])
  }
  const placed = new Set<T>()
  const lines: ListedFork<T>[] = []
  for (const first of sessions) {
    const left = [{ session: topOf(first, byId), depth: 0 }]
    for (let one = left.pop(); one; one = left.pop()) {
      if (placed.has(one.session)) continue
      placed.add(one.session)
      lines.push({ ...one, first })
      const below = (forks.get(one.session) ?? []).map((session) => ({ session, depth: (one?.depth ?? 0) + 1 }))
      left.push(...below.reverse())
    }
  }
  return lines
}

function originalOf<T extends Forked>(session: T, byId: ReadonlyMap<string, T>): T | undefined {
  const original = session.forkedFrom === null ? undefined : byId.get(session.forkedFrom)
  return original === session ? undefined : original
}

/** The original of originals; logs that name each other end where they meet. */
function topOf<T extends Forked>(session: T, byId: ReadonlyMap<string, T>): T {
  const seen = new Set([session])
  let top = session
  for (let next = originalOf(top, byId); next && !seen.has(next); next = originalOf(top, byId)) {
    seen.add(next)
    top = next
  }
  return top
}
