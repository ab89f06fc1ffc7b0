import type { Static } from '../../../core/schema.ts'
import type { outline } from '../../../ops/outline/outline.ts'
import { duration, plural } from '../../terminal/human.ts'
import { oneLine } from '../../terminal/sanitize.ts'
import { truncate } from '../../terminal/width.ts'
import type { View } from '../../view.ts'
import { agentHead } from '../parts/agent-card.ts'
import { dotted, footer, indent, nextSteps, nothing, spaced } from '../parts/lines.ts'
import { cost, shortId } from '../parts/names.ts'
import { table } from '../parts/table.ts'
import { sessionHead } from '../show.ts'

type Outline = Static<typeof outline.result>
type Turn = Outline['turns'][number]
type Mark = Outline['marks'][number]

/** The turns of a session, a line each, and below each what happened in it. */
export function formatOutline(result: Outline, view: View): readonly string[] {
  const { session, agent, turns, marks, branch } = result
  const name = agent ? `agent-${agent.id}` : shortId(session.id)
  const isActive = result.branches.some((one) => one.leaf === branch && one.active)
  const digits = String(turns.at(-1)?.number ?? 0).length
  const lead = digits + 3
  const heads = table(
    turns.map((turn) => turnCells(turn, digits, view)),
    { width: view.width, align: [undefined, 'right', 'right', 'right', 'right', 'right'], flex: [0] },
  )
  let used = 0
  const lines = turns.flatMap((turn, at) => {
    // Marks stand in the order of their rows, and so do the turns.
    const from = used
    while ((marks[used]?.row ?? Number.POSITIVE_INFINITY) < turn.row + turn.rows) used += 1
    const own = marks.slice(from, used).filter(({ kind }) => kind !== 'prompt')
    return [
      heads[at] ?? '',
      ...indent(
        own.map((mark) => markLine(mark, view.width - lead, view)),
        lead,
      ),
    ]
  })
  return spaced([
    agent ? agentHead(agent, view) : sessionHead(session, view),
    turns.length === 0 ? nothing('This session has no messages.', view) : lines,
    footer([
      ...(isActive || branch === null ? [] : [view.style.warn(truncate('↶ This branch was abandoned', view.width))]),
      ...nextSteps([`annals show ${name} --rows`, `annals show ${name} --context`], view),
    ]),
  ])
}

function turnCells(turn: Turn, digits: number, { style }: View): string[] {
  const number = style.prompt(`${String(turn.number).padStart(digits)} ${turn.prompt?.kind === 'bash' ? '!' : '›'}`)
  const words = turn.prompt ? style.strong(oneLine(turn.prompt.text)) : style.dim('(before the first prompt)')
  return [
    `${number} ${words}`,
    style.dim(plural(turn.rows, 'row')),
    style.dim(turn.toolCalls === 0 ? '' : plural(turn.toolCalls, 'call')),
    style.bad(turn.errors === 0 ? '' : `✗ ${turn.errors}`),
    style.dim(turn.durationMs === null ? '' : duration(turn.durationMs)),
    cost(turn.costUsd),
  ]
}

/** What happened, cut where it is too long; never its row, because that is what one types. */
function markLine({ kind, text, row, calls }: Mark, width: number, { style }: View): string {
  const where = kind === 'step' ? dotted([plural(calls ?? 0, 'call'), `row ${row}`]) : `row ${row}`
  const words = kind === 'interrupt' ? 'interrupted' : `${kind === 'compaction' ? 'compacted ' : ''}${oneLine(text)}`
  const told = `${MARKS[kind] ?? '☰'} ${words}`
  // What need not be cut is not looked at: V8 would copy the words, with two bytes a letter because of the mark.
  const isWhole = width === Number.POSITIVE_INFINITY
  const line = `${isWhole ? told : truncate(told, Math.max(1, width - where.length - 3))} · ${where}`
  if (kind === 'step') return style.dim(line)
  if (kind === 'error') return style.bad(line)
  return kind === 'interrupt' || kind === 'compaction' ? style.warn(line) : line
}

const MARKS: Readonly<Record<string, string>> = {
  step: '▸',
  test: '✓',
  commit: '●',
  error: '✗',
  agent: '◆',
  interrupt: '■',
  compaction: '──',
}
