import { type PointerEvent, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useNavigate } from '../../routing.tsx'
import { Button } from '../../ui/button.tsx'
import { plural, spanText } from '../../ui/words.ts'
import { visible } from '../visible.ts'
import { type Bar, type Timed, type TimedStep, type TimelinePicture, timelinePicture } from './timeline-layout.ts'

const TURN_HEIGHT = 26
const STEP = 18
const LANE = 15
const TASK = 19
const GAP = 10
const AXIS = 22
const MOST_ZOOM = 64

const LOOKS: Readonly<Record<Bar['kind'], string>> = {
  turn: 'fill-prompt-edge',
  wait: 'fill-sunk',
  step: 'fill-prompt',
  call: 'fill-accent',
  ask: 'fill-warn',
  agent: 'fill-code-keyword',
  task: 'fill-code-number',
}

const LEGEND = [
  { name: 'turns', look: 'bg-prompt-edge' },
  { name: 'steps', look: 'border border-prompt-edge bg-prompt' },
  { name: 'tools, call to result', look: 'bg-accent' },
  { name: 'failed', look: 'bg-danger' },
  { name: 'questions to you', look: 'bg-warn' },
  { name: 'agents', look: 'bg-code-keyword' },
  { name: 'in the background', look: 'bg-code-number' },
  { name: 'waiting for you, long ones folded', look: 'border border-edge bg-sunk' },
] as const

interface Props {
  readonly session: string
  readonly branch: string | undefined
  readonly timed: Timed
  readonly steps: readonly TimedStep[]
  /** Where the context was compacted, and what went wrong beside calls. */
  readonly marks: readonly { readonly kind: string; readonly text: string; readonly timestamp: string | null }[]
}

/** A session over time, drawn: what ran when, side by side where it did. The table below leads by keys to the same places. */
export function TimelineChart({ session, branch, timed, steps, marks }: Props) {
  const navigate = useNavigate()
  const picture = useMemo(() => timelinePicture(timed, steps), [timed, steps])
  const frame = useRef<HTMLDivElement>(null)
  const [room, setRoom] = useState(0)
  const [zoom, setZoom] = useState(1)
  const [hovered, setHovered] = useState<{ readonly bar: Bar; readonly x: number; readonly y: number }>()
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const observer = new ResizeObserver(() => setRoom(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  if (!picture) return <p className="text-sm text-muted">Its rows have no times.</p>
  const width = Math.max(1, room) * zoom
  const places = placesOf(picture)
  const barAt = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    return foundAt(picture, places, width, event.clientX - box.left, event.clientY - box.top)
  }
  const zoomTo = (next: number) => {
    const element = frame.current
    const middle = element ? (element.scrollLeft + room / 2) / width : 0
    setZoom(next)
    requestAnimationFrame(() => {
      if (element) element.scrollLeft = middle * room * next - room / 2
    })
  }
  return (
    <div>
      <div className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-1">
        <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
          {LEGEND.map(({ name, look }) => (
            <li key={name} className="flex items-center gap-1.5">
              <span aria-hidden="true" className={`inline-block size-3 rounded-sm ${look}`} />
              {name}
            </li>
          ))}
        </ul>
        <span className="ml-auto flex items-center">
          <Button look="quiet" aria-label="Less detail" disabled={zoom === 1} onClick={() => zoomTo(zoom / 2)}>
            −
          </Button>
          <span className="w-10 text-center text-xs text-muted tabular-nums">{zoom}×</span>
          <Button look="quiet" aria-label="More detail" disabled={zoom === MOST_ZOOM} onClick={() => zoomTo(zoom * 2)}>
            +
          </Button>
        </span>
      </div>
      <div className="relative">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
        <section ref={frame} tabIndex={0} aria-label="Timeline" className="overflow-x-auto overflow-y-hidden">
          {room > 0 && (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the table below leads by keys to the same places
            <svg
              role="img"
              aria-label={`${plural(timed.turns.length, 'turn')}, ${plural(timed.calls.length, 'tool call')}, ${plural(timed.tasks.length, 'agent or task', 'agents and tasks')} over time. The table below has the numbers.`}
              width={width}
              height={places.height}
              className="block"
              onPointerMove={(event) => {
                const bar = barAt(event)
                const box = frame.current?.getBoundingClientRect()
                setHovered(bar && box ? { bar, x: event.clientX - box.left, y: event.clientY - box.top } : undefined)
              }}
              onPointerLeave={() => setHovered(undefined)}
              onClick={(event) => {
                const bar = barAt(event as unknown as PointerEvent<SVGSVGElement>)
                if (!bar) return
                const to = bar.agent === undefined ? session : `agent-${bar.agent}`
                const search = bar.agent === undefined ? { at: bar.uuid, ...(branch !== undefined && { branch }) } : {}
                navigate({ to: '/s/$session', params: { session: to }, search })
              }}
            >
              <Drawing picture={picture} places={places} width={width} marks={marks} />
            </svg>
          )}
        </section>
        {hovered && <Tip timed={timed} room={room} {...hovered} />}
      </div>
    </div>
  )
}

interface Places {
  readonly top: (lane: number) => number
  readonly high: (lane: number) => number
  readonly height: number
}

function placesOf({ callLanes, taskLanes }: TimelinePicture): Places {
  const steps = AXIS + TURN_HEIGHT + 3
  const calls = steps + STEP + GAP
  const tasks = calls + callLanes * LANE + (callLanes > 0 ? GAP : 0)
  return {
    top: (lane) => {
      if (lane <= 1) return lane === 0 ? AXIS : steps
      return lane - 2 < callLanes ? calls + (lane - 2) * LANE : tasks + (lane - 2 - callLanes) * TASK
    },
    high: (lane) => {
      if (lane <= 1) return lane === 0 ? TURN_HEIGHT : STEP
      return lane - 2 < callLanes ? LANE - 3 : TASK - 3
    },
    height: tasks + taskLanes * TASK + 4,
  }
}

/** A bar with room for words; narrower ones are drawn together, for there may be thousands. */
const WIDE = 14
/** A bar is never so narrow that it cannot be seen. */
const LEAST = 2

function boxOf({ scale }: TimelinePicture, width: number, { from, to }: Bar) {
  const x = scale.at(from) * width
  return { x, width: Math.max(LEAST, scale.at(to) * width - x) }
}

function Drawing({
  picture,
  places,
  width,
  marks,
}: { picture: TimelinePicture; places: Places; width: number } & Pick<Props, 'marks'>) {
  const { bars, scale } = picture
  const bodies = bars.filter(({ kind }) => kind === 'call' || kind === 'ask')
  const isWide = (bar: Bar) => boxOf(picture, width, bar).width >= WIDE
  const wide = (kind: Bar['kind']) => bars.filter((bar) => bar.kind === kind && isWide(bar))
  const slim = (kind: Bar['kind']) => drawn(bars.filter((bar) => bar.kind === kind && !isWide(bar)))
  const path = (wanted: (bar: Bar) => boolean) => drawn(bodies.filter(wanted))
  const drawn = (some: readonly Bar[]) =>
    some
      .map((bar) => {
        const box = boxOf(picture, width, bar)
        return `M${box.x.toFixed(1)} ${places.top(bar.lane)}h${box.width.toFixed(1)}v${places.high(bar.lane)}h-${box.width.toFixed(1)}z`
      })
      .join('')
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
      <path d={slim('step')} className={`${LOOKS.step} stroke-prompt-edge`} />
      <path d={slim('agent')} className={LOOKS.agent} />
      <path d={slim('task')} className={LOOKS.task} />
      {wide('wait').map((bar) => {
        const box = boxOf(picture, width, bar)
        return (
          <Labelled
            key={`wait ${bar.index}`}
            x={box.x}
            y={AXIS}
            width={box.width}
            height={places.height - AXIS}
            text={spanText(bar.to - bar.from)}
            look="fill-muted"
            at={TURN_HEIGHT / 2}
          >
            <rect width={box.width} height={places.height - AXIS} fill="url(#wait)" />
          </Labelled>
        )
      })}
      {wide('turn').map((bar) => {
        const box = boxOf(picture, width, bar)
        return (
          <Labelled
            key={`turn ${bar.index}`}
            x={box.x}
            y={AXIS}
            width={box.width}
            height={TURN_HEIGHT}
            text={`${bar.turn} ${visible(bar.text).replace(/\s+/g, ' ').slice(0, 200)}`}
            look="fill-paper font-medium"
            at={TURN_HEIGHT / 2}
          >
            <rect width={Math.max(LEAST, box.width - 1)} height={TURN_HEIGHT} rx={3} className={LOOKS.turn} />
          </Labelled>
        )
      })}
      {wide('step').map((bar) => {
        const box = boxOf(picture, width, bar)
        return (
          <Labelled
            key={`step ${bar.index}`}
            x={box.x}
            y={places.top(1)}
            width={box.width}
            height={STEP}
            text={visible(bar.text).slice(0, 120)}
            look="fill-ink"
            at={STEP / 2}
          >
            <rect
              x={0.5}
              y={0.5}
              width={Math.max(LEAST, box.width - 2)}
              height={STEP - 1}
              rx={3}
              className={`${LOOKS.step} stroke-prompt-edge`}
            />
          </Labelled>
        )
      })}
      <path d={path(({ kind, isFailed }) => kind === 'call' && !isFailed)} className={LOOKS.call} />
      <path d={path(({ kind, isFailed }) => kind === 'ask' && !isFailed)} className={LOOKS.ask} />
      <path d={path(({ isFailed }) => isFailed)} className="fill-danger" />
      {[...wide('agent'), ...wide('task')].map((bar) => {
        const box = boxOf(picture, width, bar)
        const height = places.high(bar.lane)
        return (
          <Labelled
            key={`${bar.kind} ${bar.index}`}
            x={box.x}
            y={places.top(bar.lane)}
            width={box.width}
            height={height}
            text={visible(bar.text).slice(0, 120)}
            look="fill-paper"
            at={height / 2}
          >
            <rect
              width={box.width}
              height={height}
              rx={3}
              className={bar.isFailed ? 'fill-danger' : LOOKS[bar.kind]}
              fillOpacity={bar.isOpen ? 0.6 : 1}
            />
          </Labelled>
        )
      })}
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
  readonly children: React.ReactNode
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
  let day = ''
  const ticks = bars.flatMap((bar) => {
    const x = scale.at(bar.from) * width
    if (bar.kind !== 'turn' || x < next || x > width - 40) return []
    next = x + TICK_PX
    const date = new Date(bar.from)
    const isNewDay = date.toDateString() !== day
    day = date.toDateString()
    const time = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
    const text = isNewDay ? `${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })} ${time}` : time
    return [{ x, text, key: bar.index }]
  })
  return ticks.map(({ x, text, key }) => (
    <g key={key}>
      <line x1={x} x2={x} y1={AXIS - 6} y2={height} className="stroke-line" />
      <text x={x + 3} y={10} fontSize={11} dominantBaseline="central" className="fill-muted">
        {text}
      </text>
    </g>
  ))
}

/** How far beside a bar one may point. */
const NEAR = 3

function foundAt(picture: TimelinePicture, places: Places, width: number, x: number, y: number): Bar | undefined {
  const isIn = (bar: Bar) => {
    const box = boxOf(picture, width, bar)
    const isWide = bar.kind === 'wait'
    const top = isWide ? AXIS : places.top(bar.lane)
    const bottom = isWide ? places.height : top + places.high(bar.lane)
    return x >= box.x - NEAR && x <= box.x + box.width + NEAR && y >= top && y <= bottom
  }
  return picture.bars.find((bar) => bar.kind !== 'wait' && isIn(bar)) ?? picture.bars.find(isIn)
}

function Tip({ bar, x, y, timed, room }: { bar: Bar; x: number; y: number; timed: Timed; room: number }) {
  const isRight = x > room / 2
  const facts = factsOf(bar, timed)
  return (
    <div
      role="tooltip"
      className="pointer-events-none absolute z-20 max-w-80 rounded-md border border-line bg-surface px-3 py-2 text-sm shadow-lg"
      style={{ top: y + 14, ...(isRight ? { right: room - x + 10 } : { left: x + 10 }) }}
    >
      <p className="line-clamp-3 font-medium break-words">{visible(bar.text)}</p>
      <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-3 text-xs text-muted">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt>{name}</dt>
            <dd className="tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

function factsOf(bar: Bar, { turns, tasks }: Timed): readonly (readonly [string, string])[] {
  const began = new Date(bar.from).toLocaleTimeString('en-GB')
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
