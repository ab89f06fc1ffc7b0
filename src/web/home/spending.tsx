import { useMemo } from 'react'
import { useOp } from '../api.ts'
import { addDays, dayOf, mondayOf } from '../days.ts'
import { Money } from '../ui/figures.tsx'
import { useNow } from '../ui/time.tsx'
import { MONTHS, moneyText, plural } from '../ui/words.ts'
import { zone } from '../zone.ts'
import { HeatMap } from './heat-map.tsx'

const WEEKS = 26

/** What each of the last days used, where the person is. */
export function useDays(isReady: boolean) {
  const today = dayOf(useNow())
  const since = addDays(mondayOf(today), -7 * (WEEKS - 1))
  return useOp('usage', { by: 'day', since, timezone: zone(isReady) }, { enabled: isReady, keepPrevious: true })
}

/** What was spent today, this week and this month, and half a year at a glance. */
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
  const monday = mondayOf(today)
  const month = `${today.slice(0, 7)}-01`
  const isToday = (days.get(today)?.responses ?? 0) > 0
  return (
    <section aria-label="Spending and activity" className="grid content-start gap-4">
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        <Figure name="Today">
          <Money usd={sum(today)} receipt={isToday ? today : undefined} />
        </Figure>
        <Figure name="Week">
          <Money usd={sum(monday)} receipt={`${monday}..${today}`} />
        </Figure>
        <Figure name={MONTHS[Number(today.slice(5, 7)) - 1] as string}>
          <Money usd={sum(month)} receipt={`${month}..${today}`} />
        </Figure>
      </dl>
      <HeatMap
        today={today}
        weeks={WEEKS}
        figureOf={(day) => days.get(day)?.responses ?? 0}
        describe={(day, responses) =>
          `${day}: ${plural(responses, 'response')}, ${moneyText(days.get(day)?.costUsd ?? (responses === 0 ? 0 : null))}`
        }
        isReady={data !== undefined}
      />
    </section>
  )
}

function Figure(props: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-muted">{props.name}</dt>
      <dd className="min-w-16 text-2xl font-semibold tracking-tight">{props.children}</dd>
    </div>
  )
}
