import { type JsonObject, parseJson } from '../../core/json.ts'
import type { SessionFiles } from '../../disk/inventory.ts'
import { projectPath } from '../../disk/library.ts'
import { hasSqlite, type Query, type Row, selectAll } from '../../index/driver.ts'
import { spentAlone } from '../alone.ts'
import { familyKey, keyOfFiles, sessionsOfLogs } from '../families.ts'
import type { FoundSession } from '../find.ts'
import type { History, OnProgress } from '../history.ts'
import { infoOf, infosOf } from '../info.ts'
import { PART_RESPONSES, type Spending } from './spending.ts'

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

/** Adds up all logs. */
export async function readUsage(history: History, filter: UsageFilter = {}): Promise<Usage> {
  const { single = false, since, session: id, progress } = filter
  await history.refresh(progress)
  const book = await history.prices()
  const logs = billedLogs(history)
  const family = [...logs].filter(([, { session }]) => session.id === id).map(([log]) => log)
  const calls = history
    .ask()
    .spending(book, { single, since, logs: family })
    .map((one) => billedBy(one, logs))
  return {
    calls: calls.sort(byTime),
    sessions: [...new Set([...logs.values()].map(({ session }) => session))],
    synthetic: [...logs.values()].flatMap(({ session, synthetic }) =>
      synthetic.map((at) => ({ at: Date.parse(at), session })),
    ),
    behindBytes: history.unreadBytes(() => new Set([...logs.values()].map(({ path }) => path))),
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
): AsyncGenerator<readonly BilledSpending[], void> {
  if (!hasSqlite()) return yield await spentAlone(history, files)
  await history.refresh()
  const logs = billedLogs(history)
  const key = keyOfFiles(files)
  const family = [...logs].filter(([, { session }]) => keyOfBilled(session) === key).map(([id]) => id)
  const book = await history.prices()
  for (let part = 0; ; part++) {
    const spent = history.ask().spending(book, { of: family, part })
    yield spent.map((one) => billedBy(one, logs))
    if (spent.length < PART_RESPONSES) return
  }
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

/** Field by field: spread, it takes ten times as long and ten times the memory (decision 0060). */
function billedBy(one: Spending, logs: ReadonlyMap<number, BilledLog>): BilledSpending {
  const { log, at, model, used, costUsd, uncachedUsd, responses, rows, copies, placeholders } = one
  const { isSidechain, isAbandoned, call } = one
  const { session, path, agent } = logs.get(log) as BilledLog
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

interface BilledLog {
  readonly session: BilledSession
  readonly path: string
  readonly agent: string | null
  readonly synthetic: readonly string[]
}

/** The logs that count, by their numbers, with the session that each belongs to. */
function billedLogs(history: History): ReadonlyMap<number, BilledLog> {
  const database = history.tables()
  const families = new Map<string, Row[]>()
  const ownerOf = sessionsOfLogs(database)
  for (const row of selectAll(database, LOGS)) {
    const key = familyKey(row.root as string, row.project as string, ownerOf(row))
    const family = families.get(key)
    if (family) family.push(row)
    else families.set(key, [row])
  }
  const logs = new Map<number, BilledLog>()
  for (const [key, family] of families) {
    const main = family.find((row) => row.agent === null)
    const session: BilledSession = {
      ...sessionOf(family, main),
      id: ownerOf(family[0] as Row),
      // Most sums need none, and telling them takes a look at all logs.
      get title() {
        return infosOf(history).get(key)?.title ?? null
      },
    }
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
  from: "log join fact on fact.log = log.id where state <> 'lost'",
  order: 'agent is not null, id',
}

function sessionOf(family: readonly Row[], main: Row | undefined): Omit<BilledSession, 'id' | 'title'> {
  const first = family[0] as Row
  const key = first.project as string
  const cwds = family.flatMap((row) => [row.cwd as string | null, row.relocated_cwd as string | null])
  return {
    root: first.root as string,
    project: { key, path: projectPath(key, cwds) },
    lastAt: (main ?? first).last_at as string | null,
    ledger: main?.ledger ? (parseJson(main.ledger as string) as JsonObject) : null,
    compactions: (main?.all_compactions as number | undefined) ?? 0,
    interrupts: (main?.interrupts as number | undefined) ?? 0,
  }
}

/** One order, whatever way they came: sums of fractions depend on it in their last digit. */
/** The order in which responses are told and added up. */
export function byTime(a: TimedCost, b: TimedCost): number {
  const timeOf = ({ at }: TimedCost) => (Number.isNaN(at) ? Number.POSITIVE_INFINITY : at)
  return timeOf(a) - timeOf(b) || (a.costUsd ?? 0) - (b.costUsd ?? 0) || a.log - b.log
}

type TimedCost = Pick<BilledSpending, 'at' | 'costUsd' | 'log'>
