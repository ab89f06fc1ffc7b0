import type { JsonObject } from '../core/json.ts'
import type { TreeNode } from '../core/node.ts'
import { titleOf } from '../core/title.ts'
import { buildTree } from '../core/tree.ts'
import { type Response, UsageFold, type UsageRow } from '../core/usage.ts'
import type { AgentFiles, ProjectFiles, SessionFiles } from '../disk/inventory.ts'
import { type Library, projectPath } from '../disk/library.ts'
import type { KnownFacts } from '../disk/log-facts.ts'
import type { SourceEntry } from '../disk/source.ts'
import type { Context } from './op.ts'
import { type FamilyNames, nameFamily } from './usage-family.ts'

/** A session, as far as usage is concerned. Its log may be gone while its agents' are not. */
export interface UsageSession {
  readonly id: string
  readonly root: string
  readonly project: { readonly key: string; readonly path: string | null }
  readonly title: string | null
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
  readonly rows: readonly UsageRow[]
  /** The times of rows that the client wrote itself, in an answer's place. */
  readonly synthetic: readonly string[]
  /** Offsets of rows on branches that were abandoned. */
  readonly abandoned: ReadonlySet<number>
}

/** A response counted once, and where it belongs. */
export interface Counted {
  readonly response: Response
  readonly log: UsageLog
  readonly isAgent: boolean
  readonly isAbandoned: boolean
  /** Every row it was seen on, in all files. */
  readonly rows: readonly UsageRow[]
}

export interface UsageReading {
  readonly logs: readonly UsageLog[]
  readonly sessions: readonly UsageSession[]
  /** By time. */
  readonly counted: readonly Counted[]
}

export interface ReadingOptions {
  /** Also learn the names of agents and turns, which needs a second look at some rows. */
  readonly names?: boolean
  /** Leaves out logs that are not wanted. */
  readonly wants?: (entry: SourceEntry) => boolean
}

/** Reads all logs of a library for their usage, and counts every response once. */
export function readUsage(context: Context, library: Library, options: ReadingOptions = {}): UsageReading {
  const projects = library.projects()
  const wants = options.wants ?? (() => true)
  const total = projects.flatMap(entriesOf).reduce((sum, entry) => sum + (wants(entry) ? entry.sizeBytes : 0), 0)
  let done = 0
  const read = (entry: SourceEntry | undefined) => {
    if (!entry || !wants(entry)) return undefined
    const known = library.facts(entry)
    done += entry.sizeBytes
    context.progress(done, total)
    return known
  }
  const families = projects.flatMap((project) => [...readProject(project, library, read, options)])
  const logs = families.flatMap((family) => family.logs)
  return { logs, sessions: families.map((family) => family.session), counted: countOnce(logs) }
}

function entriesOf(project: ProjectFiles): readonly SourceEntry[] {
  const agents = [...project.flatAgents, ...project.sessions.flatMap((session) => session.agents)]
  return [...project.sessions, ...agents].flatMap(({ log }) => log ?? [])
}

type ReadFacts = (entry: SourceEntry | undefined) => KnownFacts | undefined

interface AgentLog {
  readonly files: AgentFiles
  readonly known: KnownFacts
}

interface Family {
  readonly session: UsageSession
  readonly logs: readonly UsageLog[]
}

function* readProject(
  project: ProjectFiles,
  library: Library,
  read: ReadFacts,
  options: ReadingOptions,
): Generator<Family> {
  const flat = new Map<string, AgentLog[]>()
  for (const agent of readAgents(project.flatAgents, read)) {
    const owner = agent.known.facts.sessionIds[0] ?? agent.files.id
    flat.set(owner, [...(flat.get(owner) ?? []), agent])
  }
  for (const files of project.sessions) {
    const main = read(files.log)
    const agents = [...readAgents(files.agents, read), ...(flat.get(files.id) ?? [])]
    flat.delete(files.id)
    if (main || agents.length > 0) yield familyOf(files, main, agents, library, options)
  }
  // Agents outlive the log of their session.
  for (const [id, agents] of flat) {
    const files = { id, root: project.root, project, log: undefined }
    yield familyOf(files, undefined, agents, library, options)
  }
}

function readAgents(agents: readonly AgentFiles[], read: ReadFacts): readonly AgentLog[] {
  return agents.flatMap((files) => {
    const known = read(files.log)
    return known ? [{ files, known }] : []
  })
}

function familyOf(
  files: Pick<SessionFiles, 'id' | 'root' | 'project' | 'log'>,
  main: KnownFacts | undefined,
  agents: readonly AgentLog[],
  library: Library,
  options: ReadingOptions,
): Family {
  const { key } = files.project
  const all = [...(main ? [main] : []), ...agents.map((agent) => agent.known)]
  const nodes = main?.facts.nodes ?? []
  const log = files.log && main ? { entry: files.log, known: main } : undefined
  const session: UsageSession = {
    id: files.id,
    root: files.root,
    project: {
      key,
      path: projectPath(
        key,
        all.flatMap(({ facts }) => [facts.cwd, facts.relocatedCwd]),
      ),
    },
    title: main ? titleOf(main.facts, null, null).text : null,
    lastAt: main?.facts.lastAt ?? all[0]?.facts.lastAt ?? null,
    costState: main?.facts.costState ?? null,
    compactions: countOf(nodes, 'compact-boundary'),
    interrupts: countOf(nodes, 'interrupt'),
    names: options.names ? nameFamily(library.source, { session: files.id, main: log, agents }) : undefined,
  }
  const logs = agents.flatMap(({ files: { id, log: entry }, known }) =>
    entry ? [logOf(session, id, entry, known)] : [],
  )
  return { session, logs: log ? [logOf(session, null, log.entry, log.known), ...logs] : logs }
}

function countOf(nodes: readonly TreeNode[], kind: TreeNode['kind']): number {
  return new Set(nodes.filter((node) => node.kind === kind).map((node) => node.uuid || node.offset)).size
}

function logOf(session: UsageSession, agent: string | null, entry: SourceEntry, { facts }: KnownFacts): UsageLog {
  return {
    session,
    agent,
    file: entry.path,
    rows: facts.usage,
    synthetic: facts.nodes.filter((node) => node.model === '<synthetic>').map((node) => node.timestamp ?? ''),
    abandoned: agent === null ? abandonedRows(facts.nodes, facts.leaf) : new Set(),
  }
}

function abandonedRows(nodes: readonly TreeNode[], leaf: string | null): ReadonlySet<number> {
  const { branches, active } = buildTree(nodes, { leaf })
  if (branches.length < 2) return new Set()
  const kept = new Set(active?.rows)
  const lost = branches.flatMap((branch) => branch.rows.filter((row) => !kept.has(row)))
  return new Set(lost.map((row) => (nodes[row] as TreeNode).offset))
}

function countOnce(logs: readonly UsageLog[]): readonly Counted[] {
  const fold = new UsageFold()
  const byFile = new Map(logs.map((log) => [log.file, log]))
  const byMessage = new Map<string, UsageRow[]>()
  for (const log of logs) {
    for (const row of log.rows) {
      fold.add(row)
      const same = byMessage.get(row.messageId)
      if (same) same.push(row)
      else byMessage.set(row.messageId, [row])
    }
  }
  return fold.responses().map((response) => {
    const { messageId, requestId, first } = response
    const log = byFile.get(first.place.file) as UsageLog
    const all = byMessage.get(messageId) ?? []
    const own = all.filter((row) => row.requestId === (requestId ?? ''))
    return {
      response,
      log,
      isAgent: log.agent !== null || first.isSidechain,
      isAbandoned: log.abandoned.has(first.place.offset),
      // Rows without a request id went to the earliest request of their message.
      rows: own.length === response.rows ? own : all.filter((row) => own.includes(row) || row.requestId === ''),
    }
  })
}
