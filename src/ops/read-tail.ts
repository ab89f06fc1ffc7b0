import { FactsFold } from '../core/facts.ts'
import { Failure } from '../core/failure.ts'
import { type Conversation, openConversation } from '../disk/conversation.ts'
import type { Library } from '../disk/library.ts'
import { type LogPosition, readLogFile } from '../disk/log-file.ts'
import type { SourceEntry } from '../disk/source.ts'
import { findSession } from './find-session.ts'
import type { Context } from './op.ts'
import { type ShownRows, shownRows } from './shown-rows.ts'
import { type View, viewOf } from './turn-shape.ts'

/** The end of a log, as a conversation of its own: it costs what it holds, however long the log is. */
export interface Tail {
  readonly session: string
  readonly agent: string | null
  readonly conversation: Conversation
  readonly shown: ShownRows
  readonly view: View
  /** Up to where the log was read. */
  readonly endOffset: number
  /** Whether its rows go on from the first one. If not, someone went back to what stands before it. */
  readonly goesOn: boolean
}

/** More than this is no tail: then the whole of the log is asked for. */
const MOST_BYTES = 8 * 1024 * 1024

/** Reads a log from the line that begins at an offset. What stands before it is not looked at. */
export function readTail(context: Context, name: string, from: LogPosition): Tail {
  const { session, agent, entry, library } = logNamed(context, name)
  if (entry.sizeBytes - from.offset > MOST_BYTES || from.offset > entry.sizeBytes) {
    throw new Failure('BAD_INPUT', `${entry.path} does not end near byte ${from.offset}.`)
  }
  const facts = new FactsFold()
  const totals = readLogFile(library.source, entry, { record: (record) => facts.add(record) }, from)
  if (!totals) throw new Failure('SESSION_NOT_FOUND', `${entry.path} can no longer be read.`)
  const known = { facts: facts.facts(), totals, diagnostics: [] }
  const conversation = openConversation(library.source, entry, known, { isAgent: agent !== null })
  const { tree } = conversation
  return {
    session,
    agent,
    conversation,
    shown: shownRows(conversation, tree.active),
    view: viewOf([], [], { thinking: true, tools: 'full' }),
    endOffset: totals.endOffset,
    goesOn: goesOn(conversation),
  }
}

/** Every row but the first hangs under one that is here, and nobody went back in between. */
function goesOn({ tree }: Conversation): boolean {
  const { nodes, attachedBy, branches } = tree
  const uuids = new Set(nodes.map(({ uuid }) => uuid))
  return branches.length === 1 && uuids.size === nodes.length && !attachedBy.includes('missing', 1)
}

interface NamedLog {
  readonly session: string
  readonly agent: string | null
  readonly entry: SourceEntry
  readonly library: Library
}

/** The log of a session, or of an agent by its whole id. */
function logNamed(context: Context, name: string): NamedLog {
  if (!name.startsWith('agent-')) {
    const { files, library } = findSession(context, name)
    if (!files.log) throw new Failure('SESSION_NOT_FOUND', `The log of ${files.id} is gone.`)
    return { session: files.id, agent: null, entry: files.log, library }
  }
  const { library } = context
  const id = name.replace(/^agent-/, '')
  const found = library
    .projects()
    .flatMap((project) => [
      ...project.sessions.flatMap((session) => session.agents.map((agent) => ({ agent, session: session.id }))),
      ...project.flatAgents.map((agent) => ({ agent, session: '' })),
    ])
  const logs = found.flatMap(({ agent, session }) =>
    agent.id === id && agent.log ? [{ session, agent: id, entry: agent.log, library }] : [],
  )
  const [newest] = logs.sort((a, b) => b.entry.modifiedAt - a.entry.modifiedAt)
  if (!newest) throw new Failure('SESSION_NOT_FOUND', `No agent with a log of its own is called "${id}".`)
  return newest
}
