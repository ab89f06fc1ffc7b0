import { Failure } from '../core/failure.ts'
import type { TreeNode } from '../core/tree/node.ts'
import type { Branch, Tree } from '../core/tree/tree.ts'
import type { SessionFiles } from '../disk/inventory.ts'
import type { Library } from '../disk/library.ts'
import type { KnownFacts } from '../disk/log-facts.ts'
import type { SourceEntry } from '../disk/source.ts'
import { unreadLog } from '../disk/unreadable.ts'
import type { Conversation } from './conversation.ts'
import type { Agent } from './family.ts'
import { type Asking, type FoundSession, findSession } from './find.ts'
import { logOf } from './gone.ts'
import { historyOf } from './history.ts'
import { type OpenFamily, openFamily } from './open-sessions.ts'

/** A session or one of its agents, opened to be read. */
export interface OpenedSession extends Pick<OpenFamily, 'conversationOf' | 'derive'> {
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
  const { main, agents: family, conversation, conversationOf, derive } = openFamily(library, files)
  const opened = { library, files, family, conversationOf, derive }
  if (found.agent) {
    const { id } = found.agent
    const agent = family.find((one) => one.id === id && one.entry.path === log.path)
    if (!agent) throw unreadLog(log)
    return { ...opened, agent, known: agent.facts, conversation: conversationOf(agent) }
  }
  const own = conversation()
  if (!main || !own) throw unreadLog(log)
  return { ...opened, agent: undefined, known: main, conversation: own }
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
