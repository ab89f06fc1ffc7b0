import type { Static } from 'typebox'
import type { agents } from '../../ops/agents.ts'
import { columns } from '../terminal/columns.ts'
import { count, plural, tokens } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { agentCard } from './agent-card.ts'
import { dotted, nothing } from './lines.ts'
import { cost, shortIds, when } from './names.ts'

/** One agent as a card, several as a table. */
export function formatAgents(result: Static<typeof agents.result>, view: View): readonly string[] {
  const { items, total } = result
  const warmups = Object.values(result.hidden).reduce((sum, n) => sum + n, 0)
  const hidden = warmups === 0 ? '' : `${plural(warmups, 'warmup')} hidden: --all`
  const [only] = items
  if (!only) return nothing(view.input.failed ? 'No agent failed.' : 'There is no agent here.', view, hidden || undefined)
  if (items.length === 1) return agentCard(only, view)
  const { style } = view
  const short = shortIds(items.map((item) => item.id))
  const shortSession = shortIds(items.map((item) => item.session))
  const rows = items.map((item) => [
    style.dim(`agent-${short(item.id)}`),
    `${style.accent('◆')} ${oneLine(item.type ?? item.class)}`,
    item.failedAt === null ? oneLine(item.description ?? item.prompt ?? '') : failed(item, view),
    plural(item.toolUses, 'tool'),
    `${tokens(item.usage.outputTokens)} out`,
    cost(item.costUsd),
    when(item.startedAt, view),
    style.dim(shortSession(item.session)),
  ])
  const failures = items.filter((item) => item.failedAt !== null).length
  const footer = dotted([plural(total, 'agent'), failures === 0 ? '' : `${count(failures)} failed`, hidden])
  const isPriced = items.some((item) => item.costUsd !== null)
  return [
    ...columns(
      rows.map((row) => (isPriced ? row : row.filter((_, at) => at !== 5))),
      { width: view.width, align: [, , , 'right', 'right'], flex: [1, 2] },
    ),
    '',
    style.dim(truncate(footer, view.width)),
  ]
}

function failed(item: Static<typeof agents.result>['items'][number], view: View): string {
  const reason = view.style.bad(`✗ ${oneLine(item.failedAt?.reason ?? '')}`)
  return `${oneLine(item.description ?? '')}  ${reason}`.trim()
}
