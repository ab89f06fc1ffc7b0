import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import { useIsDark } from '../theme.ts'
import 'uplot/dist/uPlot.min.css'

const HEIGHT = 210

/** Bars over time. What is under the pointer is told above them; a click chooses it. For those who cannot see it there must be a table beside it. */
export function BarChart(props: {
  readonly label: string
  readonly names: readonly string[]
  readonly values: readonly number[]
  readonly format: (value: number) => string
  readonly describe: (index: number) => string
  readonly chosen: number
  readonly onChoose: (index: number) => void
}) {
  const holder = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const [hovered, setHovered] = useState<number | null>(null)
  const isDark = useIsDark()
  const current = useRef(props)
  current.current = props

  useEffect(() => {
    const element = holder.current
    if (!element) return
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const { names, values, chosen } = props
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read anew when dark and light change
  useEffect(() => {
    const element = holder.current
    if (!element || width === 0 || names.length === 0) return
    const chart = new uPlot(optionsOf(element, width, current, setHovered), dataOf(values, chosen), element)
    const onClick = () => {
      const index = chart.cursor.idx
      if (typeof index === 'number') current.current.onChoose(index)
    }
    chart.over.addEventListener('click', onClick)
    return () => chart.destroy()
  }, [names, values, chosen, width, isDark])

  return (
    <div>
      <p className="h-6 text-sm text-muted tabular-nums">
        {hovered === null ? (chosen >= 0 ? props.describe(chosen) : '') : props.describe(hovered)}
      </p>
      <div
        ref={holder}
        role="img"
        aria-label={props.label}
        className="cursor-pointer overflow-hidden"
        style={{ height: HEIGHT }}
      />
    </div>
  )
}

type Props = Parameters<typeof BarChart>[0]

/** Two rows of bars: the chosen one has a colour of its own. */
function dataOf(values: readonly number[], chosen: number): uPlot.AlignedData {
  return [
    values.map((_, i) => i),
    values.map((value, i) => (i === chosen ? null : value)),
    values.map((value, i) => (i === chosen ? value : null)),
  ]
}

function optionsOf(
  element: HTMLElement,
  width: number,
  props: { readonly current: Props },
  onHover: (index: number | null) => void,
): uPlot.Options {
  const colour = (name: string) => resolveColour(element, `var(--color-${name})`)
  const { names, format } = props.current
  const bars = uPlot.paths.bars?.({ size: [0.72, 48], radius: 0.12 })
  const series = (fill: string): uPlot.Series => ({
    fill,
    width: 0,
    points: { show: false },
    ...(bars && { paths: bars }),
  })
  const axis = { stroke: colour('muted'), font: '12px system-ui, sans-serif', ticks: { show: false } }
  return {
    width,
    height: HEIGHT,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { setScale: false, x: false, y: false } },
    scales: {
      x: { time: false, range: [-0.6, names.length - 0.4] },
      y: { range: (_chart, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    series: [{}, series(colour('heat-3')), series(colour('accent'))],
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 30,
        splits: () => ticksOf(names.length, width),
        values: (_chart, splits) => splits.map((i) => names[i] ?? ''),
      },
      {
        ...axis,
        grid: { stroke: colour('line'), width: 1 },
        size: 58,
        values: (_chart, splits) => splits.map((value) => format(value)),
      },
    ],
    hooks: { setCursor: [(chart) => onHover(typeof chart.cursor.idx === 'number' ? chart.cursor.idx : null)] },
  }
}

/** The bars that have their name below them: as many as there is room for. */
function ticksOf(count: number, width: number): number[] {
  const step = Math.max(1, Math.ceil(count / Math.max(2, Math.floor((width - 60) / 72))))
  return Array.from({ length: Math.ceil(count / step) }, (_, i) => i * step)
}

/** A canvas knows no variables: the colour is asked of an element. */
function resolveColour(element: HTMLElement, colour: string): string {
  const probe = document.createElement('span')
  probe.style.color = colour
  element.append(probe)
  const resolved = getComputedStyle(probe).color
  probe.remove()
  return resolved
}
