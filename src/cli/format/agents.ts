import type { Static } from '../../core/schema.ts'
import type { agents } from '../../ops/agents.ts'
import type { Column } from '../terminal/columns.ts'
import { bytes, count, plural, shortDuration, tokens } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { agentCard } from './parts/agent-card.ts'
import { headed } from './parts/headed.ts'
import { dotted, footer, nextSteps, nothing, spaced } from './parts/lines.ts'
import { cost, shortId, shortIds, when } from './parts/names.ts'

/** An agent that was named as a card, all others as a table: one result is a list of one. */
export function formatAgents(result: Static<typeof agents.result>, view: View): readonly string[] {
  const { items, total } = result
  const warmups = Object.values(result.hidden).reduce((sum, n) => sum + n, 0)
  const hidden = warmups === 0 ? '' : `${plural(warmups, 'warmup')} hidden: --all`
  const [only] = items
  if (!only) return nothing(view.input.failed ? 'No agent failed.' : 'No agents here.', view, hidden || undefined)
  const isNamed = typeof view.input.session === 'string' && view.input.session.startsWith('agent-')
  if (items.length === 1 && isNamed) return agentCard(only, view)
  const { style, width } = view
  const failures = items.filter((item) => item.failedAt !== null).length
  const agents = items.length < total ? `${count(items.length)} of ${plural(total, 'agent')}` : plural(total, 'agent')
  const sum = dotted([agents, failures === 0 ? '' : `${count(failures)} failed`, hidden])
  return spaced([
    headed(items, columnsOf(items, view), view),
    footer([
      style.dim(truncate(sum, width)),
      ...nextSteps([`annals agents agent-${shortId(only.id)}`, `annals show agent-${shortId(only.id)}`], view),
    ]),
  ])
}

type Agent = Static<typeof agents.result>['items'][number]

function columnsOf(items: readonly Agent[], view: View): readonly Column<Agent>[] {
  const { style } = view
  const short = shortIds(items.map((item) => item.id))
  const shortSession = shortIds(items.map((item) => item.session))
  return [
    { name: 'id', cell: ({ id }) => style.dim(`agent-${short(id)}`) },
    {
      name: 'type',
      most: view.width < 130 ? 17 : 32,
      cell: (item) => `${style.accent('◆')} ${oneLine(item.type ?? item.class)}`,
    },
    { name: 'what for', flex: true, cell: (item) => doneOf(item, view) },
    { name: 'tools', align: 'right', from: 90, cell: ({ toolUses }) => count(toolUses) },
    { name: 'took', align: 'right', from: 100, cell: tookText },
    { name: 'out', align: 'right', from: 110, cell: ({ usage }) => tokens(usage.outputTokens) },
    { name: 'size', align: 'right', from: 100, cell: ({ sizeBytes }) => bytes(sizeBytes) },
    { name: 'cost', align: 'right', cell: ({ costUsd }) => cost(costUsd) },
    { name: 'when', from: 70, cell: ({ startedAt }) => when(startedAt, view) },
    { name: 'session', from: 96, cell: ({ session }) => style.dim(shortSession(session)) },
  ]
}

function tookText({ reported, startedAt, endedAt }: Agent): string {
  const ms = reported.durationMs ?? Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '')
  return ms > 0 ? shortDuration(ms) : ''
}

/** What it was for, and first of all whether it failed. */
function doneOf(item: Agent, view: View): string {
  const words = oneLine(item.description ?? item.prompt ?? '')
  if (item.failedAt === null) return words
  return `${view.style.bad('✗')} ${words}  ${view.style.bad(oneLine(item.failedAt.reason))}`
}
