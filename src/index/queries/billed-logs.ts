import { type Database, type Query, type Row, selectAll } from '../driver.ts'
import { readLogSessions } from './log-sessions.ts'
import { QUARTER_MS } from './spending.ts'

/** A log whose responses are counted, with what usage reports say about its session. */
export interface BilledLogRow {
  readonly id: number
  readonly root: string
  readonly path: string
  readonly project: string
  /** The session it belongs to. */
  readonly session: string
  readonly agent: string | null
  readonly cwd: string | null
  readonly relocatedCwd: string | null
  readonly lastAt: string | null
  /** The client's last `cost-state` row, as JSON. */
  readonly ledger: string | null
  readonly compactions: number
  readonly interrupts: number
  /** Times of rows that the client wrote in place of an answer, as JSON. */
  readonly synthetic: string
}

/** Selects families: those written to since a time, in milliseconds, and those of one session id. */
export interface BilledFilter {
  readonly since?: number | undefined
  readonly session?: string | undefined
}

/** The logs that count, logs of sessions before logs of agents, each by their ids. */
export function billedLogs(database: Database, { since, session = '' }: BilledFilter = {}): readonly BilledLogRow[] {
  const sessionOf = readLogSessions(database)
  // Agents whose session has another name than its log find their family only among all logs.
  const isPart = since !== undefined && !sessionOf.hasUnnamed
  const rows = isPart ? selectAll(database, LOGS_SINCE, since - QUARTER_MS, session) : selectAll(database, LOGS)
  return rows.sort(mainsFirst).map((row) => toBilled(row, sessionOf(row)))
}

function toBilled(row: Row, session: string): BilledLogRow {
  return {
    id: row.id as number,
    root: row.root as string,
    path: row.path as string,
    project: row.project as string,
    session,
    agent: row.agent as string | null,
    cwd: row.cwd as string | null,
    relocatedCwd: row.relocated_cwd as string | null,
    lastAt: row.last_at as string | null,
    ledger: row.ledger as string | null,
    compactions: row.all_compactions as number,
    interrupts: row.interrupts as number,
    synthetic: row.synthetic as string,
  }
}

const LOGS: Query = {
  columns: [
    ...['id', 'root', 'path', 'project', 'session', 'agent', 'cwd', 'relocated_cwd', 'last_at', 'ledger'],
    ...['all_compactions', 'interrupts', 'synthetic'],
  ],
  json: ['synthetic'],
  from: "log join fact on fact.log = log.id where state <> 'lost'",
}

/** By session id alone, which is compared in a third of the time: an extra session of the same id elsewhere does no harm. */
const LOGS_SINCE: Query = {
  ...LOGS,
  from: `${LOGS.from} and session in
    (select session from log join fact on fact.log = log.id where state <> 'lost' and (ended >= ? or session = ?))`,
}

function mainsFirst(a: Row, b: Row): number {
  return Number(a.agent !== null) - Number(b.agent !== null) || (a.id as number) - (b.id as number)
}
