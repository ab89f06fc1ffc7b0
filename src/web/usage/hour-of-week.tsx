import { useOp } from '../api.ts'
import { Card } from '../ui/card.tsx'
import { ErrorBox } from '../ui/error-box.tsx'
import { Loading } from '../ui/loading.tsx'
import { moneyText, plural, tokensText } from '../ui/words.ts'
import { amountOf, type Shown } from './over-time.tsx'
import type { UsageScope } from './usage-page.tsx'

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)

/** When in the week it was used: a row a day, a column an hour, the darker the more. */
export function HourOfWeek(props: {
  readonly scope: UsageScope
  readonly shown: Shown
  readonly onChoose: (key: string) => void
}) {
  const { data, error, refetch } = useOp('usage', { ...props.scope, all: true, by: 'hour' }, { keepPrevious: true })
  const rows = new Map(data?.rows.map((row) => [row.key, row]))
  const rowAt = (day: number, hour: number) => rows.get(keyOf(day, hour))
  const amountAt = (day: number, hour: number) => {
    const row = rowAt(day, hour)
    return row ? amountOf(row, props.shown) : 0
  }
  const most = Math.max(...DAYS.flatMap((_, day) => HOURS.map((hour) => amountAt(day, hour))), Number.MIN_VALUE)
  const text = (amount: number) => (props.shown === 'cost' ? moneyText(amount) : `${tokensText(amount)} tokens`)
  return (
    <Card title="Hours of the week">
      {error ? <ErrorBox error={error} onRetry={() => refetch()} /> : null}
      {!data && !error ? <Loading rows={3} /> : null}
      {data ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        <section tabIndex={0} aria-label="Hours of the week" className="relative overflow-x-auto">
          <table className="w-full min-w-96 table-fixed border-separate border-spacing-0.5 text-[0.6875rem] text-muted">
            <thead>
              <tr>
                <th scope="col" className="w-8">
                  <span className="sr-only">Day</span>
                </th>
                {HOURS.map((hour) => (
                  <th key={hour} scope="col" className="text-left font-normal">
                    {hour % 6 === 0 ? hour : <span className="sr-only">{hour}</span>}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {DAYS.map((name, day) => (
                <tr key={name}>
                  <th scope="row" className="text-left font-normal">
                    {name}
                  </th>
                  {HOURS.map((hour) => (
                    <Cell
                      key={hour}
                      title={`${name} ${hour}:00: ${text(amountAt(day, hour))}, ${plural(rowAt(day, hour)?.responses ?? 0, 'response')}`}
                      part={amountAt(day, hour) / most}
                      {...(rowAt(day, hour) && { onChoose: () => props.onChoose(keyOf(day, hour)) })}
                    />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ) : null}
    </Card>
  )
}

const HEATS = [
  'var(--color-heat-0)',
  'var(--color-heat-1)',
  'var(--color-heat-2)',
  'var(--color-heat-3)',
  'var(--color-heat-4)',
]

function Cell(props: { readonly title: string; readonly part: number; readonly onChoose?: () => void }) {
  const level = props.part === 0 ? 0 : Math.min(4, 1 + Math.floor(props.part * 4))
  const said = <span className="sr-only">{props.title}</span>
  return (
    <td title={props.title} className="h-4 rounded-xs p-0" style={{ background: HEATS[level] }}>
      {props.onChoose ? (
        <button type="button" onClick={props.onChoose} className="block h-4 w-full cursor-pointer rounded-xs">
          {said}
        </button>
      ) : (
        said
      )}
    </td>
  )
}

function keyOf(day: number, hour: number): string {
  return `${day + 1} ${String(hour).padStart(2, '0')}`
}

/** What a person calls an hour of the week: "Mon 8:00". */
export function hourTitle(key: string): string {
  const [day, hour] = key.split(' ').map(Number)
  return `${DAYS[(day ?? 1) - 1] ?? ''} ${hour ?? ''}:00`
}
