import { isObject, type JsonObject, stringAt } from '../core/json.ts'
import type { Origin } from './build.ts'
import { pushBuiltIn } from './commands.ts'
import { chainTo } from './compaction.ts'
import { compareVersions } from './generation.ts'
import { writeTitleFile } from './render.ts'
import { iso, isTerminal, pushPlain, type Thread } from './thread.ts'

/** Begins a session with what it took over from another: the rows, and where the conversation stood. */
export function takeOver(thread: Thread, before: Thread, origin: Origin): void {
  const { ids } = thread.session
  const renamed = new Map<string, string>()
  if (origin.kind === 'resumed') for (const uuid of before.parents.keys()) renamed.set(uuid, ids.uuid())
  const rename = (uuid: string) => renamed.get(uuid) ?? uuid
  const promptIds = new Map<unknown, string>()
  const newPromptId = (old: unknown) => {
    const id = promptIds.get(old) ?? ids.uuid()
    promptIds.set(old, id)
    return id
  }
  const renameOrNull = (uuid: string | null) => (uuid === null ? null : rename(uuid))
  const version = thread.session.generation.version
  if (compareVersions(version, '1.0.128') <= 0) {
    const summary = before.session.title ?? before.prompts.at(0)?.text.slice(0, 60) ?? 'Earlier work'
    pushPlain(thread, { type: 'summary', summary, leafUuid: before.parent })
  }
  if (origin.kind !== 'continued') pushStrayRow(thread, before, origin)

  for (const row of takenRows(before, origin))
    thread.lines.push({ row: copyOf(row, thread, before, origin, { rename, newPromptId }) })
  thread.parent = renameOrNull(before.parent)
  thread.contextTokens = before.contextTokens
  thread.announced = true
  thread.turns = before.turns
  thread.todos = before.todos
  thread.session.slug = before.session.slug
  thread.session.title = before.session.title
  for (const [uuid, parent] of before.parents) thread.parents.set(rename(uuid), renameOrNull(parent))
  for (const prompt of before.prompts) {
    thread.prompts.push({ ...prompt, uuid: rename(prompt.uuid), parent: renameOrNull(prompt.parent) })
  }
  if (origin.kind === 'branched') settleBranch(thread, before, origin)
}

/** Tree rows of the main thread; a branch takes only those of the active chain, with the results beside it. */
function takenRows(before: Thread, origin: Origin): readonly JsonObject[] {
  if (origin.kind === 'continued') return []
  const rows = before.lines.flatMap((line) => ('row' in line && before.parents.has(uuidOf(line.row)) ? [line.row] : []))
  if (origin.kind !== 'branched') return rows
  const chain = new Set(chainTo(before, before.parent))
  return rows.filter((row) => chain.has(uuidOf(row)) || chain.has(stringAt(row, 'sourceToolAssistantUUID') ?? ''))
}

function copyOf(
  row: JsonObject,
  thread: Thread,
  before: Thread,
  origin: Origin,
  names: { rename(uuid: string): string; newPromptId(old: unknown): string },
): JsonObject {
  const { sessionId, generation } = thread.session
  if (origin.kind === 'branched') {
    const forkedFrom = { sessionId: before.session.sessionId, messageUuid: uuidOf(row) }
    return { ...row, sessionId, forkedFrom }
  }
  const retold = compareVersions(generation.version, '2.0.0') < 0
  if (!retold) {
    const promptId =
      generation.titleFile && row.promptId !== undefined ? { promptId: names.newPromptId(row.promptId) } : {}
    return { ...row, ...promptId, sessionId }
  }
  // These versions wrote the history anew: later times, and only what the model is sent.
  const { requestId: _, toolUseResult: __, costUSD, ...kept } = row
  return {
    ...kept,
    ...(costUSD !== undefined && { costUSD: 0, durationMs: 0 }),
    ...(origin.kind === 'forked' && { message: asBlocks(row.message) }),
    parentUuid: typeof row.parentUuid === 'string' ? names.rename(row.parentUuid) : null,
    uuid: names.rename(uuidOf(row)),
    sessionId,
    timestamp: iso(thread.now),
    version: generation.version,
  }
}

function asBlocks(message: unknown): JsonObject {
  if (!isObject(message)) return {}
  return typeof message.content === 'string'
    ? { ...message, content: [{ type: 'text', text: message.content }] }
    : message
}

/** Forks of 2.0.37 to 2.1.4 hold one row of the queue that still names the first session. */
function pushStrayRow(thread: Thread, before: Thread, origin: Origin): void {
  const { session } = thread
  if (origin.kind !== 'forked' || !session.generation.emptyFileOnResume || isTerminal(session)) return
  const { sessionId } = before.session
  pushPlain(thread, { type: 'queue-operation', operation: 'dequeue', timestamp: iso(thread.now), sessionId })
}

/** What `/branch` adds to the copied rows: a title, the checkpoints, and a word on how to go back. */
function settleBranch(thread: Thread, before: Thread, origin: Origin): void {
  const { session } = thread
  const { sessionId, fileId, generation } = session
  const from = before.session
  session.title = origin.title ?? `${from.title ?? before.prompts.at(0)?.text ?? 'Session'} (Branch)`
  pushPlain(thread, { type: 'custom-title', customTitle: session.title, sessionId })
  if (generation.agentName) pushPlain(thread, { type: 'agent-name', agentName: session.title, sessionId })
  if (generation.titleFile) writeTitleFile(session, thread.now)
  for (const line of before.lines) {
    if ('row' in line && line.row.type === 'file-history-snapshot') pushPlain(thread, line.row)
  }
  for (const [path, file] of before.tracked) thread.tracked.set(path, file)
  for (const file of from.files.values()) {
    if (!file.path.startsWith('file-history/')) continue
    const path = file.path.replace(from.fileId, fileId)
    session.files.set(path, { ...file, path })
  }
  const told = `Branched conversation "${session.title}". You are now in the new branch (session ${sessionId}). Use /resume ${from.sessionId} to return to the original.`
  pushBuiltIn(thread, 'branch', origin.title ?? '', told)
}

function uuidOf(row: JsonObject): string {
  return stringAt(row, 'uuid') ?? ''
}
