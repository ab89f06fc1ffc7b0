import { useMemo } from 'react'
import { useOp } from '../api.ts'
import { addDays, dayOf, mondayOf } from '../days.ts'
import { Money } from '../ui/figures.tsx'
import { useNow } from '../ui/time.tsx'
import { MONTHS, moneyText, plural } from '../ui/words.ts'
import { zone } from '../zone.ts'
import { HeatMap } from './heat-map.tsx'

const WEEKS = 26
const SPARK_DAYS = 13

/** What each of the last days used, where the person is. */
export function useDays(isReady: boolean) {
  const today = dayOf(useNow())
  const since = addDays(mondayOf(today), -7 * (WEEKS - 1))
  return useOp('usage', { by: 'day', since, timezone: zone() }, { enabled: isReady, keepPrevious: true })
}

/** What was spent today, this week and this month, the last days as bars, and half a year at a glance. */
export function Spending(props: { readonly isReady: boolean }) {
  const today = dayOf(useNow())
  const { data } = useDays(props.isReady)
  const days = useMemo(() => new Map(data?.rows.map((row) => [row.key, row])), [data])
  const sum = (first: string) => {
    const costs = [...days].flatMap(([day, { costUsd }]) => (day >= first && day <= today ? [costUsd] : []))
    const known = costs.filter((cost) => cost !== null)
    return data === undefined || (costs.length > 0 && known.length === 0)
      ? null
      : known.reduce((all, one) => all + one, 0)
  }
  const month = MONTHS[Number(today.slice(5, 7)) - 1] as string
  const figures = [
    { name: 'Today', usd: sum(today) },
    { name: 'Week', usd: sum(mondayOf(today)) },
    { name: month, usd: sum(`${today.slice(0, 7)}-01`) },
  ]
  return (
    <section aria-label="Spending and activity" className="flex flex-wrap items-end justify-between gap-x-10 gap-y-5">
      <div className="min-w-0 flex-1 basis-72">
        <dl className="flex flex-wrap gap-x-10 gap-y-2">
          {figures.map(({ name, usd }) => (
            <div key={name}>
              <dt className="text-sm text-muted">{name}</dt>
              <dd className="min-w-16 text-2xl font-semibold tracking-tight">
                <Money usd={usd} />
              </dd>
            </div>
          ))}
        </dl>
        <Spark days={Array.from({ length: SPARK_DAYS }, (_, i) => addDays(today, i - SPARK_DAYS + 1))} costs={days} />
        <p className="mt-1 flex justify-between text-xs text-muted">
          <span>last {SPARK_DAYS} days</span>
          <span>API prices, not your invoice</span>
        </p>
      </div>
      <div className="w-full max-w-[21rem]">
        <HeatMap
          today={today}
          weeks={WEEKS}
          figureOf={(day) => days.get(day)?.responses ?? 0}
          describe={(day, responses) =>
            `${day}: ${plural(responses, 'response')}, ${moneyText(days.get(day)?.costUsd ?? (responses === 0 ? 0 : null))}`
          }
          isReady={data !== undefined}
        />
        <p className="mt-1 text-xs text-muted">last {WEEKS} weeks</p>
      </div>
    </section>
  )
}

function Spark(props: {
  readonly days: readonly string[]
  readonly costs: ReadonlyMap<string, { readonly costUsd: number | null }>
}) {
  const costs = props.days.map((day) => props.costs.get(day)?.costUsd ?? 0)
  const most = Math.max(...costs, 0.01)
  return (
    <svg
      role="img"
      aria-label={`Cost of the last ${props.days.length} days, at most ${moneyText(Math.max(...costs))} a day`}
      viewBox={`0 0 ${props.days.length * 10} 30`}
      preserveAspectRatio="none"
      className="mt-3 h-10 w-full text-accent"
    >
      {costs.map((cost, i) => {
        const height = cost === 0 ? 0.8 : Math.max(2, (cost / most) * 30)
        const day = props.days[i] as string
        return (
          <rect
            key={day}
            x={i * 10 + 1}
            y={30 - height}
            width={8}
            height={height}
            fill="currentColor"
            opacity={cost === 0 ? 0.25 : 1}
          >
            <title>{`${day}: ${moneyText(cost)}`}</title>
          </rect>
        )
      })}
    </svg>
  )
}
