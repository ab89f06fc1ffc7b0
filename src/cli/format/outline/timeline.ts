import type { Static } from '../../../core/schema.ts'
import type { timeline } from '../../../ops/outline/timeline.ts'
import { duration, plural, shortDuration } from '../../terminal/human.ts'
import { oneLine } from '../../terminal/sanitize.ts'
import { wrap } from '../../terminal/width.ts'
import type { View } from '../../view.ts'
import { dotted, footer, nextSteps, nothing, spaced } from '../parts/lines.ts'
import { shortId } from '../parts/names.ts'
import { table } from '../parts/table.ts'

type Timed = Static<typeof timeline.result>
type Turn = Timed['turns'][number]

/** Where the time of each turn went, and of all of them together. */
export function formatTimeline(result: Timed, view: View): readonly string[] {
  const { turns, tasks, calls, toolMs, apiMs, waitMs } = result
  const { style, width } = view
  if (turns.length === 0) return nothing('Nothing was said in it.', view)
  const digits = String(turns.at(-1)?.turn ?? 0).length
  const head = ['', 'took', 'tools', 'API ≈', 'for you'].map(style.dim)
  const name = result.agent === null ? shortId(result.session) : `agent-${result.agent}`
  const agents = tasks.filter(({ kind }) => kind === 'agent').length
  const sums = [
    dotted([
      `tools ${duration(toolMs)}`,
      waitMs === 0 ? '' : `waiting for you ${duration(waitMs)}`,
      `API about ${duration(apiMs)} (the rest)`,
    ]),
    dotted([
      plural(calls.length, 'call'),
      agents === 0 ? '' : plural(agents, 'agent'),
      tasks.length === agents ? '' : plural(tasks.length - agents, 'task in the background', 'tasks in the background'),
    ]),
  ]
  return spaced([
    table([head, ...turns.map((turn) => cells(turn, digits, view))], {
      width,
      align: [undefined, 'right', 'right', 'right', 'right'],
      flex: [0],
    }),
    footer(sums.flatMap((line) => wrap(line, width).map(style.dim))),
    nextSteps([`annals show ${name} --outline`, `annals show ${name} --context`], view),
  ])
}

function cells(turn: Turn, digits: number, { style }: View): string[] {
  const { toolMs, askMs, apiMs, waitMs } = turn
  const time = (ms: number) => (ms === 0 ? '' : shortDuration(ms))
  return [
    `${style.prompt(`${String(turn.turn).padStart(digits)} ›`)} ${oneLine(turn.text ?? '')}`,
    time(toolMs + askMs + apiMs),
    style.dim(time(toolMs)),
    style.dim(time(apiMs)),
    style.dim(time(askMs + (waitMs ?? 0))),
  ]
}
