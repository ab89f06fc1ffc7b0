import { memo, type ReactNode } from 'react'
import { clock, daysBetween, monthDay, spanText } from '../../ui/words.ts'
import { oneLine, visible } from '../visible.ts'
import type { Bar, TimelinePicture } from './timeline-layout.ts'
import { AXIS, boxOf, LEAST, type Places, TURN_HEIGHT } from './timeline-places.ts'

const LOOKS: Readonly<Record<Bar['kind'], string>> = {
  turn: 'fill-prompt-edge',
  wait: 'fill-sunk',
  step: 'fill-prompt stroke-prompt-edge',
  call: 'fill-accent',
  ask: 'fill-warn',
  agent: 'fill-code-keyword',
  task: 'fill-code-number',
}

interface Props {
  readonly picture: TimelinePicture
  readonly places: Places
  readonly width: number
  /** Where the context was compacted, and what went wrong beside calls. */
  readonly marks: readonly { readonly kind: string; readonly text: string; readonly timestamp: string | null }[]
}

/** A bar with room for words; narrower ones are drawn together, for there may be thousands. */
const WIDE = 14
/** The bars of a timeline: wide ones with their words, narrow ones together. Not drawn again while one points at them. */
export const TimelineDrawing = memo(function TimelineDrawing({ picture, places, width, marks }: Props) {
  const { bars, scale } = picture
  const bodies = bars.filter(({ kind }) => kind === 'call' || kind === 'ask')
  const boxes = new Map(bars.map((bar) => [bar, boxOf(picture, width, bar)]))
  const boxAt = (bar: Bar) => boxes.get(bar) as ReturnType<typeof boxOf>
  const isWide = (bar: Bar) => boxAt(bar).width >= WIDE
  const wide = (kind: Bar['kind']) => bars.filter((bar) => bar.kind === kind && isWide(bar))
  const slim = (kind: Bar['kind']) => drawn(bars.filter((bar) => bar.kind === kind && !isWide(bar)))
  const path = (wanted: (bar: Bar) => boolean) => drawn(bodies.filter(wanted))
  const drawn = (some: readonly Bar[]) =>
    some
      .map((bar) => {
        const box = boxAt(bar)
        return `M${box.x.toFixed(1)} ${places.top(bar.lane)}h${box.width.toFixed(1)}v${places.high(bar.lane)}h-${box.width.toFixed(1)}z`
      })
      .join('')
  const labelled = (bar: Bar) => {
    const { x, width: wideness } = boxAt(bar)
    const isWait = bar.kind === 'wait'
    const height = isWait ? places.height - AXIS : places.high(bar.lane)
    return (
      <Labelled
        key={`${bar.kind} ${bar.index}`}
        x={x}
        y={isWait ? AXIS : places.top(bar.lane)}
        width={wideness}
        height={height}
        text={wordsOf(bar)}
        look={WORDS[bar.kind]}
        at={(isWait ? TURN_HEIGHT : height) / 2}
      >
        <rect
          width={Math.max(LEAST, wideness - (isWait ? 0 : 1))}
          height={height}
          {...(isWait
            ? { fill: 'url(#wait)' }
            : { rx: 3, className: bar.isFailed && bar.kind !== 'turn' ? 'fill-danger' : LOOKS[bar.kind] })}
          fillOpacity={bar.isOpen && (bar.kind === 'agent' || bar.kind === 'task') ? 0.6 : 1}
        />
      </Labelled>
    )
  }
  return (
    <>
      <defs>
        <pattern id="wait" width={6} height={6} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width={6} height={6} className="fill-sunk" />
          <line x1={0} x2={0} y1={0} y2={6} strokeWidth={2} className="stroke-line" />
        </pattern>
      </defs>
      <Axis picture={picture} width={width} height={places.height} />
      <path d={slim('wait')} className="fill-line" />
      <path d={slim('turn')} className={LOOKS.turn} />
      <path d={slim('step')} className={LOOKS.step} />
      <path d={slim('agent')} className={LOOKS.agent} />
      <path d={slim('task')} className={LOOKS.task} />
      {(['wait', 'turn', 'step'] as const).flatMap(wide).map(labelled)}
      <path d={path(({ kind, isFailed }) => kind === 'call' && !isFailed)} className={LOOKS.call} />
      <path d={path(({ kind, isFailed }) => kind === 'ask' && !isFailed)} className={LOOKS.ask} />
      <path d={path(({ isFailed }) => isFailed)} className="fill-danger" />
      {(['agent', 'task'] as const).flatMap(wide).map(labelled)}
      {marks.map(({ kind, text, timestamp }, at) => {
        const x = scale.at(Date.parse(timestamp ?? '')) * width
        if (Number.isNaN(x)) return null
        return (
          <line
            // biome-ignore lint/suspicious/noArrayIndexKey: marks never move
            key={at}
            x1={x}
            x2={x}
            y1={AXIS}
            y2={places.height}
            strokeWidth={1.5}
            strokeDasharray={kind === 'compaction' ? '4 3' : undefined}
            className={kind === 'error' ? 'stroke-danger' : 'stroke-warn'}
          >
            <title>{`${kind}: ${visible(text)}`}</title>
          </line>
        )
      })}
    </>
  )
})

/** The words on bars, by what these are. */
const WORDS: Readonly<Record<Bar['kind'], string>> = {
  turn: 'fill-paper font-medium',
  wait: 'fill-muted',
  step: 'fill-ink',
  call: '',
  ask: '',
  agent: 'fill-paper',
  task: 'fill-paper',
}

function wordsOf(bar: Bar): string {
  if (bar.kind === 'wait') return spanText(bar.to - bar.from)
  const text = oneLine(bar.text).slice(0, 200)
  return bar.kind === 'turn' ? `${bar.turn} ${text}` : text
}

/** A letter of the small print is about so wide. */
const LETTER = 6.4

/** A bar with as many of its words as there is room for. */
function Labelled(props: {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly text: string
  readonly look: string
  readonly at: number
  readonly children: ReactNode
}) {
  const letters = Math.floor((props.width - 8) / LETTER)
  const text = props.text.length <= letters ? props.text : letters > 6 ? `${props.text.slice(0, letters - 1)}…` : ''
  return (
    <svg x={props.x} y={props.y} width={props.width} height={props.height} overflow="hidden" className="cursor-pointer">
      <title>{''}</title>
      {props.children}
      {text !== '' && (
        <text x={5} y={props.at} dominantBaseline="central" fontSize={11} className={props.look}>
          {text}
        </text>
      )}
    </svg>
  )
}

const TICK_PX = 110

/** The time of day, where there is room to say it. */
function Axis({
  picture: { bars, scale },
  width,
  height,
}: {
  picture: TimelinePicture
  width: number
  height: number
}) {
  let next = 0
  const ticks = bars.flatMap((bar) => {
    const x = scale.at(bar.from) * width
    if (bar.kind !== 'turn' || x < next || x > width - 40) return []
    next = x + TICK_PX
    return [{ x, ms: bar.from, key: bar.index }]
  })
  const minutes = new Set(ticks.map(({ ms }) => `${monthDay(ms)} ${clock(ms)}`))
  const texts = ticks.map(({ ms }, at) => {
    // Ticks of one minute are told apart by their seconds.
    const time = clock(ms, minutes.size < ticks.length)
    const before = ticks[at - 1]
    return before && daysBetween(before.ms, ms) === 0 ? time : `${monthDay(ms)} ${time}`
  })
  return ticks.map(({ x, key }, at) => (
    <g key={key}>
      <line x1={x} x2={x} y1={AXIS - 6} y2={height} className="stroke-line" />
      <text x={x + 3} y={10} fontSize={11} dominantBaseline="central" className="fill-muted">
        {texts[at]}
      </text>
    </g>
  ))
}
