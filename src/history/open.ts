import { Failure } from '../core/failure.ts'
import type { TreeNode } from '../core/tree/node.ts'
import type { Branch, Tree } from '../core/tree/tree.ts'
import type { SessionFiles } from '../disk/inventory.ts'
import type { Library } from '../disk/library.ts'
import type { KnownFacts } from '../disk/log-facts.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { type Conversation, openConversation } from './conversation.ts'
import { type Agent, linkedAgents } from './family.ts'
import { type Asking, type FoundSession, findSession } from './find.ts'
import { logOf } from './gone.ts'
import { historyOf } from './history.ts'

/** A session or one of its agents, opened to be read. */
export interface OpenedSession {
  readonly library: Library
  readonly files: SessionFiles
  readonly family: readonly Agent[]
  /** The agent, where one was named. */
  readonly agent: Agent | undefined
  /** The facts of the log that was opened: the session's, or the agent's. */
  readonly known: KnownFacts
  /** What was named: the session's conversation, or the agent's. */
  readonly conversation: Conversation
}

/** Opens the session that a person means, or the agent: see `findSession`. */
export async function openSession(context: Asking, name: string): Promise<OpenedSession> {
  return openFound(context, await findSession(context, name))
}

/** Opens what was found. */
export async function openFound(context: Asking, found: FoundSession): Promise<OpenedSession> {
  const log = await logOf(context, found)
  const { library, files } = found
  await historyOf({ ...context, library }).fetchLogs(familyEntries(files))
  const { main, agents } = familyOf(library, files)
  const opened = { library, files, family: agents }
  if (found.agent) {
    const { id } = found.agent
    const agent = agents.find((one) => one.id === id && one.entry.path === log.path)
    if (!agent) throw new Failure('SESSION_NOT_FOUND', `${log.path} can no longer be read.`)
    return { ...opened, agent, known: agent.facts, conversation: agentConversation(library.source, agent) }
  }
  if (!main) throw new Failure('SESSION_NOT_FOUND', `${log.path} can no longer be read.`)
  return { ...opened, agent: undefined, known: main, conversation: conversationOf(library.source, log, main) }
}

/** The files that a session and its agents are read from. */
export function familyEntries({ log, agents }: SessionFiles): readonly (SourceEntry | undefined)[] {
  return [log, ...agents.flatMap((agent) => [agent.log, agent.meta])]
}

/** Where the rows of an agent stand that lies in the log of its session; `undefined` where a whole log is meant. */
export async function rowsInside(context: Asking, found: FoundSession): Promise<ReadonlySet<number> | undefined> {
  if (!found.agent || found.agent.log) return undefined
  return new Set((await openFound(context, found)).agent?.nodes.map(({ offset }) => offset))
}

/** A session's log and its agents, all read. */
interface Family {
  readonly files: SessionFiles
  readonly stamp: string
  /** The facts of its own log, where that can be read. */
  readonly main: KnownFacts | undefined
  readonly agents: readonly Agent[]
}

/** Families that were opened last, the newest first: the pages of a session are asked for one after the other. */
const recent = new WeakMap<Library, readonly Family[]>()
const MOST_RECENT = 4
/** Together they have so many rows at most, unless one alone has more. */
const MOST_ROWS = 150_000

function familyOf(library: Library, files: SessionFiles): Family {
  const stamp = stampOf(files)
  const before = recent.get(library) ?? []
  const family = before.find((one) => one.stamp === stamp) ?? readFamily(library, files, stamp)
  // What the same session was before it grew is not kept beside it.
  const others = before.filter((one) => one.files.id !== files.id || one.files.project.dir !== files.project.dir)
  let rows = 0
  const kept = [family, ...others].slice(0, MOST_RECENT).filter((one, at) => {
    rows += (one.main?.facts.nodes.length ?? 0) + one.agents.reduce((sum, agent) => sum + agent.nodes.length, 0)
    return at === 0 || rows <= MOST_ROWS
  })
  recent.set(library, kept)
  return family
}

function readFamily(library: Library, files: SessionFiles, stamp: string): Family {
  const main = files.log && library.facts(files.log)
  return { files, stamp, main, agents: linkedAgents(library, files, main) }
}

/** What changes when any file of a family does. */
function stampOf(files: SessionFiles): string {
  const entries = familyEntries(files)
  return entries.map((e) => e && `${e.path}\0${e.sizeBytes}\0${e.modifiedAt}\0${e.inode ?? ''}`).join('\n')
}

/** Tree and turns are made once for the facts they are made of. */
const conversations = new WeakMap<KnownFacts | Agent, Conversation>()

function conversationOf(source: Source, entry: SourceEntry, known: KnownFacts): Conversation {
  const opened = conversations.get(known) ?? openConversation(source, entry, known)
  conversations.set(known, opened)
  return opened
}

/** An agent as a conversation. Its rows are all of its own log, or a sidechain of another. */
export function agentConversation(source: Source, agent: Agent): Conversation {
  const known = conversations.get(agent)
  if (known) return known
  const facts = { ...agent.facts.facts, nodes: agent.nodes }
  const opened = openConversation(source, agent.entry, { ...agent.facts, facts }, { isAgent: true })
  conversations.set(agent, opened)
  return opened
}

/** The branch that ends at a leaf, named by its start; without one, the branch that the client would go on with. */
export function chosenBranch(tree: Tree, wanted: string | undefined): Branch | undefined {
  if (wanted === undefined) return tree.active
  const leafOf = (branch: Branch) => (tree.nodes[branch.leaf] as TreeNode).uuid
  const found = tree.branches.filter((branch) => leafOf(branch).startsWith(wanted))
  const exact = found.filter((branch) => leafOf(branch) === wanted)
  const [only, ...others] = exact.length > 0 ? exact : found
  if (only && others.length === 0) return only
  const leaves = tree.branches.map((branch) => leafOf(branch).slice(0, 8)).join(', ')
  const message = only ? `${found.length} branches end at "${wanted}".` : `No branch ends at "${wanted}".`
  throw new Failure('NOT_FOUND', message, { hint: `This session's branches: ${leaves || 'none'}.` })
}

/** The uuid that a branch is named by. */
export function leafUuid(tree: Tree, branch: Branch | undefined): string | null {
  return branch ? (tree.nodes[branch.leaf] as TreeNode).uuid : null
}

/** The agents below what was opened: all of a session, or those that an agent started, and those that they did. */
export function startedBy(agent: Agent | undefined, family: readonly Agent[]): readonly Agent[] {
  if (!agent) return family
  const started = new Set([agent])
  // A set grows while it is walked.
  for (const { id } of started) for (const one of family) if (one.parentAgent === id) started.add(one)
  return family.filter((one) => one !== agent && started.has(one))
}
