import { grouped } from '../core/grouped.ts'
import type { AgentFiles, ProjectFiles, SessionFiles } from '../disk/inventory.ts'
import { type Database, type Query, type Row, selectAll } from '../index/driver.ts'
import { whileUnchanged } from '../index/unchanged.ts'
import type { History } from './history.ts'

/** What a session is known by: one id in several roots or projects names several sessions. */
export function familyKey(root: string, project: string, session: string): string {
  return `${root}\0${project}\0${session}`
}

/** The id of the session in what it is known by. */
export function idOfKey(key: string): string {
  return key.slice(key.lastIndexOf('\0') + 1)
}

/** The same for the files of a session. */
export function keyOfFiles({ root, project, id }: SessionFiles): string {
  return familyKey(root, project.key, id)
}

/** Tells whose a log is, by its number and the id of the session that it names. */
export interface OwnerOfLog {
  (log: Row): string
  /** Whether some agents name no log of a session: whose they are, another log may tell. */
  readonly hasOthers: boolean
}

/**
 * Whose each log is: the id of its session. A flat log of an agent names its session inside; where no log is called so, the session
 * is meant whose own first records name that id. Rows of logs are asked with their `id`, and the `session` that they name.
 */
export function sessionsOfLogs(database: Database): OwnerOfLog {
  return whileUnchanged(database, 'sessions of logs', () => readOwners(database))
}

function readOwners(database: Database): OwnerOfLog {
  const unnamed = selectAll(database, UNNAMED)
  const byInnerId = new Map<string, string>()
  for (const { root, project, session, inner } of unnamed.length > 0 ? selectAll(database, INNER_IDS) : [])
    byInnerId.set(familyKey(root as string, project as string, inner as string), session as string)
  const found = new Map(
    unnamed.map(({ id, root, project, session }) => [
      id,
      byInnerId.get(familyKey(root as string, project as string, session as string)),
    ]),
  )
  const ownerOf = ({ id, session }: Row) => found.get(id as number) ?? (session as string)
  return Object.assign(ownerOf, { hasOthers: unnamed.length > 0 })
}

/** Tells the logs of agents whose session no log is named after. */
export const IS_UNNAMED = `agent is not null and (session, project, root) not in
  (select session, project, root from log join fact on fact.log = log.id where agent is null)`

const UNNAMED: Query = { columns: ['id', 'root', 'project', 'session'], from: `log where ${IS_UNNAMED}` }

/** The sessions whose first records name an id that starts so, by what they are known by. */
export function sessionsNaming(database: Database, start: string): ReadonlySet<string> {
  const named = selectAll(database, INNER_IDS).filter(({ inner }) => (inner as string).startsWith(start))
  return new Set(named.map((row) => familyKey(row.root as string, row.project as string, row.session as string)))
}

/** The newest log that is still there comes last, and wins. */
const INNER_IDS: Query = {
  columns: ['log.root', 'project', 'session', 'named.value as inner'],
  from: 'log join fact on fact.log = log.id join json_each(inner_ids) named where agent is null',
  order: "state <> 'lost', modified",
}

const listed = new WeakMap<readonly ProjectFiles[], readonly SessionFiles[]>()

/**
 * The sessions that have any log, each with all its agents: those in its folder, and flat ones whose rows name it. Where only agents
 * are left of a session, it has no log of its own.
 */
export function listedSessions(history: History): readonly SessionFiles[] {
  const projects = history.library.projects()
  const known = listed.get(projects)
  if (known) return known
  const ownerOf = projects.some(({ flatAgents }) => flatAgents.length > 0) ? flatOwners(history) : NOBODY
  const made = projects.flatMap((project) => sessionsIn(project, ownerOf))
  listed.set(projects, made)
  return made
}

const NOBODY = () => undefined

function flatOwners(history: History): (agent: AgentFiles) => string | undefined {
  const database = history.tables()
  const ownerOfLog = sessionsOfLogs(database)
  const agents = selectAll(database, { columns: ['id', 'path', 'session'], from: 'log where agent is not null' })
  const owners = new Map(agents.map((row) => [row.path, ownerOfLog(row)]))
  return ({ log }) => owners.get(log?.path ?? '')
}

function sessionsIn(
  project: ProjectFiles,
  ownerOf: (agent: AgentFiles) => string | undefined,
): readonly SessionFiles[] {
  const flat = grouped(project.flatAgents, ownerOf)
  const sessions = project.sessions.map((files) => {
    const agents = flat.get(files.id)
    flat.delete(files.id)
    return agents ? { ...files, agents: [...files.agents, ...agents] } : files
  })
  const left = [...flat].map(([id, agents]) => leftOf(project, id, agents))
  return [...sessions, ...left].filter(({ log, agents }) => log !== undefined || agents.length > 0)
}

/** A session that nothing but flat agents tell of. */
function leftOf(project: ProjectFiles, id: string, agents: AgentFiles[]): SessionFiles {
  return {
    id,
    root: project.root,
    project,
    log: undefined,
    agents,
    toolResults: [],
    customTitle: undefined,
    others: [],
  }
}
