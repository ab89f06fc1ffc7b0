import { randomUUID } from 'node:crypto'
import { Failure } from '../../core/failure.ts'
import { type JsonObject, stringAt } from '../../core/json.ts'
import { streamRecords } from '../../disk/log-file.ts'
import { planFork } from '../../edit/fork.ts'
import type { Context } from '../context.ts'
import { keyOfFiles } from '../families.ts'
import { historyOf } from '../history.ts'
import { editableOpened } from './editable.ts'
import { type ConversationPoint, conversationPoint } from './point.ts'
import type { EditResult } from './result.ts'
import { type EditHow, readyForEdits, runEdit } from './run-edit.ts'

/** Makes a session of its own from everything up to a point: `SESSION:TURN`, `SESSION:UUID` or `FILE:LINE`. */
export async function forkSession(
  context: Context,
  point: string,
  { title, ...how }: EditHow & { readonly title?: string | undefined } = {},
): Promise<EditResult> {
  readyForEdits(context, how)
  const found = await conversationPoint(context, point)
  const session = await editableOpened(context, found.opened)
  if (found.leaf === null) {
    const hint = 'Name a later turn.'
    throw new Failure('BAD_INPUT', 'There is nothing before that point to fork.', { hint })
  }
  const key = keyOfFiles(found.opened.files)
  const known = (await (await historyOf(context).refresh()).sessions.titles([key])).get(key)?.title
  const id = randomUUID()
  const plan = planFork(session, { id, title: title ?? forkTitle(known), records: recordsOf(found) })
  return runEdit(context, plan, { ...how }, { created: id })
}

/** As the client's own library calls a fork, of the first line of what the session is called. */
function forkTitle(title: string | null | undefined): string {
  const [line = ''] = (title ?? '').trim().split(/[\r\n]/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a title that is taken from a prompt may hold any
  return `${line.replace(/[\0-\x1f\x7f-\x9f]/g, ' ').slice(0, 200) || 'Session'} (fork)`
}

/** What is copied beside the rows: checkpoints of them, results that were replaced, and what the client notes of the session. */
function recordsOf({ opened, rows }: ConversationPoint): readonly JsonObject[] {
  const offsets = new Set(rows.map(({ offset }) => offset))
  const uuids = new Set(rows.map(({ uuid }) => uuid))
  const latest = new Map<string, JsonObject>()
  const records: JsonObject[] = []
  for (const { type, raw, place } of streamRecords(opened.library.source, opened.conversation.entry)) {
    if (offsets.has(place.offset)) records.push(raw)
    else if (type === 'atis-latch' || type === 'tools-used') latest.set(type, raw)
    else if (type === 'file-history-snapshot' || type === 'file-history-delta') {
      const of = stringAt(raw, 'snapshotMessageId') ?? stringAt(raw, 'messageId') ?? ''
      if (uuids.has(of)) records.push(raw)
    } else if (type === 'content-replacement' && stringAt(raw, 'agentId') === undefined) records.push(raw)
  }
  return [...records, ...latest.values()]
}
