import { useEffect, useRef, useState } from 'react'

/** A bar: what it is called on the axis, and how much of each series it has. */
export interface Bar {
  readonly key: string
  readonly name: string
  /** Stands below the first bar that has it, and where it changes. */
  readonly year: string
  readonly amounts: readonly number[]
}

const HEIGHT = 220
const [LEFT, TOP, BOTTOM] = [56, 8, 36]

/** Bars over time, stacked. What is under the pointer is told above them; a click chooses it. For those who cannot see it there must be a table beside it. */
export function StackedBars(props: {
  readonly label: string
  readonly bars: readonly Bar[]
  readonly format: (value: number) => string
  readonly describe: (index: number) => string
  readonly chosen: string | undefined
  readonly onChoose: (key: string) => void
}) {
  const { bars, chosen } = props
  const holder = useRef<HTMLDivElement>(null)
  const width = useWidth(holder)
  const [hovered, setHovered] = useState<number | null>(null)
  const shown = hovered ?? bars.findIndex(({ key }) => key === chosen)
  const sums = bars.map(({ amounts }) => amounts.reduce((sum, one) => sum + one, 0))
  const ticks = ticksOf(Math.max(...sums, 0))
  const most = ticks.at(-1) ?? 1
  const step = bars.length === 0 ? 0 : (width - LEFT) / bars.length
  const y = (value: number) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / most)
  return (
    <div>
      <p className="min-h-6 text-sm text-muted tabular-nums">
        {shown >= 0 && bars[shown] ? props.describe(shown) : ''}
      </p>
      <div ref={holder} style={{ height: HEIGHT }}>
        {width > 0 ? (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the table beside it has the same, with buttons
          <svg
            role="img"
            aria-label={props.label}
            width={width}
            height={HEIGHT}
            className="block cursor-pointer"
            onMouseMove={(event) => setHovered(indexAt(event, step, bars.length))}
            onMouseLeave={() => setHovered(null)}
            onClick={(event) => {
              const index = indexAt(event, step, bars.length)
              if (index !== null) props.onChoose((bars[index] as Bar).key)
            }}
          >
            {ticks.map((tick) => (
              <g key={tick}>
                <line x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} stroke="var(--color-line)" />
                <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end" fontSize={12} fill="var(--color-muted)">
                  {props.format(tick)}
                </text>
              </g>
            ))}
            {shown >= 0 ? (
              <rect
                x={LEFT + shown * step}
                y={TOP}
                width={step}
                height={HEIGHT - TOP - BOTTOM}
                fill="var(--color-sunk)"
              />
            ) : null}
            {bars.map((bar, i) => (
              <Stack
                key={bar.key}
                bar={bar}
                x={LEFT + i * step + Math.min(0.14 * step, 8)}
                width={Math.max(1, step * 0.72)}
                y={y}
              />
            ))}
            <AxisNames bars={bars} step={step} width={width} />
          </svg>
        ) : null}
      </div>
    </div>
  )
}

function Stack(props: {
  readonly bar: Bar
  readonly x: number
  readonly width: number
  readonly y: (value: number) => number
}) {
  let base = 0
  return props.bar.amounts.map((amount, i) => {
    if (amount <= 0) return null
    const top = props.y(base + amount)
    const height = Math.max(0.5, props.y(base) - top)
    base += amount
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the series have their order
      <rect key={i} x={props.x} y={top} width={Math.min(48, props.width)} height={height} fill={seriesColour(i)} />
    )
  })
}

/** As many names as there is room for, and the years below them. */
function AxisNames(props: { readonly bars: readonly Bar[]; readonly step: number; readonly width: number }) {
  const { bars, step, width } = props
  const every = Math.max(1, Math.ceil(bars.length / Math.max(2, Math.floor((width - LEFT) / 64))))
  const named = bars.flatMap((bar, i) => (i % every === 0 ? [{ bar, i }] : []))
  return named.map(({ bar, i }, at) => (
    <g key={bar.key} fontSize={12} fill="var(--color-muted)">
      <text x={LEFT + i * step + 2} y={HEIGHT - BOTTOM + 15}>
        {bar.name}
      </text>
      {bar.year !== named[at - 1]?.bar.year ? (
        <text x={LEFT + i * step + 2} y={HEIGHT - BOTTOM + 31} fontWeight={600}>
          {bar.year}
        </text>
      ) : null}
    </g>
  ))
}

/** The colour of a series; all beyond the sixth share the last. */
export function seriesColour(index: number): string {
  return COLOURS[index] ?? 'var(--color-series-7)'
}

const COLOURS = [
  'var(--color-series-1)',
  'var(--color-series-2)',
  'var(--color-series-3)',
  'var(--color-series-4)',
  'var(--color-series-5)',
  'var(--color-series-6)',
]

function indexAt(event: React.MouseEvent<SVGElement>, step: number, count: number): number | null {
  const x = event.clientX - event.currentTarget.getBoundingClientRect().left - LEFT
  const index = Math.floor(x / step)
  return index >= 0 && index < count ? index : null
}

/** Round figures from zero up to the most or a little more. */
function ticksOf(most: number): readonly number[] {
  if (most <= 0) return [0, 1]
  const rough = most / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 2.5, 5, 10].find((one) => one * power >= rough) ?? 10) * power
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => i * step)
}

function useWidth(holder: React.RefObject<HTMLDivElement | null>): number {
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = holder.current
    if (!element) return
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [holder])
  return width
}
