import { grouped } from '../core/grouped.ts'
import type { AgentFiles, ProjectFiles, SessionFiles } from '../disk/inventory.ts'
import { familyKey } from '../index/queries/family-key.ts'
import type { History } from './history.ts'

/** The family key of a session's files. */
export function keyOfFiles({ root, project, id }: SessionFiles): string {
  return familyKey(root, project.key, id)
}

/**
 * The sessions that have any log, each with all its agents: those in its folder, and flat ones whose rows name it. A session of
 * which only agents are left has no log of its own.
 */
export async function listedSessions(history: History): Promise<readonly SessionFiles[]> {
  const projects = history.library.projects()
  const hasFlat = projects.some(({ flatAgents }) => flatAgents.length > 0)
  const logs = hasFlat ? await (await history.refresh()).sessions.logs() : []
  const sessions = new Map(logs.map(({ path, session }) => [path, session]))
  return projects.flatMap((project) => sessionsIn(project, ({ log }) => sessions.get(log?.path ?? '')))
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
  const left = [...flat].map(([id, agents]) => orphanOf(project, id, agents))
  return [...sessions, ...left].filter(({ log, agents }) => log !== undefined || agents.length > 0)
}

/** A session of which only flat agents are left. */
function orphanOf(project: ProjectFiles, id: string, agents: AgentFiles[]): SessionFiles {
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
