import { FactsFold } from '../../core/facts/facts.ts'
import { Failure } from '../../core/failure.ts'
import type { Walk } from '../../core/tree/walk.ts'
import { type LogPosition, readLogFile } from '../../disk/log-file.ts'
import { unreadLog } from '../../disk/unreadable.ts'
import type { Context } from '../context.ts'
import { type Conversation, openConversation } from '../conversation.ts'
import { findSession } from '../find.ts'
import { logOf } from '../gone.ts'
import { type View, viewOf } from './turn-shape.ts'

/** The end of a log, as a conversation of its own: it costs what it holds, however long the log is. */
export interface Tail {
  readonly session: string
  readonly agent: string | null
  readonly conversation: Conversation
  readonly walk: Walk
  readonly view: View
  /** Up to where the log was read. */
  readonly endOffset: number
  /** Whether its rows go on from the first one. If not, someone went back to what stands before it. */
  readonly goesOn: boolean
}

/** More than this is no tail: then the whole of the log is asked for. */
const MOST_BYTES = 8 * 1024 * 1024

/** Reads a log from the line that begins at an offset. What stands before it is not looked at. */
export async function readTail(context: Context, name: string, from: LogPosition): Promise<Tail> {
  const found = await findSession(context, name)
  const { library, files, agent } = found
  const entry = await logOf(context, found)
  const { source } = library
  // The log may have grown since it was listed, and whoever asks may have read it since.
  const reaches = from.offset <= entry.sizeBytes || source.read(entry, from.offset - 1, new Uint8Array(1)) === 1
  if (entry.sizeBytes - from.offset > MOST_BYTES || !reaches) {
    throw new Failure('BAD_INPUT', `${entry.path} does not end near byte ${from.offset}.`)
  }
  const facts = new FactsFold()
  const totals = readLogFile(source, entry, { record: (record) => facts.add(record) }, from)
  if (!totals) throw unreadLog(entry)
  const known = { facts: facts.facts(), totals, diagnostics: [] }
  const conversation = openConversation(source, entry, known, { isAgent: agent !== null })
  const { tree } = conversation
  return {
    session: files.id,
    agent: agent?.id ?? null,
    conversation,
    walk: conversation.walk(tree.active),
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
