import type { JsonObject, JsonValue } from '../core/json.ts'
import { prepareAgent } from './agents.ts'
import { absolute, patchOf, replacement, trackChange } from './file-changes.ts'
import { TINY_PNG } from './picture.ts'
import { preparePlan, prepareTodo } from './plans.ts'
import { imageBlock } from './prompts.ts'
import { closeResponse } from './responses.ts'
import type { Call, FileChange, ToolSpec } from './steps.ts'
import { addFile, isTerminal, pass, pushTree, type Session, type Thread } from './thread.ts'

/** A call ready to be written: `settle` does what the tool does and gives its answer. */
export interface PreparedCall {
  readonly id: string
  readonly name: string
  readonly input: JsonObject
  settle(line: string): CallResult
}

/** What a tool answered, as two rows of the log tell it: to the model and to the person. */
export interface CallResult {
  readonly content: string | readonly JsonObject[]
  /** `false` is written out, as the client does for Bash; left out it is not. */
  readonly isError?: boolean | undefined
  readonly toolUseResult?: JsonValue | undefined
  readonly durationMs?: number | undefined
}

/** Bash output longer than this is kept in a file of its own (2.1.4 and up). */
const LONGEST_OUTPUT = 30_000

/** Writes one response that calls tools, then their results: side by side or chained, as the version does. */
export function runCalls(thread: Thread, calls: readonly Call[]): void {
  const prepared = calls.map((call) => prepare(thread, call))
  const blocks = prepared.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }))
  const { lines } = closeResponse(thread, blocks, 'tool_use')
  const own = lines.slice(lines.length - blocks.length)
  for (const [index, call] of prepared.entries()) {
    const line = own[index]
    if (line !== undefined) pushResult(thread, call.id, line, call.settle(line))
  }
}

/** The row of one tool result. */
export function pushResult(thread: Thread, toolUseId: string, line: string, result: CallResult): void {
  const { session } = thread
  const { generation } = session
  const bare = thread.agent !== undefined && generation.bareAgentResults
  const isError = result.isError === undefined ? {} : { is_error: result.isError }
  if (result.durationMs === undefined) pass(thread, 900)
  else thread.now += result.durationMs
  pushTree(thread, {
    parent: generation.resultsHangOnCalls ? line : thread.parent,
    body: {
      type: 'user',
      message: {
        role: 'user',
        content: [{ tool_use_id: toolUseId, type: 'tool_result', content: result.content, ...isError }],
      },
    },
    after: {
      ...(!bare && result.toolUseResult !== undefined && { toolUseResult: result.toolUseResult }),
      ...(generation.resultsHangOnCalls && { sourceToolAssistantUUID: line }),
      ...(generation.titleFile && result.isError !== true && { permissionDecision: ACCEPTED }),
      ...(generation.titleFile &&
        isTerminal(session) &&
        thread.agent === undefined && { session_id: session.processId }),
    },
  })
}

const ACCEPTED = { decision: 'accept', source: 'config', reasonType: 'mode' }

function prepare(thread: Thread, call: Call): PreparedCall {
  switch (call.call) {
    case 'tool':
      return prepareTool(thread, call.spec)
    case 'agent':
      return prepareAgent(thread, call.spec)
    case 'read':
      return prepareRead(thread, call.path, call.content)
    case 'read-image':
      return prepareReadImage(thread, call.path)
    case 'change':
      return call.tool === 'Edit'
        ? prepareEdit(thread, call.path, call.change)
        : prepareWrite(thread, call.path, call.change)
    case 'todo':
      return prepareTodo(thread, call.items)
    case 'plan':
      return preparePlan(thread, call.markdown, call.options)
  }
}

function prepareTool(thread: Thread, spec: ToolSpec): PreparedCall {
  const id = spec.id ?? thread.session.ids.toolUseId()
  return {
    id,
    name: spec.name,
    input: spec.input ?? {},
    settle: () => ({ durationMs: spec.durationMs, ...toolResult(thread, spec, id) }),
  }
}

function toolResult(thread: Thread, spec: ToolSpec, id: string): CallResult {
  const { generation } = thread.session
  const output = spec.output ?? ''
  const text = typeof output === 'string' ? output : ''
  const exitCode = spec.exitCode ?? 0
  if (exitCode !== 0) {
    const told = text === '' ? `Exit code ${exitCode}` : `Exit code ${exitCode}\n${text}`
    return { content: told, isError: true, toolUseResult: spec.result ?? `Error: ${told}` }
  }
  if (spec.isError === true) return { content: output, isError: true, toolUseResult: spec.result ?? `Error: ${text}` }
  if (spec.name !== 'Bash') return { content: output, toolUseResult: spec.result }
  const shell = { stdout: text.slice(0, LONGEST_OUTPUT), stderr: '', interrupted: false, isImage: false }
  const more = generation.usage === 'plain' ? {} : { noOutputExpected: false }
  if (text.length <= LONGEST_OUTPUT || generation.agentPlace !== 'folder') {
    return { content: output, isError: false, toolUseResult: spec.result ?? { ...shell, stdout: text, ...more } }
  }
  const kept = keepOutput(thread.session, id, text, thread.now)
  return { content: kept.told, isError: false, toolUseResult: spec.result ?? { ...shell, ...more, ...kept.fields } }
}

function keepOutput(session: Session, toolUseId: string, text: string, now: number) {
  const name = session.generation.agentIdForm === 'a16' ? `b${session.ids.base36(8)}` : toolUseId
  const path = `${session.projectDir}/${session.fileId}/tool-results/${name}.txt`
  addFile(session, path, text, now)
  const persistedOutputPath = `${session.configDir}/${path}`
  const size = `${Math.round(text.length / 102.4) / 10}KB`
  const told = `<persisted-output>\nOutput too large (${size}). Full output saved to: ${persistedOutputPath}\n\nPreview (first 2KB):\n${text.slice(0, 2_000)}\n...\n</persisted-output>`
  return { told, fields: { persistedOutputPath, persistedOutputSize: text.length } }
}

function prepareRead(thread: Thread, path: string, content: string): PreparedCall {
  const { ids, cwd, generation } = thread.session
  const filePath = absolute(cwd, path)
  const lines = content.split('\n')
  const numbered = lines.map((line, index) =>
    generation.envelopeLast ? `${index + 1}\t${line}` : `${String(index + 1).padStart(6)}→${line}`,
  )
  const file = { filePath, content, numLines: lines.length, startLine: 1, totalLines: lines.length }
  return {
    id: ids.toolUseId(),
    name: 'Read',
    input: { file_path: filePath },
    settle: () => ({ content: numbered.join('\n'), toolUseResult: { type: 'text', file } }),
  }
}

/** The picture stands twice in such a row, as in real ones: in the message and in the result. */
function prepareReadImage(thread: Thread, path: string): PreparedCall {
  const { ids, cwd } = thread.session
  const file = { base64: TINY_PNG, type: 'image/png', originalSize: 68 }
  return {
    id: ids.toolUseId(),
    name: 'Read',
    input: { file_path: absolute(cwd, path) },
    settle: () => ({ content: [imageBlock(TINY_PNG)], toolUseResult: { type: 'image', file } }),
  }
}

function prepareEdit(thread: Thread, path: string, change: FileChange): PreparedCall {
  const { ids, cwd } = thread.session
  const filePath = absolute(cwd, path)
  const before = change.before ?? ''
  const { oldString, newString } = replacement(before, change.after)
  return {
    id: ids.toolUseId(),
    name: 'Edit',
    input: { replace_all: false, file_path: filePath, old_string: oldString, new_string: newString },
    settle: (line) => {
      trackChange(thread, filePath, change, line)
      const toolUseResult = {
        filePath,
        oldString,
        newString,
        originalFile: before,
        structuredPatch: patchOf(before, change.after),
        userModified: false,
        replaceAll: false,
      }
      return { content: `The file ${filePath} has been updated successfully.`, toolUseResult }
    },
  }
}

function prepareWrite(thread: Thread, path: string, change: FileChange): PreparedCall {
  const { ids, cwd, generation } = thread.session
  const filePath = absolute(cwd, path)
  const isNew = change.before === null
  const content = isNew
    ? `File created successfully at: ${filePath}`
    : `The file ${filePath} has been updated successfully.`
  return {
    id: ids.toolUseId(),
    name: 'Write',
    input: { file_path: filePath, content: change.after },
    settle: (line) => {
      trackChange(thread, filePath, change, line)
      const toolUseResult = {
        type: isNew ? 'create' : 'update',
        filePath,
        content: change.after,
        structuredPatch: change.before === null ? [] : patchOf(change.before, change.after),
        ...(generation.resultsHangOnCalls && { originalFile: change.before }),
      }
      return { content, toolUseResult }
    },
  }
}
