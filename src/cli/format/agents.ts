import type { Static } from '../../core/schema.ts'
import type { agents } from '../../ops/agents.ts'
import { count, plural, tokens } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { agentCard } from './parts/agent-card.ts'
import { dotted, footer, nothing, spaced } from './parts/lines.ts'
import { cost, shortIds, when } from './parts/names.ts'
import { table } from './parts/table.ts'

/** One agent as a card, several as a table. */
export function formatAgents(result: Static<typeof agents.result>, view: View): readonly string[] {
  const { items, total } = result
  const warmups = Object.values(result.hidden).reduce((sum, n) => sum + n, 0)
  const hidden = warmups === 0 ? '' : `${plural(warmups, 'warmup')} hidden: --all`
  const [only] = items
  if (!only)
    return nothing(view.input.failed ? 'No agent failed.' : 'There is no agent here.', view, hidden || undefined)
  if (items.length === 1) return agentCard(only, view)
  const { style } = view
  const short = shortIds(items.map((item) => item.id))
  const shortSession = shortIds(items.map((item) => item.session))
  const isRoomy = view.width >= ROOMY
  const rows = items.map((item) => [
    style.dim(`agent-${short(item.id)}`),
    `${style.accent('◆')} ${truncate(oneLine(item.type ?? item.class), isRoomy ? view.width : TYPE_ROOM)}`,
    doneOf(item, view),
    plural(item.toolUses, 'tool'),
    isRoomy ? `${tokens(item.usage.outputTokens)} out` : '',
    cost(item.costUsd),
    when(item.startedAt, view),
    style.dim(shortSession(item.session)),
  ])
  const failures = items.filter((item) => item.failedAt !== null).length
  const sum = dotted([plural(total, 'agent'), failures === 0 ? '' : `${count(failures)} failed`, hidden])
  const align = [undefined, undefined, undefined, 'right', 'right', 'right'] as const
  return spaced([table(rows, { width: view.width, align, flex: [2] }), footer([style.dim(truncate(sum, view.width))])])
}

const ROOMY = 110
const TYPE_ROOM = 15

/** What it was for, and first of all whether it failed. */
function doneOf(item: Static<typeof agents.result>['items'][number], view: View): string {
  const words = oneLine(item.description ?? item.prompt ?? '')
  if (item.failedAt === null) return words
  return `${view.style.bad('✗')} ${words}  ${view.style.bad(oneLine(item.failedAt.reason))}`
}
