/** What a person wants to be told of. */
export interface AlertRules {
  /** A session waits for the person. */
  readonly waits: boolean
  /** A session came to its end. */
  readonly ended: boolean
  /** A session ended in the middle of its work. */
  readonly failed: boolean
  /** A session costs more than so many dollars; `null` for never. */
  readonly costUsd: number | null
}

/** Nothing is told unless somebody wants it. */
export const NO_ALERTS: AlertRules = { waits: false, ended: false, failed: false, costUsd: null }

/** A session as it stands: what it does, where it runs, and what it cost so far. */
export interface Standing {
  readonly session: string
  readonly title: string
  /** `busy`, or `idle`: it waits; `null` where it does not run. */
  readonly state: string | null
  readonly costUsd: number | null
}

/** Something to tell. */
export interface Alert {
  readonly session: string
  readonly title: string
  readonly kind: 'waits' | 'ended' | 'failed' | 'cost'
}

/** What happened between two looks that a person wants to be told of. What was so at the first look is no news. */
export function alertsBetween(
  before: readonly Standing[],
  now: readonly Standing[],
  rules: AlertRules,
): readonly Alert[] {
  const earlier = new Map(before.map((one) => [one.session, one]))
  return now.flatMap((one) => {
    const was = earlier.get(one.session)
    const kinds = was ? [...kindsOf(was.state, one.state, rules), ...costKind(was, one, rules)] : []
    return kinds.map((kind) => ({ session: one.session, title: one.title, kind }))
  })
}

function kindsOf(was: string | null, is: string | null, rules: AlertRules): readonly Alert['kind'][] {
  if (rules.waits && was === 'busy' && is === 'idle') return ['waits']
  if (was === null || is !== null) return []
  if (was === 'busy' && rules.failed) return ['failed']
  return rules.ended ? ['ended'] : []
}

function costKind(was: Standing, is: Standing, { costUsd: limit }: AlertRules): readonly Alert['kind'][] {
  return limit !== null && (is.costUsd ?? 0) > limit && (was.costUsd ?? 0) <= limit ? ['cost'] : []
}
