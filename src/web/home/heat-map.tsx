import { addDays, mondayOf } from '../days.ts'
import { Link } from '../routing.tsx'
import { MONTHS } from '../ui/words.ts'

const SIZE = 11
const GAP = 2
const STEP = SIZE + GAP
const TOP = 14
const LEFT = 26
const FILLS = [
  'var(--color-heat-0)',
  'var(--color-heat-1)',
  'var(--color-heat-2)',
  'var(--color-heat-3)',
  'var(--color-heat-4)',
]
const WEEKDAYS = [
  { row: 0, name: 'Mon' },
  { row: 2, name: 'Wed' },
  { row: 4, name: 'Fri' },
] as const

/** The days of some weeks as squares, a week a column, the darker the more was done. A click leads to what a day cost. */
export function HeatMap(props: {
  readonly today: string
  readonly weeks: number
  readonly figureOf: (day: string) => number
  readonly describe: (day: string, figure: number) => string
  readonly isReady: boolean
}) {
  const first = addDays(mondayOf(props.today), -7 * (props.weeks - 1))
  // Hundreds of empty squares would hold up the list of sessions.
  const count = props.isReady ? props.weeks * 7 : 0
  const days = Array.from({ length: count }, (_, i) => addDays(first, i)).filter((day) => day <= props.today)
  const figures = days.map(props.figureOf)
  const levelOf = levels(figures)
  const active = figures.filter((figure) => figure > 0).length
  const width = LEFT + props.weeks * STEP - GAP
  return (
    <figure className={props.isReady ? '' : 'opacity-40'}>
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing is no form */}
      <svg
        role="group"
        aria-label={`Activity of the last ${props.weeks} weeks: ${active} active days`}
        viewBox={`0 0 ${width} ${TOP + 7 * STEP - GAP}`}
        className="h-auto w-full"
      >
        {monthNames(first, props.weeks).map(({ column, name }) => (
          <text key={column} x={LEFT + column * STEP} y={9} fontSize={9} fill="var(--color-muted)">
            {name}
          </text>
        ))}
        {WEEKDAYS.map(({ row, name }) => (
          <text key={name} x={0} y={TOP + row * STEP + 9} fontSize={9} fill="var(--color-muted)">
            {name}
          </text>
        ))}
        {days.map((day, i) => {
          const figure = figures[i] as number
          const square = (
            <rect
              x={LEFT + Math.floor(i / 7) * STEP}
              y={TOP + (i % 7) * STEP}
              width={SIZE}
              height={SIZE}
              rx={2}
              fill={FILLS[levelOf(figure)]}
              className={figure > 0 ? 'hover:stroke-ink' : ''}
            >
              <title>{props.describe(day, figure)}</title>
            </rect>
          )
          if (figure === 0) return <g key={day}>{square}</g>
          return (
            <Link
              key={day}
              to="/usage"
              search={{ since: day, until: day, of: 'time', at: day }}
              tabIndex={-1}
              aria-label={props.describe(day, figure)}
            >
              {square}
            </Link>
          )
        })}
      </svg>
      <figcaption className="mt-1 flex items-center justify-between gap-2 text-xs text-muted">
        <span>last {props.weeks} weeks, responses a day</span>
        <span className="flex items-center gap-1">
          less
          {FILLS.map((fill) => (
            <span
              key={fill}
              aria-hidden="true"
              className="inline-block size-2.5 rounded-xs"
              style={{ background: fill }}
            />
          ))}
          more
        </span>
      </figcaption>
    </figure>
  )
}

/** Quarters of the days on which something was done: one wild day does not make all others pale. */
function levels(figures: readonly number[]): (figure: number) => number {
  const active = figures.filter((figure) => figure > 0).sort((a, b) => a - b)
  const bounds = [0.25, 0.5, 0.75].map((part) => active[Math.floor(active.length * part)] ?? 0)
  return (figure) => (figure === 0 ? 0 : 1 + bounds.filter((bound) => figure > bound).length)
}

/** The names of months above the first week that begins in them; with the year where another begins. */
function monthNames(first: string, weeks: number) {
  const names = Array.from({ length: weeks }, (_, column) => {
    const monday = addDays(first, 7 * column)
    const name = (MONTHS[Number(monday.slice(5, 7)) - 1] as string).slice(0, 3)
    return { column, month: monday.slice(0, 7), name: name === 'Jan' ? `Jan ${monday.slice(0, 4)}` : name }
  })
  // A name needs the room of three columns.
  return names.filter(({ column, month }) => column > 0 && names[column - 1]?.month !== month && column < weeks - 2)
}
