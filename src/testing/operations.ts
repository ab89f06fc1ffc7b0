import { isObject, type JsonObject, stringAt } from '../core/json.ts'
import type { Origin } from './build.ts'
import { pushBuiltIn } from './commands.ts'
import { chainTo } from './compaction.ts'
import { compareVersions } from './generation.ts'
import { writeTitleFile } from './render.ts'
import { iso, isTerminal, pushPlain, type Thread, writeTakenOver } from './thread.ts'

/** Begins a session with what it took over from another: the rows, and where the conversation stood. */
export function takeOver(thread: Thread, before: Thread, origin: Origin): void {
  const { ids, generation } = thread.session
  const renamed = new Map<string, string>()
  const isRenamed = origin.kind === 'resumed' || origin.kind === 'sdk-forked'
  if (isRenamed) for (const uuid of before.parents.keys()) renamed.set(uuid, ids.uuid())
  const rename = (uuid: string) => renamed.get(uuid) ?? uuid
  const renameOrNull = (uuid: string | null) => (uuid === null ? null : rename(uuid))
  if (compareVersions(generation.version, '1.0.128') <= 0) {
    const summary = before.session.title ?? before.prompts.at(0)?.text.slice(0, 60) ?? 'Earlier work'
    pushPlain(thread, { type: 'summary', summary, leafUuid: before.parent })
  }
  if (origin.kind === 'forked') pushForkHeader(thread)
  const taken = takenRows(before, origin)
  const copy = copier(thread, before, origin, rename)
  thread.takenOver = () => taken.map((row, at) => ({ row: copy(row, at, at === taken.length - 1) }))
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
  if (origin.kind === 'sdk-forked') settleSdkFork(thread, before, origin)
}

/** What a fork says before the rows of its first prompt; these follow, and the copied rows behind them. */
function pushForkHeader(thread: Thread): void {
  const { session } = thread
  const { sessionId, permissionMode, generation } = session
  if (generation.modeRows === 'mode') pushPlain(thread, { type: 'mode', mode: 'normal', sessionId })
  if (generation.modeRows !== 'none' && isTerminal(session)) {
    pushPlain(thread, { type: 'permission-mode', permissionMode, sessionId })
  }
  if (generation.titleFile) pushLatches(thread)
}

function pushLatches(thread: Thread): void {
  const { sessionId } = thread.session
  pushPlain(thread, { type: 'atis-latch', atis: '', sessionId })
  pushPlain(thread, { type: 'tools-used', tools: [], sessionId })
}

/** Tree rows of the main thread; a branch takes only those of the active chain, with the results beside it. */
function takenRows(before: Thread, origin: Origin): readonly JsonObject[] {
  if (origin.kind === 'continued') return []
  const rows = before.lines.flatMap((line) => ('row' in line && before.parents.has(uuidOf(line.row)) ? [line.row] : []))
  if (origin.kind === 'sdk-forked') return rows.filter((row) => row.type !== 'progress')
  if (origin.kind !== 'branched') return rows
  const chain = new Set(chainTo(before, before.parent))
  return rows.filter((row) => chain.has(uuidOf(row)) || chain.has(stringAt(row, 'sourceToolAssistantUUID') ?? ''))
}

type CopyRow = (row: JsonObject, at: number, isLast: boolean) => JsonObject

/** How the version writes a row of another session. */
function copier(thread: Thread, before: Thread, origin: Origin, rename: (uuid: string) => string): CopyRow {
  const { sessionId, generation, ids } = thread.session
  const from = before.session.sessionId
  const markedAs = (row: JsonObject) => ({ forkedFrom: { sessionId: from, messageUuid: uuidOf(row) } })
  const renamedLinks = (row: JsonObject) => ({
    parentUuid: typeof row.parentUuid === 'string' ? rename(row.parentUuid) : null,
    uuid: rename(uuidOf(row)),
  })
  if (origin.kind === 'branched') return (row) => ({ ...row, sessionId, ...markedAs(row) })
  if (origin.kind === 'sdk-forked') {
    return (row, _, isLast) => {
      const { slug: __, sourceToolAssistantUUID: ___, ...kept } = row
      const time = isLast ? { timestamp: iso(thread.now) } : {}
      return { ...kept, ...renamedLinks(row), ...time, sessionId, ...markedAs(row) }
    }
  }
  if (generation.forkedRows === 'retold') {
    // These versions wrote the history anew: later times, and only what the model is sent.
    return ({ requestId: _, toolUseResult: __, costUSD, ...row }) => ({
      ...row,
      ...(costUSD !== undefined && { costUSD: 0, durationMs: 0 }),
      ...(origin.kind === 'forked' && { message: asBlocks(row.message) }),
      ...renamedLinks(row),
      sessionId,
      timestamp: iso(thread.now),
      version: generation.version,
    })
  }
  if (generation.forkedRows === 'kept') return (row) => ({ ...row, sessionId: from })
  const promptIds = new Map<unknown, string>()
  const newPromptId = (old: unknown) => {
    const id = promptIds.get(old) ?? ids.uuid()
    promptIds.set(old, id)
    return { promptId: id }
  }
  return (row, at) => {
    const isStray = generation.forkedRows === 'stray' && at === 0
    if (isStray) return { ...row, message: asBlocks(row.message), sessionId: from }
    const promptId = generation.titleFile && row.promptId !== undefined ? newPromptId(row.promptId) : {}
    return { ...row, ...promptId, sessionId }
  }
}

function asBlocks(message: unknown): JsonObject {
  if (!isObject(message)) return {}
  return typeof message.content === 'string'
    ? { ...message, content: [{ type: 'text', text: message.content }] }
    : message
}

/** What `/branch` adds to the copied rows: a title, the checkpoints, and a word on how to go back. */
function settleBranch(thread: Thread, before: Thread, origin: Origin): void {
  const { session } = thread
  const { sessionId, fileId, generation } = session
  const from = before.session
  writeTakenOver(thread)
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

/** What the SDK adds to the copied rows: a title, in a row with an id and a time. */
function settleSdkFork(thread: Thread, before: Thread, origin: Origin): void {
  const { session } = thread
  const { sessionId, ids } = session
  writeTakenOver(thread)
  session.slug = undefined
  session.title = origin.title ?? `${before.session.title ?? before.prompts.at(0)?.text ?? 'Session'} (fork)`
  pushLatches(thread)
  const told = { customTitle: session.title, sessionId, uuid: ids.uuid(), timestamp: iso(thread.now) }
  pushPlain(thread, { type: 'custom-title', ...told })
}

function uuidOf(row: JsonObject): string {
  return stringAt(row, 'uuid') ?? ''
}
