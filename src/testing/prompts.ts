import type { JsonObject } from '../core/json.ts'
import { snapshotFiles } from './file-changes.ts'
import type { PromptOptions } from './steps.ts'
import { iso, isTerminal, pass, pushPlain, pushTree, type Thread } from './thread.ts'

/** A prompt of the human, with the rows the client puts before and after it. */
export function pushPrompt(thread: Thread, text: string, options: PromptOptions): void {
  const { session } = thread
  const images = (options.images ?? []).map(imageBlock)
  const content = images.length === 0 ? text : [{ type: 'text', text }, ...images]
  openTurn(thread, text)
  const uuid = session.ids.uuid()
  snapshotFiles(thread, uuid)
  thread.prompts.push({ uuid, parent: thread.parent, text })
  pushTree(thread, {
    uuid,
    body: { type: 'user', message: { role: 'user', content } },
    after: {
      ...(images.length > 0 && { imagePasteIds: images.map((_, index) => index + 1) }),
      ...promptFields(thread, options.source ?? (isTerminal(session) ? 'typed' : 'sdk')),
      ...options.fields,
    },
  })
  afterPrompt(thread)
}

/** Begins a turn: time passes, a new prompt id, and the queue rows of a client that is called by a program. */
export function openTurn(thread: Thread, text: string): void {
  const { session } = thread
  const { generation } = session
  leadIn(thread)
  pass(thread, thread.turns === 0 ? 400 : 60_000)
  thread.turnStartedAt = thread.now
  thread.turns++
  if (generation.envelopeLast && thread.agent === undefined) thread.promptId = session.ids.uuid()
  if (isTerminal(session) || generation.queueRows === 'none' || thread.agent !== undefined) return
  if (generation.queueRows === 'both') pushQueueRow(thread, { operation: 'enqueue', content: text })
  pushQueueRow(thread, { operation: 'dequeue' })
}

/** What follows a prompt: the mark of a rewind, and the attachments under which the answer hangs. */
export function afterPrompt(thread: Thread): void {
  const { session } = thread
  if (thread.rewound && session.generation.lastPrompt === 'leaf') {
    const leafUuid = '00000000-0000-0000-0000-000000000000'
    pushPlain(thread, { type: 'last-prompt', leafUuid, explicit: true, sessionId: session.sessionId })
  }
  thread.rewound = false
  announce(thread)
}

/** Fields that tell where a prompt came from. */
export function promptFields(thread: Thread, source: 'typed' | 'queued' | 'sdk'): JsonObject {
  const { generation, permissionMode } = thread.session
  const human = source !== 'sdk'
  if (thread.agent !== undefined) return {}
  return {
    ...(isTerminal(thread.session) && thinkingFields(thread)),
    ...(generation.permissionMode && { permissionMode }),
    ...(generation.promptSource && human && { origin: { kind: 'human' } }),
    ...(generation.promptSource && { promptSource: source }),
    ...turnFields(thread, human ? 'human' : 'sdk'),
  }
}

/** Which turn of the session a row begins (2.1.290 and up). */
export function turnFields(thread: Thread, turnOrigin: string): JsonObject {
  if (!thread.session.generation.turnPosition) return {}
  const promptIndex = turnOrigin === 'human' ? thread.prompts.length : Math.max(0, thread.prompts.length - 1)
  return { turnOrigin, turnPosition: { promptIndex, turnIndex: thread.turns } }
}

/** A row of the prompt queue. */
export function pushQueueRow(thread: Thread, fields: JsonObject & { readonly operation: string }): void {
  const { operation, ...rest } = fields
  pushPlain(thread, {
    type: 'queue-operation',
    operation,
    timestamp: iso(thread.now),
    sessionId: thread.session.sessionId,
    ...rest,
  })
}

/** An attachment row; what follows hangs under it. */
export function pushAttachment(thread: Thread, attachment: JsonObject, rendered?: string): string {
  const all = thread.session.generation.attachments === 'all'
  return pushTree(thread, {
    body: { attachment, type: 'attachment' },
    after: all && rendered !== undefined ? { rendered: [{ content: rendered }], renderedRole: 'system' } : {},
  })
}

/** An image as the API takes it. */
export function imageBlock(data: string): JsonObject {
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
}

function leadIn(thread: Thread): void {
  const { session } = thread
  const { sessionId, permissionMode } = session
  if (thread.turns > 0 || thread.agent !== undefined || !isTerminal(session)) return
  const { modeRows } = session.generation
  if (modeRows === 'mode') pushPlain(thread, { type: 'mode', mode: 'normal', sessionId })
  if (modeRows !== 'none') pushPlain(thread, { type: 'permission-mode', permissionMode, sessionId })
}

function thinkingFields(thread: Thread): JsonObject {
  const { thinkingMetadata } = thread.session.generation
  if (thinkingMetadata === 'none') return {}
  const fields =
    thinkingMetadata === 'tokens' ? { maxThinkingTokens: 31_999 } : { level: 'high', disabled: false, triggers: [] }
  return { thinkingMetadata: fields, todos: thread.todos.map((item) => ({ ...item })) }
}

/** The attachments of a first prompt. Real ones are long; these only have the same shape and place. */
function announce(thread: Thread): void {
  const { session } = thread
  const kinds = session.generation.attachments
  if (!session.attachments || kinds === 'none' || thread.announced) return
  thread.announced = true
  const isAgent = thread.agent !== undefined
  if (kinds === 'skills' && isAgent) return
  if (kinds !== 'all') {
    if (kinds === 'agents' && !isAgent) pushAttachment(thread, AGENT_LISTING)
    pushAttachment(thread, SKILL_LISTING)
    return
  }
  const snapshot = {
    workingDirectory: session.cwd,
    isWorktree: session.cwd.includes('/worktrees/'),
    isGitRepo: session.gitBranch !== '',
    additionalWorkingDirectories: [],
    platform: 'linux',
    shell: 'bash',
    osVersion: 'Linux 6.8.0',
  }
  pushAttachment(thread, { type: 'environment', snapshot }, 'Here is what the client knows of its environment.')
  const date = iso(thread.now).slice(0, 10)
  pushAttachment(thread, { type: 'date', date }, `Today is ${date}.`)
  pushAttachment(thread, PROMPT_SNAPSHOT)
}

const AGENT_LISTING = {
  type: 'agent_listing_delta',
  addedTypes: ['general-purpose'],
  addedLines: ['- general-purpose: For any task.'],
  removedTypes: [],
  isInitial: true,
  showConcurrencyNote: true,
}

const SKILL_LISTING = {
  type: 'skill_listing',
  content: '- notes: Keep notes.',
  skillCount: 1,
  isInitial: true,
  names: ['notes'],
}

const PROMPT_SNAPSHOT = {
  type: 'prompt_snapshot',
  systemPrompt: ['(the system prompt)'],
  reminderFold: false,
  echoWireToolInputs: false,
  contextRendering: 'announced',
}
