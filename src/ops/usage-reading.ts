import type { Attributed } from '../core/counted-response.ts'
import type { LogDigest, Spending } from '../core/digest.ts'
import type { JsonObject } from '../core/json.ts'
import type { Response, UsageRow } from '../core/usage.ts'
import { UsageFold } from '../core/usage-fold.ts'
import type { UsageTable } from '../core/usage-table.ts'
import type { AgentFiles, ProjectFiles, SessionFiles } from '../disk/inventory.ts'
import { type Library, logsOf, projectPath } from '../disk/library.ts'
import type { SourceEntry } from '../disk/source.ts'
import type { Context } from './op.ts'
import { libraryTitles } from './session-title.ts'
import { type FamilyNames, nameFamily } from './usage-family.ts'

/** A session, as far as usage is concerned. Its log may be gone while its agents' are not. */
export interface UsageSession {
  readonly id: string
  readonly root: string
  readonly project: { readonly key: string; readonly path: string | null }
  readonly title: string | null
  /** The session that its marked copies name. */
  readonly forkedFrom: string | null
  readonly lastAt: string | null
  /** The client's own ledger, as it last wrote it. */
  readonly costState: JsonObject | null
  readonly compactions: number
  readonly interrupts: number
  /** Who its agents are and where its turns begin; only where that was asked for. */
  readonly names: FamilyNames | undefined
}

/** One log that was read for its usage. */
export interface UsageLog {
  readonly session: UsageSession
  /** The agent whose log it is; `null` for the session's own. */
  readonly agent: string | null
  readonly file: string
  readonly rows: UsageTable
  /** The times of rows that the client wrote itself, in an answer's place. */
  readonly synthetic: readonly string[]
  /** Offsets of rows on branches that were abandoned. */
  readonly abandoned: ReadonlySet<number>
}

export interface UsageReading {
  readonly logs: readonly UsageLog[]
  readonly sessions: readonly UsageSession[]
  /** Every response once, for the log that owns it. */
  readonly counted: readonly Attributed<UsageLog>[]
  /** The rows a response was seen on, in all files: every one of them only where that was asked for. */
  readonly rowsOf: (response: Response) => readonly UsageRow[]
}

export interface ReadingOptions {
  /** Also learn the names of agents and turns, which needs a second look at some rows. */
  readonly names?: boolean
  /** Give every row of every response, not only those that decide what it counts for. */
  readonly everyRow?: boolean
  /** Leaves out logs that are not wanted. */
  readonly wants?: (entry: SourceEntry) => boolean
}

/** Reads all logs of a library for their usage, and counts every response once. */
export function readUsage(context: Context, library: Library, options: ReadingOptions = {}): UsageReading {
  const projects = library.projects()
  const wants = options.wants ?? (() => true)
  const total = projects.flatMap(logsOf).reduce((sum, entry) => sum + (wants(entry) ? entry.sizeBytes : 0), 0)
  let done = 0
  const read = (entry: SourceEntry | undefined) => {
    if (!entry || !wants(entry)) return undefined
    const digest = library.digest(entry)
    done += entry.sizeBytes
    context.progress(done, total)
    return digest
  }
  const titles = libraryTitles(library)
  const families = projects.flatMap((project) => [...readProject(project, library, read, options, titles)])
  const logs = families.flatMap((family) => family.logs)
  // Where there is only one log, its texts need not be kept twice.
  const fold = new UsageFold<UsageLog>(logs.length === 1 ? logs[0]?.rows.pool : undefined)
  for (const log of logs) fold.addRows({ table: log.rows }, log)
  const sessions = families.map((family) => family.session)
  return { logs, sessions, counted: [...fold.each()], rowsOf: rowFinder(fold, logs) }
}

type Titles = ReturnType<typeof libraryTitles>
type ReadDigest = (entry: SourceEntry | undefined) => LogDigest | undefined

interface AgentLog {
  readonly files: AgentFiles
  readonly digest: LogDigest
}

interface Family {
  readonly session: UsageSession
  readonly logs: readonly UsageLog[]
}

function* readProject(
  project: ProjectFiles,
  library: Library,
  read: ReadDigest,
  options: ReadingOptions,
  titles: Titles,
): Generator<Family> {
  const flat = new Map<string, AgentLog[]>()
  for (const agent of readAgents(project.flatAgents, read)) {
    const owner = agent.digest.facts.sessionIds[0] ?? agent.files.id
    flat.set(owner, [...(flat.get(owner) ?? []), agent])
  }
  for (const files of project.sessions) {
    const main = read(files.log)
    const agents = [...readAgents(files.agents, read), ...(flat.get(files.id) ?? [])]
    flat.delete(files.id)
    if (main || agents.length > 0) yield familyOf(files, main, agents, library, options, titles)
  }
  // Agents outlive the log of their session.
  for (const [id, agents] of flat) {
    const files = { id, root: project.root, project, log: undefined }
    yield familyOf(files, undefined, agents, library, options, titles)
  }
}

function readAgents(agents: readonly AgentFiles[], read: ReadDigest): readonly AgentLog[] {
  return agents.flatMap((files) => {
    const digest = read(files.log)
    return digest ? [{ files, digest }] : []
  })
}

function familyOf(
  files: Pick<SessionFiles, 'id' | 'root' | 'project' | 'log'>,
  main: LogDigest | undefined,
  agents: readonly AgentLog[],
  library: Library,
  options: ReadingOptions,
  titles: Titles,
): Family {
  const { key } = files.project
  const all = [...(main ? [main] : []), ...agents.map((agent) => agent.digest)]
  const cwds = all.flatMap(({ facts }) => [facts.cwd, facts.relocatedCwd])
  const session = withTitle(titles, {
    id: files.id,
    root: files.root,
    project: { key, path: projectPath(key, cwds) },
    forkedFrom: main?.facts.forkedFrom ?? null,
    lastAt: main?.facts.lastAt ?? all[0]?.facts.lastAt ?? null,
    costState: main?.facts.costState ?? null,
    compactions: main?.whole?.spending.compactions ?? 0,
    interrupts: main?.whole?.spending.interrupts ?? 0,
    names: options.names ? namesOf(files, agents, library) : undefined,
  })
  const toLog = (agent: string | null, entry: SourceEntry | undefined, digest: LogDigest | undefined) =>
    entry && digest?.whole ? [logOf(session, agent, entry, digest.whole.spending, library, options)] : []
  const logs = agents.flatMap(({ files: { id, log }, digest }) => toLog(id, log, digest))
  return { session, logs: [...toLog(null, files.log, main), ...logs] }
}

/** A session with its title, which is looked up when it is asked for: other logs may tell it. */
export function withTitle(titles: Titles, session: Omit<UsageSession, 'title'>): UsageSession {
  let title: string | null | undefined
  return {
    ...session,
    get title() {
      if (title === undefined) title = titles(session)
      return title
    },
  }
}

/** Names need the rows themselves. */
function namesOf(files: Pick<SessionFiles, 'id' | 'log'>, agents: readonly AgentLog[], library: Library): FamilyNames {
  const main = files.log && library.facts(files.log)
  const known = agents.flatMap(({ files: agent }) => {
    const facts = agent.log && library.facts(agent.log)
    return facts ? [{ files: agent, known: facts }] : []
  })
  const log = files.log && main ? { entry: files.log, known: main } : undefined
  return nameFamily(library.source, { session: files.id, main: log, agents: known })
}

function logOf(
  session: UsageSession,
  agent: string | null,
  entry: SourceEntry,
  { rows, synthetic, abandoned }: Spending,
  library: Library,
  options: ReadingOptions,
): UsageLog {
  const every = options.everyRow ? library.facts(entry)?.facts.usage : undefined
  const lost = new Set(agent === null ? abandoned : [])
  return { session, agent, file: entry.path, rows: every ?? rows, synthetic, abandoned: lost }
}

/** Finds the rows of a response again, in the logs that it stands in. */
function rowFinder(fold: UsageFold<UsageLog>, logs: readonly UsageLog[]): (response: Response) => readonly UsageRow[] {
  const tables = new Map(logs.map((log) => [log.file, log.rows]))
  const finders = new Map<UsageTable, ReturnType<UsageTable['byMessage']>>()
  const rowsIn = (table: UsageTable, messageId: string) => {
    const find = finders.get(table) ?? table.byMessage()
    finders.set(table, find)
    return [...find(table.pool.find(messageId))].map((row) => table.at(row))
  }
  return ({ messageId, requestId }) => {
    const found = fold.filesOf(messageId).flatMap((file) => {
      const table = tables.get(file)
      return table ? rowsIn(table, messageId) : []
    })
    // Rows without a request id went to the first request of their message.
    const [earliest] = fold.of(messageId)
    const isEarliest = earliest?.requestId === requestId
    return found.filter((row) => row.requestId === (requestId ?? '') || (isEarliest && row.requestId === ''))
  }
}
