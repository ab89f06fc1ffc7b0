import { numberAt, objectAt } from '../../core/json.ts'
import { modelName } from '../../core/usage/model-name.ts'
import { familyKey } from '../../index/queries/family-key.ts'
import type { SessionPlace } from '../../index/queries/holdings.ts'
import type { History } from '../history.ts'
import { sumCosts } from './spending.ts'
import { type BilledSession, type BilledSpending, readUsage, type Usage } from './usage.ts'

/** What the client's own ledger says of a session, beside what its rows come to. */
export interface LedgerLine {
  readonly session: BilledSession
  readonly ledgerUsd: number
  readonly loggedUsd: number
  /** The ledger less the rows: positive where the client paid for what no row shows. */
  readonly differenceUsd: number
  readonly reasons: readonly string[]
  /** Sessions that one another's ledgers include have the same. */
  readonly lineage: string
}

/** Smaller differences are those of floating point. */
const SMALLEST_USD = 1e-6

/** Whether two amounts of money differ. */
export function differs(differenceUsd: number): boolean {
  return Math.abs(differenceUsd) > SMALLEST_USD
}

/**
 * Sets the client's ledgers beside the rows. A ledger covers all responses of its session and its agents, those that
 * `--fork-session` copied without a mark too, but not those that a branch copied with one: there it began at zero.
 */
export async function ledgerLines(history: History, usage: Usage): Promise<readonly LedgerLine[]> {
  const withLedger = usage.sessions.filter(({ ledger }) => numberAt(ledger, 'totalCostUSD') !== undefined)
  if (withLedger.length === 0) return []
  const seen = await responsesSeen(history, usage)
  const kin = kinOf(seen)
  return withLedger.map((session) => {
    const ledgerUsd = numberAt(session.ledger, 'totalCostUSD') as number
    const own = seen.get(session) ?? new Set()
    const others = [...(kin.get(session) ?? [])].filter((other) => other !== session)
    const inherited = others.flatMap((other) => agentsBefore(seen.get(other) ?? new Set(), own))
    const covered = new Set([...own, ...inherited])
    const loggedUsd = sumCosts([...covered]) ?? 0
    const differenceUsd = ledgerUsd - loggedUsd
    const reasons = differs(differenceUsd) ? reasonsOf(session, covered, differenceUsd) : []
    const lineage = [session, ...others].map(({ id }) => id).sort()[0] as string
    return { session, ledgerUsd, loggedUsd, differenceUsd, reasons, lineage }
  })
}

/**
 * What each session's own files show, without what is marked as a copy. Most share nothing, so that their sums will do; of the
 * others every response is looked at.
 */
async function responsesSeen(
  history: History,
  { calls, sessions }: Usage,
): Promise<Map<BilledSession, Set<BilledSpending>>> {
  const shared = await (await history.refresh()).spending.shared()
  const byKey = new Map(sessions.map((session) => [session.key, session]))
  const sessionOf = ({ root, project, session }: SessionPlace) => byKey.get(familyKey(root, project, session))
  const mixed = new Set(shared.sessions.map(sessionOf))
  const seen = new Map<BilledSession, Set<BilledSpending>>()
  const add = (session: BilledSession, one: BilledSpending) => {
    const set = seen.get(session) ?? new Set()
    seen.set(session, set.add(one))
  }
  for (const one of calls) if (!mixed.has(one.session)) add(one.session, one)
  if (mixed.size === 0) return seen
  const single = await readUsage(history, { single: true })
  const byCall = new Map(single.calls.map((one) => [one.call?.key, one]))
  for (const row of shared.unmarked) {
    const session = sessionOf(row)
    const one = byCall.get(row.key)
    if (session && one && mixed.has(session)) add(session, one)
  }
  return seen
}

/** Which sessions share responses without a mark: one of them was copied from the other, and its ledger with it. */
function kinOf(
  seen: ReadonlyMap<BilledSession, ReadonlySet<BilledSpending>>,
): ReadonlyMap<BilledSession, ReadonlySet<BilledSession>> {
  const kin = new Map<BilledSession, Set<BilledSession>>()
  const owner = new Map<BilledSpending, BilledSession>()
  for (const [session, responses] of seen) {
    kin.set(session, new Set([session]))
    for (const one of responses) {
      const other = owner.get(one)
      if (other) join(kin, session, other)
      else owner.set(one, session)
    }
  }
  return kin
}

/** Makes one group of two, by adding the smaller to the larger. */
function join(kin: Map<BilledSession, Set<BilledSession>>, a: BilledSession, b: BilledSession): void {
  const [large, small] = [kin.get(a), kin.get(b)].sort((x, y) => (y?.size ?? 0) - (x?.size ?? 0))
  if (!large || !small || large === small) return
  for (const session of small) {
    large.add(session)
    kin.set(session, large)
  }
}

/** The agents of a session that had answered when another was copied from it: only their session's folder has them. */
function agentsBefore(
  theirs: ReadonlySet<BilledSpending>,
  ours: ReadonlySet<BilledSpending>,
): readonly BilledSpending[] {
  const shared = [...theirs].filter((one) => ours.has(one))
  const last = shared.reduce((latest, one) => (one.at > latest ? one.at : latest), Number.NEGATIVE_INFINITY)
  return [...theirs].filter((one) => one.isAgent && one.at <= last)
}

function reasonsOf(
  session: BilledSession,
  covered: ReadonlySet<BilledSpending>,
  differenceUsd: number,
): readonly string[] {
  const { compactions, interrupts, ledger } = session
  if (differenceUsd < 0) {
    if (interrupts > 0) return [`${some(interrupts, 'interrupted request')} that Claude Code left out`]
    return ['the session continued after Claude Code last wrote its totals']
  }
  const known = new Set([...covered].map((one) => one.model))
  const models = Object.keys(objectAt(ledger, 'modelUsage') ?? {}).map(modelName)
  const others = models.filter((model) => !known.has(model))
  const unpriced = [...covered].some((one) => one.costUsd === null)
  const reasons = [
    ...(compactions > 0 ? [some(compactions, 'compaction')] : []),
    ...(interrupts > 0 ? [some(interrupts, 'interrupted request')] : []),
    ...(others.length > 0 ? [`titles and side calls to ${others.join(', ')}`] : []),
    ...(unpriced ? ['models that only Claude Code has a price for'] : []),
  ]
  return reasons.length > 0 ? reasons : ['titles and side calls']
}

function some(n: number, one: string): string {
  return `${n} ${one}${n === 1 ? '' : 's'}`
}

/**
 * What is in the client's ledgers and in no line: of each lineage the largest difference, since the ledger of a copy
 * includes what its origin had paid.
 */
export function unloggedOf(lines: readonly LedgerLine[]): { readonly costUsd: number; readonly reasons: string[] } {
  const largest = new Map<string, LedgerLine>()
  for (const line of lines) {
    const known = largest.get(line.lineage)
    if (!known || line.differenceUsd > known.differenceUsd) largest.set(line.lineage, line)
  }
  const found = [...largest.values()].filter((line) => line.differenceUsd > 0 && differs(line.differenceUsd))
  const reasons = found.flatMap((line) => line.reasons)
  return { costUsd: found.reduce((sum, line) => sum + line.differenceUsd, 0), reasons: merged(reasons) }
}

/** The same reasons of several sessions as one: `1 compaction` and `2 compactions` are `3 compactions`. */
function merged(reasons: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const reason of reasons) {
    const [, n, noun] = /^(\d+) (.*?)s?$/.exec(reason) ?? []
    const key = noun ?? reason
    counts.set(key, (counts.get(key) ?? 0) + Number(n ?? 0))
  }
  return [...counts].map(([reason, n]) => (n > 0 ? some(n, reason) : reason))
}
