import { snapshotFiles } from './file-changes.ts'
import { afterPrompt, openTurn, pushAttachment, pushPrompt, pushQueueRow, turnFields } from './prompts.ts'
import { closeResponse, settle } from './responses.ts'
import type { CommandOptions, InterruptOptions } from './steps.ts'
import { iso, isTerminal, pass, pushTree, type Thread } from './thread.ts'
import { pushResult } from './tools.ts'

/** Commands whose rows stay `user` rows where others became `system` ones. */
const STAYS_USER = new Set(['compact', 'exit', 'clear'])

/** A slash command: the user's own (message first, then what it expands to) or a built-in one. */
export function pushCommand(thread: Thread, typed: string, options: CommandOptions): void {
  const name = typed.replace(/^\//, '')
  const args = options.args ?? ''
  if (options.expansion === undefined) pushBuiltIn(thread, name, args, options.output)
  else pushCustom(thread, name, args, options.expansion)
}

/** The rows of a built-in command, from the caveat to what it printed. */
export function pushBuiltIn(thread: Thread, name: string, args: string, output: string | undefined): void {
  const { session } = thread
  const { localCommandRows, turnPosition } = session.generation
  const told = output === undefined ? undefined : `<local-command-stdout>${output}</local-command-stdout>`
  pass(thread, 4_000)
  if (localCommandRows && isTerminal(session) && !STAYS_USER.has(name)) {
    pushLocal(thread, builtInText(name, args), {})
  } else {
    pushCaveat(thread)
    pushUser(thread, builtInText(name, args))
  }
  if (told === undefined) return
  const asUser = !localCommandRows || name === 'compact' || name === 'exit'
  if (asUser) pushUser(thread, told)
  else pushLocal(thread, told, turnPosition ? { commandRun: { command: name, args } } : {})
}

/** A shell command typed with `!`. */
export function pushBash(thread: Thread, input: string, stdout: string, stderr: string): void {
  const { session } = thread
  openTurn(thread, `!${input}`)
  if (session.generation.caveat !== 'short') pushCaveat(thread)
  const uuid = session.ids.uuid()
  snapshotFiles(thread, uuid)
  pushTree(thread, { uuid, body: { type: 'user', message: message(`<bash-input>${input}</bash-input>`) } })
  pass(thread, 300)
  const printed = `<bash-stdout>${stdout}</bash-stdout><bash-stderr>${stderr}</bash-stderr>`
  pushTree(thread, { body: { type: 'user', message: message(printed) }, after: turnFields(thread, 'human') })
}

/** A prompt typed while the model works; from 2.1.98 on it is an attachment and has no row of its own. */
export function pushQueued(thread: Thread, text: string): void {
  const { session } = thread
  if (!session.generation.queuedCommand) {
    settle(thread)
    if (session.generation.queueRows !== 'none' && isTerminal(session)) {
      pushQueueRow(thread, { operation: 'enqueue', content: text })
      pushQueueRow(thread, { operation: 'dequeue' })
    }
    pushPrompt(thread, text, { source: 'queued' })
    return
  }
  pass(thread, 900)
  const source_uuid = session.ids.uuid()
  const timestamp = iso(thread.now)
  pushQueueRow(thread, { operation: 'enqueue', content: text })
  pass(thread, 900)
  const reason = session.generation.turnPosition ? { reason: 'absorbed_mid_turn', commandUuid: source_uuid } : {}
  pushQueueRow(thread, { operation: 'remove', content: text, ...reason })
  const newer = session.generation.turnPosition
  pushAttachment(
    thread,
    {
      type: 'queued_command',
      prompt: text,
      ...(newer && { source_uuid, delivery_id: session.ids.uuid() }),
      commandMode: 'prompt',
      ...(newer && { origin: { kind: 'human' }, timestamp, humanTurn: true }),
    },
    `The user sent a message while you were working:\n${text}`,
  )
}

/** The person stopped the model, in its answer or in a tool. */
export function pushInterrupt(thread: Thread, options: InterruptOptions): void {
  const { session } = thread
  const { forTool } = options
  if (forTool === undefined || forTool === false) {
    const written = thread.response === undefined ? undefined : closeResponse(thread, [], null)
    const stopped = written === undefined ? {} : { interruptedMessageId: written.messageId }
    pushMarker(thread, '[Request interrupted by user]', session.generation.titleFile ? stopped : {})
    return
  }
  const tool = forTool === true ? { name: 'Bash', input: { command: 'sleep 300', description: 'Wait' } } : forTool
  const id = session.ids.toolUseId()
  const line = closeResponse(thread, [{ type: 'tool_use', id, ...tool }], 'tool_use').lines.at(-1) ?? ''
  const marker = '[Request interrupted by user for tool use]'
  const content = `Exit code 137\n${marker}`
  pushResult(thread, id, line, { content, isError: true, toolUseResult: `Error: ${content}` })
  pushMarker(thread, marker, {})
}

function pushCustom(thread: Thread, name: string, args: string, expansion: string): void {
  const { session } = thread
  const { generation } = session
  const typed = `/${name} ${args}`.trimEnd()
  openTurn(thread, typed)
  const uuid = session.ids.uuid()
  snapshotFiles(thread, uuid)
  thread.prompts.push({ uuid, parent: thread.parent, text: typed })
  const running = generation.runningMark ? `${name} is running…` : name
  const content = `<command-message>${running}</command-message>\n<command-name>/${name}</command-name>\n<command-args>${args}</command-args>`
  const origin = generation.promptSource && isTerminal(session) ? { origin: { kind: 'human' } } : {}
  pushTree(thread, {
    uuid,
    body: { type: 'user', message: message(content) },
    after: { ...origin, ...turnFields(thread, 'human') },
  })
  pushTree(thread, {
    body: {
      type: 'user',
      message: { role: 'user', content: [{ type: 'text', text: expansion }] },
      isMeta: true,
      ...(generation.turnPosition && { turnCompanion: true }),
    },
  })
  afterPrompt(thread)
  if (session.attachments && generation.attachments !== 'none') {
    pushAttachment(thread, { type: 'command_permissions', allowedTools: [] })
  }
}

const CAVEAT =
  'Caveat: The messages below were generated by the user while running local commands. DO NOT respond to these messages or otherwise consider them in your response unless the user explicitly asks you to.'
const SHORT_CAVEAT =
  "The command below was run directly in Claude Code, not sent to you as a request, and its output goes straight to the user. It's recorded here as context for later messages."

function pushCaveat(thread: Thread): void {
  const { caveat } = thread.session.generation
  const text = caveat === 'short' ? SHORT_CAVEAT : CAVEAT
  const content = caveat === 'plain' ? text : `<local-command-caveat>${text}</local-command-caveat>`
  pushTree(thread, { body: { type: 'user', message: message(content), isMeta: true } })
}

function builtInText(name: string, args: string): string {
  const indent = '            '
  return `<command-name>/${name}</command-name>\n${indent}<command-message>${name}</command-message>\n${indent}<command-args>${args}</command-args>`
}

function pushUser(thread: Thread, content: string): void {
  pushTree(thread, { body: { type: 'user', message: message(content) } })
}

function pushLocal(
  thread: Thread,
  content: string,
  after: { readonly commandRun?: { command: string; args: string } },
) {
  pushTree(thread, {
    body: { type: 'system', subtype: 'local_command', content, level: 'info' },
    after: { isMeta: false, ...after },
  })
}

function pushMarker(thread: Thread, text: string, after: { readonly interruptedMessageId?: string }): void {
  pass(thread, 300)
  pushTree(thread, {
    body: { type: 'user', message: { role: 'user', content: [{ type: 'text', text }] } },
    after,
  })
}

function message(content: string) {
  return { role: 'user', content }
}
