import { parseJson } from '../core/json.ts'
import type { AgentFiles, ProjectFiles, SessionFiles } from '../disk/inventory.ts'
import type { Database } from '../index/driver.ts'
import type { History } from './history.ts'

/** What a session is known by: one id in several roots or projects names several sessions. */
export function familyKey(root: string, project: string, session: string): string {
  return `${root}\0${project}\0${session}`
}

/** The same for the files of a session. */
export function keyOfFiles({ root, project, id }: SessionFiles): string {
  return familyKey(root, project.key, id)
}

/**
 * Whose each log is: the id of its session by the number of the log. A flat log of an agent names its session inside; where no log
 * is called so, the session is meant whose own first records name that id.
 */
export function sessionsOfLogs(database: Database): ReadonlyMap<number, string> {
  const rows = database.prepare(LOGS).all()
  const named = new Set<string>()
  const byInnerId = new Map<string, string>()
  for (const { root, project, session, agent, inner_ids } of rows) {
    if (agent !== null) continue
    named.add(familyKey(root as string, project as string, session as string))
    if (inner_ids === `["${session}"]`) continue
    for (const id of parseJson(inner_ids as string) as string[])
      byInnerId.set(familyKey(root as string, project as string, id), session as string)
  }
  return new Map(
    rows.map(({ id, root, project, session, agent }) => {
      const key = familyKey(root as string, project as string, session as string)
      const found = agent === null || named.has(key) ? session : (byInnerId.get(key) ?? session)
      return [id as number, found as string]
    }),
  )
}

/** The newest log that is still there comes last, and wins. */
const LOGS = `
select log.id, root, project, session, agent, inner_ids from log join fact on fact.log = log.id order by state <> 'lost', modified`

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
  const sessions = sessionsOfLogs(database)
  const owners = new Map(
    database
      .prepare('select id, path from log where agent is not null')
      .all()
      .map(({ id, path }) => [path, sessions.get(id as number)]),
  )
  return ({ log }) => owners.get(log?.path ?? '')
}

function sessionsIn(
  project: ProjectFiles,
  ownerOf: (agent: AgentFiles) => string | undefined,
): readonly SessionFiles[] {
  const flat = new Map<string, AgentFiles[]>()
  for (const agent of project.flatAgents) {
    const owner = ownerOf(agent)
    if (owner !== undefined) flat.set(owner, [...(flat.get(owner) ?? []), agent])
  }
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
