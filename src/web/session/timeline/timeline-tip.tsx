import { ChartTip } from '../../ui/chart-parts.tsx'
import { clock, spanText } from '../../ui/words.ts'
import { visible } from '../visible.ts'
import type { Bar, Timed } from './timeline-layout.ts'

/** What is known of a bar, beside the pointer. */
export function TimelineTip({
  bar,
  x,
  y,
  timed,
  room,
}: {
  bar: Bar
  x: number
  y: number
  timed: Timed
  room: number
}) {
  const isRight = x > room / 2
  const facts = factsOf(bar, timed)
  return (
    <ChartTip
      title={visible(bar.text)}
      style={{ top: y + 14, ...(isRight ? { right: room - x + 10 } : { left: x + 10 }) }}
    >
      <dl className="grid grid-cols-[auto_1fr] gap-x-3">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt>{name}</dt>
            <dd className="tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </ChartTip>
  )
}

function factsOf(bar: Bar, { turns, tasks }: Timed): readonly (readonly [string, string])[] {
  const began = clock(bar.from, true)
  const took = bar.isOpen ? 'its end is not known' : spanText(bar.to - bar.from)
  const base: [string, string][] = [
    ['from', began],
    ['took', took],
  ]
  const turn = bar.kind === 'turn' ? turns[bar.index] : undefined
  if (turn) {
    const { toolMs, askMs, apiMs } = turn
    base.push(['tools', spanText(toolMs)], ['API, estimated', spanText(apiMs)])
    if (askMs > 0) base.push(['questions to you', spanText(askMs)])
  } else base.push(['turn', String(bar.turn)])
  const uses = bar.kind === 'agent' ? tasks[bar.index]?.toolUses : null
  if (uses != null) base.push(['tools', String(uses)])
  if (bar.isFailed) base.push(['ended', 'failed'])
  return base
}
