import type { Search } from '../addresses.ts'
import { type OpInput, type OpResult, useOp } from '../api.ts'
import { addDays, dayOf } from '../days.ts'
import { ProjectSelect } from '../project-select.tsx'
import { getRouteApi, useNavigate } from '../routing.tsx'
import { Card } from '../ui/card.tsx'
import { Empty } from '../ui/empty.tsx'
import { ErrorBox } from '../ui/error-box.tsx'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { Select } from '../ui/select.tsx'
import { useNow } from '../ui/time.tsx'
import { plural } from '../ui/words.ts'
import { useScope } from '../use-scope.ts'
import { zone } from '../zone.ts'
import { Blocks } from './blocks.tsx'
import { Breakdown } from './breakdown.tsx'
import { Figures } from './figures.tsx'
import { HourOfWeek } from './hour-of-week.tsx'
import { OverTime } from './over-time.tsx'
import { boundsOf, periodBefore, type Unit } from './periods.ts'
import { OFS, Sessions } from './sessions.tsx'
import { Tools } from './tools.tsx'

const route = getRouteApi('/usage')

/** What usage is asked for. */
export type UsageScope = Pick<OpInput<'usage'>, 'project' | 'under' | 'since' | 'until' | 'timezone'>

/** What usage answers. */
export type Usage = OpResult<'usage'>

const PERIODS = [
  { value: '7d', text: 'Last 7 days', days: 7 },
  { value: '30d', text: 'Last 30 days', days: 30 },
  { value: '90d', text: 'Last 90 days', days: 90 },
  { value: '365d', text: 'Last year', days: 365 },
  { value: 'all', text: 'All time', days: undefined },
] as const

const UNITS = [
  { value: 'day', text: 'By day' },
  { value: 'week', text: 'By week' },
  { value: 'month', text: 'By month' },
] as const

const SHOWN = [
  { value: 'cost', text: 'Cost' },
  { value: 'tokens', text: 'Tokens' },
] as const

const STACKS = [
  { value: 'model', text: 'Stacked by model' },
  { value: 'project', text: 'Stacked by project' },
] as const

const DAY = /^\d{4}-\d\d-\d\d$/

/** The time that an address means: one of those that are offered, or from a day to a day. */
function periodOf(search: Search<'/usage'>, today: string) {
  const until = search.until !== undefined && DAY.test(search.until) ? search.until : undefined
  if (search.since !== undefined && DAY.test(search.since)) {
    return { value: 'own', since: search.since, until: until ?? today } as const
  }
  const period = PERIODS.find(({ value }) => value === search.since) ?? PERIODS[1]
  const since = period.days === undefined ? undefined : addDays(today, 1 - period.days)
  return { value: period.value, since, until: today } as const
}

/** Usage: what was used and what it costs, over time and by what, down to the sessions and their receipts. */
export function UsagePage() {
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/usage' })
  const set = (part: Partial<typeof search>) => navigate({ search: (now) => ({ ...now, ...part }), resetScroll: false })
  const unit: Unit = UNITS.find(({ value }) => value === search.by)?.value ?? 'day'
  const shown = SHOWN.find(({ value }) => value === search.show)?.value ?? 'cost'
  const stack = STACKS.find(({ value }) => value === search.stack)?.value ?? 'model'
  const of = OFS.find((one) => one === search.of)
  const today = dayOf(useNow())
  const period = periodOf(search, today)
  const projects = useScope(search.project)
  const isReady = projects !== undefined
  const scope: UsageScope = {
    ...projects,
    ...(period.since !== undefined && { since: period.since }),
    ...(period.value === 'own' && { until: period.until }),
    timezone: zone(),
  }
  const usage = useOp(
    'usage',
    { ...scope, all: true, by: unit, parts: stack, turns: true },
    { enabled: isReady, keepPrevious: true },
  )
  const past = period.since === undefined ? undefined : periodBefore(period.since, period.until)
  const before = useOp(
    'usage',
    { ...scope, ...past, all: true, by: 'total' },
    { enabled: isReady && past !== undefined && usage.isSuccess },
  )
  const { data } = usage
  const receipt = `${period.since ?? firstDay(data, unit) ?? today}..${period.until}`
  const own = `${period.since} to ${period.until}`
  return (
    <Page
      title="Usage"
      aside={<p className="text-sm text-muted">{data ? `${data.timezone} · ` : ''}API prices, not your invoice</p>}
    >
      <div className="mb-4 flex flex-wrap gap-2">
        <Select
          label="Period"
          value={period.value}
          options={period.value === 'own' ? [{ value: 'own' as const, text: own }, ...PERIODS] : PERIODS}
          onChange={(since) => set({ since, until: undefined, of: undefined, at: undefined })}
        />
        <Select
          label="Bars"
          value={unit}
          options={UNITS}
          onChange={(by) => set({ by, of: undefined, at: undefined })}
        />
        <Select label="What is shown" value={shown} options={SHOWN} onChange={(show) => set({ show })} />
        <Select label="Stacked by" value={stack} options={STACKS} onChange={(value) => set({ stack: value })} />
        <ProjectSelect value={search.project} onChange={(project) => set({ project, of: undefined, at: undefined })} />
      </div>
      {usage.error ? <ErrorBox error={usage.error} onRetry={() => usage.refetch()} /> : null}
      {!data && !usage.error ? <Loading label="Counting …" /> : null}
      {data && data.total.responses === 0 ? (
        <Empty hint="Choose a longer period.">Nothing was used in this time.</Empty>
      ) : null}
      {data && data.total.responses > 0 ? (
        <div className="space-y-4">
          <Figures
            usage={data}
            receipt={receipt}
            isPart={search.project !== undefined}
            before={period.since === undefined ? undefined : before.data}
            beforeReceipt={past && `${past.since}..${past.until}`}
          />
          <OverTime
            usage={data}
            shown={shown}
            stack={stack}
            first={period.since}
            last={period.until}
            chosen={search.of === 'time' ? search.at : undefined}
            onChoose={(at) => set({ of: 'time', at })}
          />
          {of !== undefined && search.at !== undefined ? (
            <Sessions
              scope={scope}
              unit={unit}
              of={of}
              at={search.at}
              onClose={() => set({ of: undefined, at: undefined })}
            />
          ) : null}
          <div className="grid items-start gap-4 md:grid-cols-2">
            {BREAKDOWNS.map(({ by, title }) => (
              <Breakdown
                key={by}
                title={title}
                by={by}
                scope={scope}
                shown={shown}
                receipt={receipt}
                onChoose={(at) => set({ of: by, at })}
              />
            ))}
            <HourOfWeek scope={scope} shown={shown} onChoose={(at) => set({ of: 'hour', at })} />
            <Blocks scope={scope} onChoose={(at) => set({ of: 'block', at })} />
            <Counted usage={data} />
          </div>
          <Tools scope={scope} />
        </div>
      ) : null}
    </Page>
  )
}

/** The day on which what is known begins. */
function firstDay(usage: Usage | undefined, unit: Unit): string | undefined {
  const keys = usage?.rows.map(({ key }) => key).filter((key) => /^\d{4}-/.test(key)) ?? []
  const first = keys.toSorted()[0]
  return first === undefined ? undefined : boundsOf(unit, first).since
}

/** What the sum is taken apart by. */
const BREAKDOWNS = [
  { by: 'model', title: 'By model' },
  { by: 'project', title: 'By project' },
  { by: 'agent-type', title: 'By agent type' },
] as const

function Counted(props: { readonly usage: Usage }) {
  const { coverage, total, unlogged } = props.usage
  return (
    <Card title="How it was counted">
      <ul className="space-y-1.5 text-sm">
        <li>
          {plural(total.responses, 'response')}, each counted once; {plural(coverage.duplicateRows, 'repeated row')}{' '}
          left out
          {coverage.crossFileCopies > 0
            ? `, ${plural(coverage.crossFileCopies, 'copy', 'copies')} in further files`
            : ''}
          .
        </li>
        {coverage.placeholderResponses > 0 ? (
          <li>
            {plural(coverage.placeholderResponses, 'response')} known only by the first tokens of the stream: the true
            cost is higher.
          </li>
        ) : null}
        {total.abandoned.responses > 0 ? (
          <li>{plural(total.abandoned.responses, 'response')} of these on branches that were abandoned.</li>
        ) : null}
        {unlogged.costUsd > 0 ? <li>In no log line: {unlogged.reasons.join('; ')}.</li> : null}
        {coverage.unpricedModels.length > 0 ? (
          <li className="text-warn">
            No price is known for {coverage.unpricedModels.join(', ')}: what{' '}
            {coverage.unpricedModels.length === 1 ? 'it' : 'they'} cost is not in any total.
          </li>
        ) : null}
      </ul>
    </Card>
  )
}
