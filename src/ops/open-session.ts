import { Failure } from '../core/failure.ts'
import type { TreeNode } from '../core/node.ts'
import type { Branch, Tree } from '../core/tree.ts'
import { numberOf } from '../core/version.ts'
import { type Conversation, openConversation } from '../disk/conversation.ts'
import type { Agent } from '../disk/family.ts'
import type { AgentFiles, SessionFiles } from '../disk/inventory.ts'
import type { Library } from '../disk/library.ts'
import type { KnownFacts } from '../disk/log-facts.ts'
import type { Source, SourceEntry } from '../disk/source.ts'
import { type FoundSession, findAgent, findSession } from './find-session.ts'
import type { Context } from './op.ts'
import { type View, viewOf } from './turn-shape.ts'
import { type FamilyCosts, familyCosts } from './usage-costs.ts'

/** A session or one of its agents, opened to be read. */
export interface OpenedSession extends FoundSession {
  readonly log: SourceEntry
  /** The facts of the session's own log. */
  readonly known: KnownFacts
  readonly family: readonly Agent[]
  /** The agent, where one was named. */
  readonly agent: Agent | undefined
  /** What was named: the session's conversation, or the agent's. */
  readonly conversation: Conversation
}

/** Opens the session that a person means, or the agent: `agent-<id>`, or the path of an agent's log. */
export function openSession(context: Context, name: string): OpenedSession {
  const path = /(?:^|[\\/])agent-([^\\/]+)\.jsonl$/.exec(name)
  const isAgent = path !== null || name.startsWith('agent-')
  const { session, family, agent } = isAgent
    ? openAgent(context, path?.[1] ?? name.replace(/^agent-/, ''))
    : openFamily(findSession(context, name))
  const { library } = session
  const conversation = agent
    ? agentConversation(library.source, agent)
    : conversationOf(library.source, family.log, family.known)
  return { ...session, log: family.log, known: family.known, family: family.agents, agent, conversation }
}

interface Named {
  readonly session: FoundSession
  readonly family: Family
  readonly agent?: Agent
}

function openFamily(session: FoundSession): Named {
  return { session, family: familyOf(session.library, session.files) }
}

/**
 * By its whole id an agent is found without reading the logs of those that are called alike. A session that was copied took
 * its agents along: the newest is meant.
 */
function openAgent(context: Context, id: string): Named {
  const { library } = context
  const owners = library.sessions().filter((files) => library.agentFiles(files).some((agent) => agent.id === id))
  const [files] = owners.toSorted((a, b) => (b.log?.modifiedAt ?? 0) - (a.log?.modifiedAt ?? 0))
  const named = files && openFamily({ library, files })
  const agent = named?.family.agents.find((one) => one.id === id)
  if (named && agent) return { ...named, agent }
  return agentByStart(context, id)
}

function agentByStart(context: Context, id: string): Named {
  try {
    const { session, agent } = findAgent(context, id)
    const named = openFamily(session)
    const isSame = (one: Agent) => one.id === agent.id && one.entry.path === agent.entry.path
    return { ...named, agent: named.family.agents.find(isSame) ?? agent }
  } catch (error) {
    const inside = error instanceof Failure && error.code === 'SESSION_NOT_FOUND' && agentInside(context, id)
    if (!inside) throw error
    return inside
  }
}

/** The first client whose agents lie in files of their own. */
const OWN_FILES = numberOf('2.0.37')

/** An agent inside a session's log has no file to be known by, so the logs of old clients are read for it. */
function agentInside({ library }: Context, id: string): Named | undefined {
  for (const files of library.sessions()) {
    const { log } = files
    const version = log && library.glance(log)?.facts.version
    if (!log || (version && numberOf(version) >= OWN_FILES) || !library.facts(log)) continue
    const named = openFamily({ library, files })
    const inside = named.family.agents.filter((agent) => agent.entry.path === log.path)
    const agent = inside.find((one) => one.id === id) ?? inside.find((one) => one.id.startsWith(id))
    if (agent) return { ...named, agent }
  }
  return undefined
}

/** A session's log and its agents, all read. */
interface Family {
  readonly stamp: string
  readonly log: SourceEntry
  readonly known: KnownFacts
  readonly agents: readonly Agent[]
}

/** Families that were opened last, the newest first: the pages of a session are asked for one after the other. */
const recent = new WeakMap<Library, readonly Family[]>()
const MOST_RECENT = 4
/** Together they have so many rows at most, unless one alone has more. */
const MOST_ROWS = 150_000

function familyOf(library: Library, files: SessionFiles): Family {
  const { log } = files
  if (!log) throw new Failure('SESSION_NOT_FOUND', `The log of ${files.id} is gone.`)
  const stamp = stampOf(log, library.agentFiles(files))
  const before = recent.get(library) ?? []
  const family = before.find((one) => one.stamp === stamp) ?? readFamily(library, files, log, stamp)
  // What the same session was before it grew is not kept beside it.
  const others = before.filter((one) => one.log.path !== log.path)
  let rows = 0
  const kept = [family, ...others].slice(0, MOST_RECENT).filter((one, at) => {
    rows += one.known.facts.nodes.length + one.agents.reduce((sum, agent) => sum + agent.nodes.length, 0)
    return at === 0 || rows <= MOST_ROWS
  })
  recent.set(library, kept)
  return family
}

function readFamily(library: Library, files: SessionFiles, log: SourceEntry, stamp: string): Family {
  const known = library.facts(log)
  if (!known) throw new Failure('SESSION_NOT_FOUND', `${log.path} can no longer be read.`)
  return { stamp, log, known, agents: library.agents(files, known) }
}

/** What changes when any file of a family does. */
function stampOf(log: SourceEntry, agents: readonly AgentFiles[]): string {
  const entries = [log, ...agents.flatMap((agent) => [agent.log, agent.meta])]
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

const costs = new WeakMap<readonly Agent[], FamilyCosts>()

/** What the agents and turns of an opened session cost. */
export async function costsOf(context: Context, { library, log, family }: OpenedSession): Promise<FamilyCosts> {
  const made = costs.get(family) ?? (await familyCosts({ ...context, library }, log.path, family))
  costs.set(family, made)
  return made
}

/** What its rows are shown with: everything there is of tools, and of thinking where it is wanted. */
export async function wholeView(context: Context, opened: OpenedSession, { thinking = true } = {}): Promise<View> {
  const overflowing = opened.files.toolResults.map((entry) => entry.path)
  return viewOf(opened.family, overflowing, { thinking, tools: 'full' }, await costsOf(context, opened))
}
