import { grouped } from '../../core/grouped.ts'
import { type JsonObject, parseJson } from '../../core/json.ts'
import { sumUsage, type UsageTotal } from '../../core/usage/usage.ts'
import type { SessionFiles } from '../../disk/inventory.ts'
import { projectPath } from '../../disk/library.ts'
import type { BilledFilter, BilledLogRow } from '../../index/queries/billed-logs.ts'
import { familyKey } from '../../index/queries/family-key.ts'
import type { HistoryQueries } from '../../index/queries/history-queries.ts'
import { keyOfFiles } from '../families.ts'
import type { FoundSession } from '../find.ts'
import type { History, OnProgress } from '../history.ts'
import { priced, readSpending, type Spending, sumCosts } from './spending.ts'

/** A session in usage reports. Its log may be gone while its agents' are not. */
export interface BilledSession {
  readonly id: string
  readonly root: string
  /** See `familyKey`. */
  readonly key: string
  readonly project: { readonly key: string; readonly path: string | null }
  readonly lastAt: string | null
  /** The client's own ledger, as it last wrote it. */
  readonly ledger: JsonObject | null
  /** Compactions in its own log, those of agents in it included. */
  readonly compactions: number
  readonly interrupts: number
}

/** What was spent, and by which session. */
export interface BilledSpending extends Spending {
  readonly session: BilledSession
  readonly file: string
  /** The agent whose log it is; `null` for the session's own. */
  readonly agent: string | null
  /** An agent spent it, in its own log or inside the session's. */
  readonly isAgent: boolean
}

/** Everything spent, each response once, for the session that owns it. */
export interface Usage {
  /** By time; what has none comes last. */
  readonly calls: readonly BilledSpending[]
  readonly sessions: readonly BilledSession[]
  /** Rows that the client wrote in place of an answer. */
  readonly synthetic: readonly { readonly at: number; readonly session: BilledSession }[]
  /** Bytes of logs that could not be read, and are in no sum. */
  readonly behindBytes: number
}

/** Selects usage; without conditions all of it. */
export interface UsageFilter {
  /** One row per response, else one per quarter of an hour and price. */
  readonly single?: boolean
  /** Only calls from this time on, in milliseconds, and perhaps some before. */
  readonly since?: number | undefined
  /** Also all calls of the session with this id. */
  readonly session?: string | undefined
  readonly progress?: OnProgress
}

/** What some responses used and cost. `ownCostUsd` is the part that the sessions themselves spent, not their agents. */
export interface UsageSum extends UsageTotal {
  readonly costUsd: number | null
  readonly ownCostUsd: number | null
}

/** Adds up calls. */
export function sumBilled(calls: readonly BilledSpending[]): UsageSum {
  const own = calls.filter((one) => !one.isAgent)
  const responses = calls.reduce((sum, one) => sum + one.responses, 0)
  const tokens = sumUsage(calls.map((one) => one.used))
  return { ...tokens, responses, costUsd: sumCosts(calls), ownCostUsd: sumCosts(own) }
}

/** Reads what all logs spent. */
export async function readUsage(history: History, filter: UsageFilter = {}): Promise<Usage> {
  const { single = false, since, session: id, progress } = filter
  const queries = await history.refresh('facts', progress)
  const book = await history.prices()
  const logs = await readBilledLogs(queries, filter)
  const family = [...logs].filter(([, { session }]) => session.id === id).map(([log]) => log)
  const spent = await readSpending(queries.spending, book, { single, since, logs: family })
  return {
    calls: spent.map((one) => billedBy(one, logs.get(one.log) as BilledLog)).sort(byTime),
    sessions: [...new Set([...logs.values()].map(({ session }) => session))],
    synthetic: [...logs.values()].flatMap(({ session, synthetic }) =>
      synthetic.map((at) => ({ at: Date.parse(at), session })),
    ),
    behindBytes: await history.unreadBytes(),
  }
}

/** What one session and its agents spent, response by response. */
export async function sessionUsage(history: History, files: SessionFiles): Promise<readonly BilledSpending[]> {
  const spent: BilledSpending[] = []
  for await (const part of spentInParts(history, files)) for (const one of part) spent.push(one)
  return spent.sort(byTime)
}

/** The same in pages and in no order: all responses of a huge session at once would take more memory than its rows. */
export async function* spentInParts(
  history: History,
  files: SessionFiles,
): AsyncGenerator<readonly BilledSpending[], void> {
  const queries = await history.refresh()
  const logs = await readBilledLogs(queries, { since: Number.MAX_SAFE_INTEGER, session: files.id })
  const key = keyOfFiles(files)
  const family = [...logs].filter(([, { session }]) => session.key === key).map(([id]) => id)
  const book = await history.prices()
  for (let after = -1; ; ) {
    const { rows, last } = await queries.spending.page({ logs: family, after, limit: PART_RESPONSES })
    if (rows.length > 0) yield priced(rows, book).map((one) => billedBy(one, logs.get(one.log) as BilledLog))
    if (last === after) return
    after = last
  }
}

const PART_RESPONSES = 2_500

/** Returns a test for what a session spent, or what an agent of it spent. */
export async function spentBy(
  history: History,
  { files, agent }: FoundSession,
): Promise<(one: BilledSpending) => boolean> {
  const key = keyOfFiles(files)
  if (!agent) return ({ session }) => session.key === key
  if (agent.log) return ({ file }) => file === agent.log?.path
  const infos = await (await history.refresh()).sessions.infos([files.id])
  const linked = infos.get(key)?.agents.find(({ id }) => id === agent.id)
  return ({ file, call }) => file === files.log?.path && (linked?.responses.includes(call?.offset ?? -1) ?? false)
}

/** The same for several. */
export async function spentByAny(
  history: History,
  found: Iterable<FoundSession>,
): Promise<(one: BilledSpending) => boolean> {
  const all = [...found]
  const whole = new Set(all.filter(({ agent }) => !agent).map(({ files }) => keyOfFiles(files)))
  const agents = await Promise.all(all.filter(({ agent }) => agent).map((one) => spentBy(history, one)))
  return (one) => whole.has(one.session.key) || agents.some((isOf) => isOf(one))
}

/** A log, and the session that it belongs to. */
interface BilledLog {
  readonly session: BilledSession
  readonly path: string
  readonly agent: string | null
  readonly synthetic: readonly string[]
}

/** With the spread last: there are many, and adding fields behind it is slow (docs/decisions/performance.md). */
function billedBy(one: Spending, { session, path, agent }: BilledLog): BilledSpending {
  return { session, file: path, agent, isAgent: agent !== null || one.isSidechain, ...one }
}

/** The logs that count, by id, each with its session. */
async function readBilledLogs(queries: HistoryQueries, filter: BilledFilter): Promise<ReadonlyMap<number, BilledLog>> {
  const rows = await queries.spending.logs({ since: filter.since, session: filter.session })
  const families = grouped(rows, ({ root, project, session }) => familyKey(root, project, session))
  const logs = new Map<number, BilledLog>()
  for (const [key, family] of families) {
    const session = billedSession(key, family)
    for (const { id, path, agent, synthetic } of family) {
      logs.set(id, { session, path, agent, synthetic: synthetic === '[]' ? NONE : (parseJson(synthetic) as string[]) })
    }
  }
  return logs
}

const NONE: readonly string[] = []

function billedSession(key: string, family: readonly [BilledLogRow, ...BilledLogRow[]]): BilledSession {
  const [first] = family
  const main = family.find(({ agent }) => agent === null)
  const cwds = family.flatMap(({ cwd, relocatedCwd }) => [cwd, relocatedCwd])
  return {
    id: first.session,
    root: first.root,
    key,
    project: { key: first.project, path: projectPath(first.project, cwds) },
    lastAt: (main ?? first).lastAt,
    ledger: main?.ledger ? (parseJson(main.ledger) as JsonObject) : null,
    compactions: main?.compactions ?? 0,
    interrupts: main?.interrupts ?? 0,
  }
}

/** The order in which calls are listed and added up: the last digit of a sum of fractions depends on it. */
export function byTime(a: TimedCost, b: TimedCost): number {
  const timeOf = ({ at }: TimedCost) => (Number.isNaN(at) ? Number.POSITIVE_INFINITY : at)
  return timeOf(a) - timeOf(b) || (a.costUsd ?? 0) - (b.costUsd ?? 0) || a.log - b.log
}

type TimedCost = Pick<BilledSpending, 'at' | 'costUsd' | 'log'>
