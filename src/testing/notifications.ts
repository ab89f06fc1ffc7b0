import { pushAttachment, pushQueueRow, turnFields } from './prompts.ts'
import type { NotificationOptions } from './steps.ts'
import { iso, type LaunchedAgent, pass, pushTree, type Thread } from './thread.ts'

/** Tells that a background agent has stopped: a prompt of the client's own, or an attachment while the model works. */
export function pushNotification(thread: Thread, options: NotificationOptions): void {
  const { session } = thread
  const agent =
    options.agent === undefined ? [...session.launched.values()].at(-1) : session.launched.get(options.agent)
  if (agent === undefined) throw new Error(`No background agent ${options.agent ?? ''} was started before.`)
  thread.now = Math.max(thread.now, agent.endedAt)
  pass(thread, 200)
  const text = notificationText(agent, options)
  if (session.generation.queueRows !== 'none') pushQueueRow(thread, { operation: 'enqueue', content: text })
  if (options.midTurn === true && session.generation.queuedCommand) {
    const source_uuid = session.ids.uuid()
    const origin = { kind: 'task-notification' }
    pushQueueRow(thread, { operation: 'remove', content: text, reason: 'absorbed_mid_turn', commandUuid: source_uuid })
    pushAttachment(thread, {
      type: 'queued_command',
      prompt: text,
      source_uuid,
      commandMode: 'task-notification',
      origin,
      timestamp: iso(thread.now),
    })
    return
  }
  if (session.generation.queueRows !== 'none') pushQueueRow(thread, { operation: 'dequeue' })
  thread.turnStartedAt = thread.now
  thread.turns++
  if (session.generation.envelopeLast) thread.promptId = session.ids.uuid()
  pushTree(thread, {
    body: { type: 'user', message: { role: 'user', content: text } },
    after: {
      ...(session.generation.permissionMode && { permissionMode: session.permissionMode }),
      ...(session.generation.promptSource && { origin: { kind: 'task-notification' }, promptSource: 'system' }),
      ...turnFields(thread, 'task_notification'),
    },
  })
}

function notificationText(agent: LaunchedAgent, options: NotificationOptions): string {
  const status = options.status ?? 'completed'
  const tokens = options.tokens ?? agent.tokens
  const toolUses = options.toolUses ?? agent.toolUses
  const durationMs = options.durationMs ?? agent.endedAt - agent.startedAt
  return [
    '<task-notification>',
    `<task-id>${agent.id}</task-id>`,
    `<tool-use-id>${agent.toolUseId}</tool-use-id>`,
    `<output-file>${agent.outputFile}</output-file>`,
    `<status>${status}</status>`,
    `<summary>Agent "${agent.description}" ${status === 'completed' ? 'finished' : status}</summary>`,
    `<result>${options.result ?? agent.result}</result>`,
    `<usage><subagent_tokens>${tokens}</subagent_tokens><tool_uses>${toolUses}</tool_uses><duration_ms>${durationMs}</duration_ms></usage>`,
    '</task-notification>',
  ].join('\n')
}
