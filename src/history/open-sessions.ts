import type { SessionFiles } from '../disk/inventory.ts'
import type { Library } from '../disk/library.ts'
import type { KnownFacts } from '../disk/log-facts.ts'
import { type Conversation, openConversation } from './conversation.ts'
import { type Agent, linkedAgents } from './family.ts'
import { type Derive, memoized } from './memoized.ts'

/** A session with its agents, read from one generation of its files. What is derived from it is kept with it. */
export interface OpenFamily {
  readonly files: SessionFiles
  /** Facts of its own log; `undefined` where that cannot be read. */
  readonly main: KnownFacts | undefined
  readonly agents: readonly Agent[]
  /** The conversation of its own log; `undefined` where that cannot be read. */
  readonly conversation: () => Conversation | undefined
  /** The conversation of an agent: all rows of its own log, or a sidechain of another. */
  readonly conversationOf: (agent: Agent) => Conversation
  readonly derive: Derive<OpenFamily>
}

/** Sessions kept open at most: the pages of a session are asked for one after the other. */
const MOST_SESSIONS = 4
/** Rows of these sessions together, unless the last one alone has more. */
const MOST_ROWS = 150_000

/** A library's open sessions live as long as the library: a server that rests drops both. */
const open = new WeakMap<Library, readonly Kept[]>()

interface Kept {
  readonly generation: string
  readonly family: OpenFamily
}

/** Opens a session, or gives what is open where none of its files has changed. Reads all of its logs. */
export function openFamily(library: Library, files: SessionFiles): OpenFamily {
  const generation = generationOf(files)
  const before = open.get(library) ?? []
  const family = before.find((one) => one.generation === generation)?.family ?? readFamily(library, files)
  const isOther = ({ family: { files: kept } }: Kept) => kept.id !== files.id || kept.project.dir !== files.project.dir
  let rows = 0
  const kept = [{ generation, family }, ...before.filter(isOther)].slice(0, MOST_SESSIONS).filter((one, at) => {
    rows += rowsOf(one.family)
    return at === 0 || rows <= MOST_ROWS
  })
  open.set(library, kept)
  return family
}

function rowsOf({ main, agents }: OpenFamily): number {
  return agents.reduce((sum, { nodes }) => sum + nodes.length, main?.facts.nodes.length ?? 0)
}

/** Changes when any file of the family does. */
function generationOf({ log, agents }: SessionFiles): string {
  const entries = [log, ...agents.flatMap((agent) => [agent.log, agent.meta])]
  return entries.map((e) => e && `${e.path}\0${e.sizeBytes}\0${e.modifiedAt}\0${e.inode ?? ''}`).join('\n')
}

function readFamily(library: Library, files: SessionFiles): OpenFamily {
  const { source } = library
  const { log } = files
  const main = log && library.facts(log)
  const conversations = new Map<Agent | undefined, Conversation>()
  const once = (agent: Agent | undefined, make: () => Conversation) => {
    const conversation = conversations.get(agent) ?? make()
    conversations.set(agent, conversation)
    return conversation
  }
  const family: OpenFamily = {
    files,
    main,
    agents: linkedAgents(library, files, main),
    conversation: () => (log && main ? once(undefined, () => openConversation(source, log, main)) : undefined),
    conversationOf: (agent) =>
      once(agent, () => {
        const facts = { ...agent.facts.facts, nodes: agent.nodes }
        return openConversation(source, agent.entry, { ...agent.facts, facts }, { isAgent: true })
      }),
    derive: memoized(() => family),
  }
  return family
}
