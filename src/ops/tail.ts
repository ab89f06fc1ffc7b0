import { Failure } from '../core/failure.ts'
import { joinText, toolResultsOf } from '../core/log/content.ts'
import { Type } from '../core/schema.ts'
import { itemsOf } from '../core/tree/items.ts'
import { nodeOf } from '../core/tree/node.ts'
import { followLog } from '../disk/follow.ts'
import type { Conversation } from '../history/conversation.ts'
import { placeAt } from '../history/family.ts'
import { findSession } from '../history/find.ts'
import { logOf } from '../history/gone.ts'
import { sessionItem } from '../history/list.ts'
import { openSession } from '../history/open.ts'
import { nullable } from '../history/shapes.ts'
import { type FollowedItem, FollowedShape, type ShownTool } from '../history/view/item-shape.ts'
import { SessionItem } from '../history/view/session-item.ts'
import { TurnShape, toItem, toTurn, viewOf } from '../history/view/turn-shape.ts'
import { defineOp } from './op.ts'

export const tail = defineOp({
  name: 'tail',
  group: 'Read',
  summary: 'Show the last turns of a session, and follow it.',
  examples: ['annals tail', 'annals tail last -n 3', 'annals tail current --follow'],
  input: Type.Object({
    session: Type.Optional(Type.String('A session or agent-<id> (default: the newest session)')),
    turns: Type.Optional(Type.Integer({ minimum: 1, description: 'How many turns (default: 1)', alias: 'n' })),
    follow: Type.Optional(Type.Boolean({ description: 'Keep showing what is written', alias: 'f' })),
    thinking: Type.Optional(Type.Boolean("Also show the model's thinking")),
  }),
  positional: ['session'],
  result: Type.Object({
    session: nullable(SessionItem),
    agent: Type.Optional(Type.String('The agent, where one was named')),
    turns: Type.Array(TurnShape),
    items: Type.Array(FollowedShape, 'What was written since, while following'),
  }),
  async run(context, input) {
    const { library, files, family, agent, conversation } = await openSession(context, input.session ?? 'last')
    const session = await sessionItem({ ...context, library }, files)
    const turns = conversation.turns(conversation.tree.active).slice(-(input.turns ?? 1))
    const view = viewOf(
      family,
      files.toolResults.map((entry) => entry.path),
      input,
    )
    return {
      session,
      ...(agent && { agent: agent.id }),
      turns: turns.map((turn) => toTurn(conversation, turn, view)),
      items: [],
    }
  },
  async *follow(context, input, signal) {
    const found = await findSession(context, input.session ?? 'last')
    const log = await logOf(context, found)
    const { source } = found.library
    const named = found.agent ? { agent: found.agent.id } : {}
    const view = viewOf([], [], input)
    // What was shown first is still open: what was written since is told from its end on.
    const { conversation, known } = await openSession(context, input.session ?? 'last')
    const from = known.totals && { offset: known.totals.endOffset, line: known.totals.endLine }
    // The result of a call comes later than the call: it is shown as an item of its own when it does.
    const calls = openCalls(conversation)
    for await (const event of followLog(source, log, { signal, ...(from && { from }) })) {
      if (event.kind === 'gone') throw new Failure('SESSION_NOT_FOUND', `${log.path} was removed.`)
      if (event.kind === 'rewritten')
        context.warn({ file: log.path, message: `The log was ${event.reason}; reading it again.` })
      const node = event.kind === 'record' ? nodeOf(event.record) : undefined
      if (event.kind !== 'record' || !node) continue
      const { raw } = event.record
      const { uuid, timestamp, kind, preview } = node
      const base = { uuid, timestamp, ...placeAt(log, node) }
      const items = itemsOf([node], { row: () => raw, answer: () => undefined })
        .filter((item) => input.thinking || item.kind !== 'thinking')
        .map((item) => toItem(item, placeAt(log, node), view))
      const isSaid = kind === 'prompt' || kind === 'queued-prompt' || kind === 'warmup'
      const shown: FollowedItem[] = isSaid && preview !== null ? [{ kind, text: preview, ...base }] : [...items]
      for (const item of items) if (item.kind === 'tool') calls.set(item.id, item)
      for (const { id, isError } of node.toolResults) {
        const { name = null, input: given = null } = calls.get(id) ?? {}
        const text = joinText(toolResultsOf(raw).find((result) => result.toolUseId === id)?.content ?? [])
        calls.delete(id)
        shown.push({ kind: 'result', id, isError, name, input: given, text, ...base })
      }
      if (shown.length > 0) yield { session: null, ...named, turns: [], items: shown }
    }
  },
})

/** Calls that were made before and are not answered yet. */
function openCalls(conversation: Conversation): Map<string, Pick<ShownTool, 'name' | 'input'>> {
  const { active } = conversation.tree
  const items = conversation
    .turns(active)
    .slice(-1)
    .flatMap((turn) => conversation.items(turn))
  return new Map(
    items.flatMap((item) => (item.kind === 'tool' && item.outcome === 'unanswered' ? [[item.id, item]] : [])),
  )
}
