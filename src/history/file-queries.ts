import { startCursor } from '../disk/cursor.ts'
import type { SessionFiles } from '../disk/inventory.ts'
import type { Library } from '../disk/library.ts'
import type { SourceEntry } from '../disk/source.ts'
import { readRows } from '../index/facts.ts'
import type { LinkedAgent } from '../index/queries/agents.ts'
import { type ReadLog, readResponses } from '../index/queries/file-responses.ts'
import type { HistoryQueries } from '../index/queries/history-queries.ts'
import { type Links, type SessionInfo, toInfo } from '../index/queries/session-info.ts'
import { sqliteFailure } from '../index/sqlite.ts'
import { type Agent, linkedAgents } from './family.ts'

/**
 * Queries about single sessions, answered from their own files: used where no SQLite can be loaded. Other logs are unknown, so
 * summaries, forks and continuations are. Queries about all sessions fail with what to install.
 */
export function fileQueries(library: Library): HistoryQueries {
  const logs = library.logs()
  const rows = (log: SourceEntry, agent: string | null) =>
    readRows(library.source, { entry: log, cursor: startCursor(log), agent })
  /** Logs are identified by their position in the listing. */
  const idOf = ({ path }: SourceEntry) => logs.findIndex((log) => log.path === path)
  const sessionsOf = (ids: readonly string[]) => library.sessions().filter(({ id }) => ids.includes(id))
  const read = (some: readonly number[]) =>
    readResponses(
      some.map((id) => ({ id, log: logs[id] as SourceEntry })),
      rows,
    )
  const infos = async (ids?: readonly string[]) => {
    const some = sessionsOf(ids ?? needsSqlite()).flatMap((files) => sessionInfo(library, files, rows, idOf) ?? [])
    return new Map(some.map((info) => [info.key, info]))
  }
  return {
    sessions: {
      infos,
      logs: async (paths) => {
        const some = paths ? logs.filter(({ path }) => paths.includes(path)) : needsSqlite()
        return some.flatMap((entry) => {
          const facts = library.facts(entry)?.facts
          return facts ? [{ ...NO_NOTE, root: entry.root, path: entry.path, cwd: facts.cwd, slugs: facts.slugs }] : []
        })
      },
      naming: needsSqlite,
      titles: async (keys) => {
        const all = await infos(keys.map((key) => key.slice(key.lastIndexOf('\0') + 1)))
        return new Map([...all].map(([key, { file, title }]) => [key, { file: file ?? '', title }]))
      },
      turns: async (paths) => {
        const some = paths ? logs.filter(({ path }) => paths.includes(path)) : needsSqlite()
        return new Map(some.map((log) => [log.path, (rows(log, null)?.turns ?? []).map((turn, n) => ({ n, ...turn }))]))
      },
      ofRows: needsSqlite,
    },
    spending: {
      tokens: async ({ only } = {}) => read(only ?? needsSqlite()).spent,
      page: async ({ logs: some, after }) => {
        // All on the first page: the log was read as a whole anyway.
        return after >= 0 ? { rows: [], last: after } : { rows: read(some).spent, last: 0 }
      },
      inherited: async () => [],
      bySession: needsSqlite,
      logs: async ({ session } = {}) => {
        return sessionsOf(session === undefined ? needsSqlite() : [session]).flatMap((files) => {
          const family = [
            { log: files.log, agent: null },
            ...files.agents.map(({ id, log }) => ({ log, agent: id as string | null })),
          ]
          return family.flatMap(({ log, agent }) => (log ? [billedLog(files, idOf(log), log, agent, rows)] : []))
        })
      },
      // Any model: all prices may be needed.
      models: async () => ['any'],
      lastSpentAt: needsSqlite,
      lastResponse: needsSqlite,
      holders: async (keys) => {
        const all = read(logs.map((_, id) => id)).holders
        return new Map(keys.map((key) => [key, all.get(key) ?? []]))
      },
      shared: async () => ({ sessions: [], unmarked: [] }),
    },
    search: { docs: needsSqlite, logs: needsSqlite, unindexed: needsSqlite, tools: needsSqlite },
    calls: {
      byLog: needsSqlite,
      places: needsSqlite,
      rows: needsSqlite,
      activity: needsSqlite,
      touchedFiles: needsSqlite,
      onFiles: needsSqlite,
      turns: needsSqlite,
    },
  }
}

function needsSqlite(): never {
  throw sqliteFailure()
}

const NO_NOTE = {
  project: '',
  session: '',
  agent: null,
  kind: 'conversation',
  relocatedCwd: null,
  firstAt: null,
  lastAt: null,
  writtenAt: 0,
}

function sessionInfo(
  library: Library,
  files: SessionFiles,
  read: ReadLog,
  idOf: (log: SourceEntry) => number,
): SessionInfo | undefined {
  const { log } = files
  const rows = log && read(log, null)
  if (!log || !rows) return undefined
  const row = {
    ...rows.fact,
    ...{ id: idOf(log), root: files.root, path: log.path, project: files.project.key, session: files.id },
    ...{ state: log.gone ? 'archive' : 'disk', modified: Math.trunc(log.modifiedAt) },
  }
  const agents = linkedAgents(library, files).map((agent) => linkedAgent(agent, log, idOf))
  const links: Links = {
    summaryOf: new Map(),
    titleOf: new Map(),
    originOf: new Map(),
    continuationOf: new Map(),
    forkOf: new Map(),
    agentsOf: () => agents,
  }
  return toInfo(row, links)
}

function linkedAgent(agent: Agent, log: SourceEntry, idOf: (log: SourceEntry) => number): LinkedAgent {
  const { id, class: kind, type, description, entry, nodes, parentAgent, startedAt } = agent
  const isInside = entry.path === log.path
  const file = isInside ? null : entry.path
  const responses = isInside ? nodes.map(({ offset }) => offset) : []
  const own = isInside ? null : idOf(entry)
  return { id, log: own, class: kind, type, description, file, responses, parentAgent, startedAt, turn: null }
}

function billedLog(files: SessionFiles, id: number, log: SourceEntry, agent: string | null, read: ReadLog) {
  const fact = read(log, agent)?.fact
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  return {
    ...{ id, agent, root: files.root, path: log.path, project: files.project.key, session: files.id },
    ...{ cwd: text(fact?.cwd), relocatedCwd: text(fact?.relocated_cwd), lastAt: text(fact?.last_at) },
    ...{ ledger: null, compactions: 0, interrupts: 0, synthetic: '[]' },
  }
}
