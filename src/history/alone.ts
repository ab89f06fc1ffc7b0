import { RESPONSE_NUMBERS } from '../core/facts/response-rows.ts'
import { startCursor } from '../disk/cursor.ts'
import type { SessionFiles } from '../disk/inventory.ts'
import { type Library, projectPath } from '../disk/library.ts'
import type { SourceEntry } from '../disk/source.ts'
import type { Columns, Row, SqlValue } from '../index/driver.ts'
import { readRows } from '../index/facts.ts'
import type { LogRows } from '../index/log-rows.ts'
import type { LinkedAgent } from './agents.ts'
import { keyOfFiles } from './families.ts'
import { type Agent, linkedAgents } from './family.ts'
import type { History } from './history.ts'
import { type Links, type SessionInfo, toInfos } from './info.ts'
import { billedBy } from './usage/billed.ts'
import type { SessionCost } from './usage/session-costs.ts'
import { sumCosts } from './usage/spending.ts'
import { priced } from './usage/spent-rows.ts'
import type { BilledSession, BilledSpending } from './usage/usage.ts'
import { familyLabels } from './usage/usage-family.ts'

/**
 * A session as its own log tells it, where there is no SQLite: the rows are those of the tables, but nothing is known of other
 * logs, whose summaries name it, which it continues or was forked from.
 */
export function infoAlone(library: Library, files: SessionFiles): SessionInfo | undefined {
  const { log } = files
  const read = log && rowsOf(library, log, null)
  if (!log || !read) return undefined
  const row = {
    ...read.fact,
    ...{ id: 0, root: files.root, path: log.path, project: files.project.key, session: files.id },
    ...{ state: log.gone ? 'archive' : 'disk', modified: Math.trunc(log.modifiedAt) },
  }
  const agents = linkedAgents(library, files).map((agent) => linkedAgent(agent, log))
  const links: Links = {
    summaryOf: new Map(),
    titleOf: new Map(),
    originOf: new Map(),
    continuationOf: new Map(),
    forkOf: new Map(),
    agentsOf: () => agents,
  }
  const columns = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, [value]]))
  return toInfos(columns, links)[0]
}

/** What the turns and agents of a session are called, as its own logs tell. */
export function labelsAlone(library: Library, files: SessionFiles): ReturnType<typeof familyLabels> {
  const info = infoAlone(library, files)
  const turns = (files.log && rowsOf(library, files.log, null)?.turns) ?? []
  return familyLabels({
    sessions: () => new Map(info ? [[keyOfFiles(files), info]] : []),
    turns: () => new Map(files.log ? [[files.log.path, turns.map((turn, n) => ({ n, ...turn }))]] : []),
  })
}

/** What a session and its agents spent, response by response: all that their logs hold counts for them. */
export async function spentAlone(history: History, files: SessionFiles): Promise<readonly BilledSpending[]> {
  const { library } = history
  const book = await history.prices()
  const logs = [
    ...(files.log ? [{ entry: files.log, agent: null }] : []),
    ...files.agents.flatMap(({ id, log }) => (log ? [{ entry: log, agent: id }] : [])),
  ].flatMap(({ entry, agent }) => {
    const read = rowsOf(library, entry, agent)
    return read ? [{ entry, agent, read }] : []
  })
  const session = billedSession(files, logs[0]?.read, infoAlone(library, files)?.title ?? null)
  const rows = logs.flatMap(({ read }, log) => responsesOf(read, log))
  return priced(byColumns(eachOnce(rows)), book).map((one) => {
    const { entry, agent } = logs[one.log] as (typeof logs)[number]
    return billedBy(one, { session, path: entry.path, agent })
  })
}

/** What these come to for the session. */
export function costAlone(spent: readonly BilledSpending[]): SessionCost {
  return {
    costUsd: sumCosts(spent),
    ownCostUsd: sumCosts(spent.filter(({ isAgent }) => !isAgent)),
    unpriced: spent.filter(({ costUsd }) => costUsd === null).length,
    inherited: { responses: 0, costUsd: 0 },
  }
}

function rowsOf({ source }: Library, entry: SourceEntry, agent: string | null): LogRows | undefined {
  return readRows(source, { entry, cursor: startCursor(entry), agent })
}

function linkedAgent(agent: Agent, log: SourceEntry): LinkedAgent {
  const { id, class: kind, type, description, entry, nodes, parentAgent, startedAt } = agent
  const isInside = entry.path === log.path
  const file = isInside ? null : entry.path
  const responses = isInside ? nodes.map(({ offset }) => offset) : []
  return { id, log: null, class: kind, type, description, file, responses, parentAgent, startedAt, turn: null }
}

function billedSession(
  { id, root, project }: SessionFiles,
  main: LogRows | undefined,
  title: string | null,
): BilledSession {
  const cwds = [main?.fact.cwd, main?.fact.relocated_cwd].map((cwd) => (typeof cwd === 'string' ? cwd : null))
  const path = projectPath(project.key, cwds)
  const lastAt = main?.fact.last_at
  const about = { title, ledger: null, compactions: 0, interrupts: 0 }
  return { id, root, project: { key: project.key, path }, ...about, lastAt: typeof lastAt === 'string' ? lastAt : null }
}

/** The responses of a log as the tables would have them. */
function responsesOf({ responses }: LogRows, log: number): readonly Row[] {
  const { messages, requests, models, geos, numbers } = responses
  return messages.map((message, at) => {
    const own = numbers.subarray(at * RESPONSE_NUMBERS.length, (at + 1) * RESPONSE_NUMBERS.length)
    const row: Record<string, SqlValue> = Object.fromEntries(
      RESPONSE_NUMBERS.map((name, column) => [name, Number.isNaN(own[column]) ? null : (own[column] as number)]),
    )
    const prompt = ['input', 'cache_read', 'write_5m', 'write_1h'].reduce((sum, name) => sum + Number(row[name]), 0)
    const named = { message, request: requests[at] ?? null, model: models[at] ?? '', geo: geos[at] ?? null }
    const counted = { log, key: at, at: row.time ?? null, prompt, responses: 1, copies: 0 }
    return { ...row, ...named, ...counted, placeholders: row.placeholder ?? 0 }
  })
}

/** A response that two logs hold counts once, with the numbers of the row that has most of its answer. */
function eachOnce(rows: readonly Row[]): readonly Row[] {
  const byMessage = new Map<string, Row>()
  for (const row of rows) {
    const known = byMessage.get(row.message as string)
    if (!known || Number(known.output) < Number(row.output)) byMessage.set(row.message as string, row)
  }
  return [...byMessage.values()]
}

function byColumns(rows: readonly Row[]): Columns {
  const names = Object.keys(rows[0] ?? { log: 0 })
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name] ?? null)]))
}
