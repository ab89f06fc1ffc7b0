import { addDays, mondayOf } from '../days.ts'
import { MONTHS } from '../ui/words.ts'

const SIZE = 11
const GAP = 2
const STEP = SIZE + GAP
const TOP = 14
const FILLS = [
  'var(--color-heat-0)',
  'var(--color-heat-1)',
  'var(--color-heat-2)',
  'var(--color-heat-3)',
  'var(--color-heat-4)',
]

/** The days of some weeks as squares, a week a column, the darker the more was done. */
export function HeatMap(props: {
  readonly today: string
  readonly weeks: number
  readonly figureOf: (day: string) => number
  readonly describe: (day: string, figure: number) => string
  readonly isReady: boolean
}) {
  const first = addDays(mondayOf(props.today), -7 * (props.weeks - 1))
  const days = Array.from({ length: props.weeks * 7 }, (_, i) => addDays(first, i)).filter((day) => day <= props.today)
  const figures = days.map(props.figureOf)
  const levelOf = levels(figures)
  const active = figures.filter((figure) => figure > 0).length
  const width = props.weeks * STEP - GAP
  return (
    <svg
      role="img"
      aria-label={`Activity of the last ${props.weeks} weeks: ${active} active days`}
      viewBox={`0 0 ${width} ${TOP + 7 * STEP - GAP}`}
      className={`h-auto w-full ${props.isReady ? '' : 'opacity-40'}`}
    >
      {monthNames(first, props.weeks).map(({ column, name }) => (
        <text key={column} x={column * STEP} y={9} fontSize={9} fill="var(--color-muted)">
          {name}
        </text>
      ))}
      {days.map((day, i) => (
        <rect
          key={day}
          x={Math.floor(i / 7) * STEP}
          y={TOP + (i % 7) * STEP}
          width={SIZE}
          height={SIZE}
          rx={2}
          fill={FILLS[levelOf(figures[i] as number)]}
        >
          <title>{props.describe(day, figures[i] as number)}</title>
        </rect>
      ))}
    </svg>
  )
}

/** Quarters of the days on which something was done: one wild day does not make all others pale. */
function levels(figures: readonly number[]): (figure: number) => number {
  const active = figures.filter((figure) => figure > 0).sort((a, b) => a - b)
  const bounds = [0.25, 0.5, 0.75].map((part) => active[Math.floor(active.length * part)] ?? 0)
  return (figure) => (figure === 0 ? 0 : 1 + bounds.filter((bound) => figure > bound).length)
}

/** The names of months above the first week that begins in them. */
function monthNames(first: string, weeks: number) {
  const names = Array.from({ length: weeks }, (_, column) => {
    const monday = addDays(first, 7 * column)
    return { column, month: monday.slice(0, 7), name: (MONTHS[Number(monday.slice(5, 7)) - 1] as string).slice(0, 3) }
  })
  // A name needs the room of three columns.
  return names.filter(({ column, month }) => column > 0 && names[column - 1]?.month !== month && column < weeks - 2)
}
