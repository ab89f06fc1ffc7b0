import { join, sep } from 'node:path'
import { type FilePlace, placeOf, relativePath } from './layout.ts'
import type { Source, SourceEntry } from './source.ts'

/** A session as a listing finds it: its log and the files of its family, none of them opened. */
export interface SessionFiles {
  readonly id: string
  readonly root: string
  readonly project: ProjectFolder
  /** The main log; `undefined` where only the folder beside it is left. */
  readonly log: SourceEntry | undefined
  readonly agents: AgentFiles[]
  readonly toolResults: SourceEntry[]
  readonly customTitle: SourceEntry | undefined
  readonly others: SourceEntry[]
}

/** The log of a subagent and its description. */
export interface AgentFiles {
  readonly id: string
  readonly log: SourceEntry | undefined
  readonly meta: SourceEntry | undefined
  /** The session whose folder it lies in; `null` for the flat files of older clients. */
  readonly session: string | null
  readonly run: string | null
}

/** A folder below `projects/`. */
export interface ProjectFolder {
  readonly root: string
  readonly key: string
  readonly dir: string
}

/** Such a folder and what is in it. */
export interface ProjectFiles extends ProjectFolder {
  readonly sessions: SessionFiles[]
  /** Agents that lie beside the sessions, as 2.0.37 to 2.0.77 wrote them. */
  readonly flatAgents: AgentFiles[]
  readonly sessionsIndex: SourceEntry | undefined
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/** Sorts the files of a source into projects, sessions and families. Opens nothing. */
export function takeInventory(
  source: Pick<Source, 'list'>,
  toPlace: (relativePath: string) => FilePlace = placeOf,
): readonly ProjectFiles[] {
  const projects = new Map<string, SortedProject>()
  const agents = new Map<string, Writable<AgentFiles>>()
  let last: SortedProject | undefined

  // Files of a project come one after the other: most are of the same as the one before.
  const projectOf = (root: string, key: string): SortedProject => {
    if (last?.files.key === key && last.files.root === root) return last
    last = grab(projects, `${root}\0${key}`, () => {
      const dir = join(root, 'projects', key)
      return { files: { root, key, dir, sessions: [], flatAgents: [], sessionsIndex: undefined }, sessions: new Map() }
    })
    return last
  }
  const sessionOf = (root: string, key: string, id: string): Writable<SessionFiles> => {
    const { files, sessions } = projectOf(root, key)
    return grab(sessions, id, () => {
      const project = { root, key, dir: files.dir }
      const session = newSession(id, root, project)
      files.sessions.push(session)
      return session
    })
  }

  for (const entry of source.list()) {
    const { root } = entry
    const place = toPlace(relativePath(entry))
    if (place.kind === 'session') sessionOf(root, place.project, place.session).log = entry
    else if (place.kind === 'agent' || place.kind === 'agent-meta') {
      const { project, session, agent: id, run } = place
      const folder = entry.path.slice(0, entry.path.lastIndexOf(sep))
      const agent = grab(agents, `${folder}${sep}${id}`, () => {
        const made = { id, log: undefined, meta: undefined, session, run }
        if (session === null) projectOf(root, project).files.flatAgents.push(made)
        else sessionOf(root, project, session).agents.push(made)
        return made
      })
      if (place.kind === 'agent') agent.log = entry
      else agent.meta = entry
    } else if (place.kind === 'tool-result') sessionOf(root, place.project, place.session).toolResults.push(entry)
    else if (place.kind === 'custom-title') sessionOf(root, place.project, place.session).customTitle = entry
    else if (place.kind === 'sessions-index') projectOf(root, place.project).files.sessionsIndex = entry
    else if (place.kind === 'workflow' || place.kind === 'journal' || place.kind === 'session-other') {
      sessionOf(root, place.project, place.session).others.push(entry)
    } else if (place.kind === 'project-other' || place.kind === 'memory') projectOf(root, place.project)
  }
  return Array.from(projects.values(), ({ files }) => files)
}

/** A project, and its sessions by their ids. */
interface SortedProject {
  readonly files: Writable<ProjectFiles>
  readonly sessions: Map<string, Writable<SessionFiles>>
}

function newSession(id: string, root: string, project: ProjectFolder): Writable<SessionFiles> {
  return { id, root, project, log: undefined, agents: [], toolResults: [], customTitle: undefined, others: [] }
}

/**
 * The same inventory with a log, or the description of an agent, as it is now; what stands beside it is not sorted again. For files of
 * other kinds there is none.
 */
export function withEntry(
  projects: readonly ProjectFiles[],
  entry: SourceEntry,
  toPlace: (relativePath: string) => FilePlace = placeOf,
): readonly ProjectFiles[] | undefined {
  const place = toPlace(relativePath(entry))
  if (place.kind !== 'session' && place.kind !== 'agent' && place.kind !== 'agent-meta') return undefined
  const now = (known: SourceEntry | undefined) => (known?.path === entry.path ? entry : known)
  const ofAgent = (agent: AgentFiles) => ({ ...agent, log: now(agent.log), meta: now(agent.meta) })
  const ofSession = (session: SessionFiles) =>
    session.id === place.session ? { ...session, log: now(session.log), agents: session.agents.map(ofAgent) } : session
  return projects.map((project) =>
    project.root === entry.root && project.key === place.project
      ? { ...project, sessions: project.sessions.map(ofSession), flatAgents: project.flatAgents.map(ofAgent) }
      : project,
  )
}

function grab<T>(map: Map<string, T>, key: string, make: () => T): T {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

/** The size of a whole family. */
export function familyBytes(session: SessionFiles): number {
  const agents = session.agents.flatMap((agent) => [agent.log, agent.meta])
  return [session.log, session.customTitle, ...agents, ...session.toolResults, ...session.others].reduce(
    (sum, entry) => sum + (entry?.sizeBytes ?? 0),
    0,
  )
}
