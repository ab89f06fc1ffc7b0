import { type PointerEvent, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useNavigate } from '../../routing.tsx'
import { Button } from '../../ui/button.tsx'
import { Legend } from '../../ui/chart-parts.tsx'
import { plural } from '../../ui/words.ts'
import { TimelineDrawing } from './timeline-drawing.tsx'
import { type Bar, type Timed, type TimedStep, timelinePicture } from './timeline-layout.ts'
import { foundAt, placesOf } from './timeline-places.ts'
import { TimelineTip } from './timeline-tip.tsx'

const MOST_ZOOM = 64

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
  const places = useMemo(() => picture && placesOf(picture), [picture])
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
  if (!picture || !places) return <p className="text-sm text-muted">Its rows have no times.</p>
  const width = Math.max(1, room) * zoom
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
        <Legend items={LEGEND} />
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
              <TimelineDrawing picture={picture} places={places} width={width} marks={marks} />
            </svg>
          )}
        </section>
        {hovered && <TimelineTip timed={timed} room={room} {...hovered} />}
      </div>
    </div>
  )
}
