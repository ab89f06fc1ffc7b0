import { grouped } from '../../core/grouped.ts'
import { type JsonObject, parseJson } from '../../core/json.ts'
import { sumUsage, type UsageTotal } from '../../core/usage/usage.ts'
import type { SessionFiles } from '../../disk/inventory.ts'
import { projectPath } from '../../disk/library.ts'
import { type Database, hasSqlite, type Query, type Row, selectAll } from '../../index/driver.ts'
import { spentAlone } from '../alone.ts'
import { familyKey, keyOfFiles, sessionsOfLogs } from '../families.ts'
import type { FoundSession } from '../find.ts'
import type { History, OnProgress } from '../history.ts'
import { infoOf } from '../info.ts'
import { type BilledLog, billedBy } from './billed.ts'
import { QUARTER_MS, type Spending, sumCosts } from './spending.ts'

/** A session, as far as usage is concerned. Its log may be gone while its agents' are not. */
export interface BilledSession {
  readonly id: string
  readonly root: string
  readonly project: { readonly key: string; readonly path: string | null }
  readonly title: string | null
  readonly lastAt: string | null
  /** The client's own ledger, as it last wrote it. */
  readonly ledger: JsonObject | null
  /** Compactions of its own log, those of agents in it included. */
  readonly compactions: number
  readonly interrupts: number
}

/** What was spent, and by whom. */
export interface BilledSpending extends Spending {
  readonly session: BilledSession
  readonly file: string
  /** The agent whose log it is; `null` for the session's own. */
  readonly agent: string | null
  /** An agent spent it, in its own log or inside the session's. */
  readonly isAgent: boolean
}

/** All that was spent, each response once, for the session that owns it. */
export interface Usage {
  /** By time; what has none comes last. */
  readonly calls: readonly BilledSpending[]
  readonly sessions: readonly BilledSession[]
  /** Rows that the client wrote itself, in an answer's place. */
  readonly synthetic: readonly { readonly at: number; readonly session: BilledSession }[]
  /** How much of the logs could not be read, so that it is in no sum. */
  readonly behindBytes: number
}

/** What of all that was spent is asked for; without bounds all of it. */
export interface UsageFilter {
  /** The responses one by one, else those of a quarter of an hour that are billed alike. */
  readonly single?: boolean
  /** Only calls from this time on, in milliseconds, and perhaps some before. */
  readonly since?: number | undefined
  /** All calls of the session of this id too. */
  readonly session?: string | undefined
  readonly progress?: OnProgress
}

/** What some responses used and cost. `ownCostUsd` is the part that the sessions themselves spent, not their agents. */
export interface UsageSum extends UsageTotal {
  readonly costUsd: number | null
  readonly ownCostUsd: number | null
}

/** Adds up what was spent. */
export function sumBilled(calls: readonly BilledSpending[]): UsageSum {
  const own = calls.filter((one) => !one.isAgent)
  const responses = calls.reduce((sum, one) => sum + one.responses, 0)
  const tokens = sumUsage(calls.map((one) => one.used))
  return { ...tokens, responses, costUsd: sumCosts(calls), ownCostUsd: sumCosts(own) }
}

/** Adds up all logs. */
export async function readUsage(history: History, filter: UsageFilter = {}): Promise<Usage> {
  const { single = false, since, session: id, progress } = filter
  await history.refresh(progress)
  const book = await history.prices()
  const logs = billedLogs(history, filter)
  const family = [...logs].filter(([, { session }]) => session.id === id).map(([log]) => log)
  const calls = history
    .ask()
    .spending(book, { single, since, logs: family })
    .map((one) => billedBy(one, logs.get(one.log) as BilledLog))
  return {
    calls: calls.sort(byTime),
    sessions: [...new Set([...logs.values()].map(({ session }) => session))],
    synthetic: [...logs.values()].flatMap(({ session, synthetic }) =>
      synthetic.map((at) => ({ at: Date.parse(at), session })),
    ),
    behindBytes: history.unreadBytes(() => readPaths(history.tables())),
  }
}

/** What one session and its agents spent, response by response. */
export async function sessionUsage(history: History, files: SessionFiles): Promise<readonly BilledSpending[]> {
  const spent: BilledSpending[] = []
  for await (const part of spentInParts(history, files)) for (const one of part) spent.push(one)
  return spent.sort(byTime)
}

/** The same in parts and in no order: of a huge session, all at once would take more memory than its rows. */
export async function* spentInParts(
  history: History,
  files: SessionFiles,
): AsyncGenerator<Iterable<BilledSpending>, void> {
  if (!hasSqlite()) return yield await spentAlone(history, files)
  await history.refresh()
  const logs = billedLogs(history, { since: Number.MAX_SAFE_INTEGER, session: files.id })
  const key = keyOfFiles(files)
  const family = [...logs].filter(([, { session }]) => keyOfBilled(session) === key).map(([id]) => id)
  const book = await history.prices()
  const responses = history.ask().responses(family)
  for (let from = 0; from < responses.length; from += PART_RESPONSES) {
    const part = responses.slice(from, from + PART_RESPONSES)
    yield billedOneByOne(history.ask().spending(book, { of: family, responses: part }), logs)
  }
}

/** So few that they are gone before V8 takes them for something that stays. */
const PART_RESPONSES = 2_500

/** Made as they are asked for: who only adds them up holds none. */
function* billedOneByOne(spent: readonly Spending[], logs: ReadonlyMap<number, BilledLog>): Generator<BilledSpending> {
  for (const one of spent) yield billedBy(one, logs.get(one.log) as BilledLog)
}

/** Tells what a session spent from what others did, or what an agent of it did. */
export function spentBy(history: History, { files, agent }: FoundSession): (one: BilledSpending) => boolean {
  const key = keyOfFiles(files)
  if (!agent) return ({ session }) => keyOfBilled(session) === key
  if (agent.log) return ({ file }) => file === agent.log?.path
  const linked = infoOf(history, key)?.agents.find(({ id }) => id === agent.id)
  return ({ file, call }) => file === files.log?.path && (linked?.responses.includes(call?.offset ?? -1) ?? false)
}

/** The same for several. */
export function spentByAny(history: History, found: Iterable<FoundSession>): (one: BilledSpending) => boolean {
  const all = [...found]
  const whole = new Set(all.filter(({ agent }) => !agent).map(({ files }) => keyOfFiles(files)))
  const agents = all.filter(({ agent }) => agent).map((one) => spentBy(history, one))
  return (one) => whole.has(keyOfBilled(one.session)) || agents.some((isOf) => isOf(one))
}

function keyOfBilled({ root, project, id }: BilledSession): string {
  return familyKey(root, project.key, id)
}

interface LogOfSession extends BilledLog {
  readonly synthetic: readonly string[]
}

function readPaths(database: Database): ReadonlySet<string> {
  const read = selectAll(database, { columns: ['path'], from: "log where state <> 'lost'" })
  return new Set(read.map(({ path }) => path as string))
}

/**
 * The logs that count, by their numbers, with the session that each belongs to. Where a time is given, only families that were written
 * to since, and those of one id: a week is a small part of a long history, and a session a smaller one.
 */
function billedLogs(
  history: History,
  { since, session: id = '' }: UsageFilter = {},
): ReadonlyMap<number, LogOfSession> {
  const database = history.tables()
  const ownerOf = sessionsOfLogs(database)
  // An agent that names its session otherwise than its log is called finds its family only among all.
  const isPart = since !== undefined && !ownerOf.hasOthers
  const rows = isPart ? selectAll(database, LOGS_SINCE, since - QUARTER_MS, id) : selectAll(database, LOGS)
  rows.sort(mainsFirst)
  const families = grouped(rows, (row) => familyKey(row.root as string, row.project as string, ownerOf(row)))
  const titleOf = titleTeller(history, () => families.keys())
  const logs = new Map<number, LogOfSession>()
  for (const [key, family] of families) {
    const session = billedSession(family, ownerOf(family[0]), () => titleOf(key))
    for (const row of family) {
      logs.set(row.id as number, {
        session,
        path: row.path as string,
        agent: row.agent as string | null,
        synthetic: row.synthetic === '[]' ? NONE : (parseJson(row.synthetic as string) as string[]),
      })
    }
  }
  return logs
}

const NONE: readonly string[] = []

const LOGS: Query = {
  columns: [
    ...['id', 'root', 'path', 'project', 'session', 'agent', 'cwd', 'relocated_cwd', 'last_at', 'ledger'],
    ...['all_compactions', 'interrupts', 'synthetic'],
  ],
  json: ['synthetic'],
  from: "log join fact on fact.log = log.id where state <> 'lost'",
}

/** By their ids alone, which are compared in a third of the time: a session of the same id elsewhere is told too, and does no harm. */
const LOGS_SINCE: Query = {
  ...LOGS,
  from: `${LOGS.from} and session in
    (select session from log join fact on fact.log = log.id where state <> 'lost' and (ended >= ? or session = ?))`,
}

/** Logs of sessions before those of agents, each by their numbers. They come by their numbers: to sort them here is quicker than in SQL. */
function mainsFirst(a: Row, b: Row): number {
  return Number(a.agent !== null) - Number(b.agent !== null) || (a.id as number) - (b.id as number)
}

/** Tells titles of sessions: a few one by one, and if more are asked for, those of all. */
function titleTeller(history: History, all: () => Iterable<string>): (key: string) => string | null {
  const known = new Map<string, string | null>()
  const ask = (keys: Iterable<string>) => {
    const titles = history.ask().titles(keys)
    for (const key of keys) known.set(key, titles.get(key)?.title ?? null)
  }
  return (key) => {
    if (!known.has(key)) ask(known.size < FEW ? [key] : [...all()])
    return known.get(key) ?? null
  }
}

const FEW = 12

/** Field by field: spread, it takes ten times as long and ten times the memory (decision 0060). */
function billedSession(family: readonly [Row, ...Row[]], id: string, titleOf: () => string | null): BilledSession {
  const [first] = family
  const main = family.find((row) => row.agent === null)
  const key = first.project as string
  const cwds = family.flatMap((row) => [row.cwd as string | null, row.relocated_cwd as string | null])
  return {
    id,
    root: first.root as string,
    project: { key, path: projectPath(key, cwds) },
    lastAt: (main ?? first).last_at as string | null,
    ledger: main?.ledger ? (parseJson(main.ledger as string) as JsonObject) : null,
    compactions: (main?.all_compactions as number | undefined) ?? 0,
    interrupts: (main?.interrupts as number | undefined) ?? 0,
    // Most sums need none.
    get title() {
      return titleOf()
    },
  }
}

/** The order in which responses are told and added up, whatever way they came: sums of fractions depend on it in their last digit. */
export function byTime(a: TimedCost, b: TimedCost): number {
  const timeOf = ({ at }: TimedCost) => (Number.isNaN(at) ? Number.POSITIVE_INFINITY : at)
  return timeOf(a) - timeOf(b) || (a.costUsd ?? 0) - (b.costUsd ?? 0) || a.log - b.log
}

type TimedCost = Pick<BilledSpending, 'at' | 'costUsd' | 'log'>
