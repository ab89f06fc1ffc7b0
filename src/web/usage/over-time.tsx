import { useMemo } from 'react'
import { distinctNames } from '../session-words.ts'
import { Card } from '../ui/card.tsx'
import { Money, Tokens } from '../ui/figures.tsx'
import { Said } from '../ui/said.tsx'
import { Table } from '../ui/table.tsx'
import { axisMoneyText, countText, moneyText, plural, shareText, tokensText } from '../ui/words.ts'
import { barName, barsBetween, barTitle, boundsOf, receiptOf, type Unit, yearOf } from './periods.ts'
import { type Bar, StackedBars, seriesColour } from './stacked-bars.tsx'
import type { Usage } from './usage-page.tsx'

type Row = Usage['rows'][number]
type Sum = Pick<
  Row,
  'costUsd' | 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWrite5mTokens' | 'cacheWrite1hTokens'
>

/** What is shown of each group. */
export type Shown = 'cost' | 'tokens'

/** All tokens of a row, written and read. */
export function tokensOf(row: Omit<Sum, 'costUsd'>): number {
  return row.inputTokens + row.outputTokens + row.cacheReadTokens + row.cacheWrite5mTokens + row.cacheWrite1hTokens
}

/** How much of what is shown a row has. */
export function amountOf(row: Sum, shown: Shown): number {
  return shown === 'cost' ? (row.costUsd ?? 0) : tokensOf(row)
}

/** So many series have a colour of their own; what is left is one. */
const MOST_SERIES = 6

/** Days, weeks or months as stacked bars, and the same as a table. Each leads to its sessions. */
export function OverTime(props: {
  readonly usage: Usage
  readonly shown: Shown
  readonly stack: 'model' | 'project'
  readonly first: string | undefined
  readonly last: string
  readonly chosen: string | undefined
  readonly onChoose: (key: string) => void
}) {
  const { usage, shown, first, last } = props
  // Until the next answer is here the bars are still those of the last question.
  const unit: Unit = usage.by === 'week' || usage.by === 'month' ? usage.by : 'day'
  const series = useMemo(() => seriesOf(usage.rows, shown), [usage, shown])
  const bars = useMemo(() => barsOf(usage, unit, shown, series, first, last), [usage, unit, shown, series, first, last])
  const names = distinctNames(series.map(({ label }) => label))
  const nameOf = (label: string) => (props.stack === 'project' ? (names.get(label) ?? label) : label)
  const legend = [...series.map(({ label }) => nameOf(label)), ...(hasRest(bars) ? ['all others'] : [])]
  const text = (value: number) => (shown === 'cost' ? moneyText(value) : `${tokensText(value)} tokens`)
  const describe = (index: number) => {
    const { key, amounts } = bars[index] as Bar
    const parts = amounts.flatMap((amount, i) => (amount > 0 ? [`${legend[i]} ${text(amount)}`] : []))
    const all = amounts.reduce((sum, one) => sum + one, 0)
    return `${barTitle(unit, key)}: ${text(all)}${parts.length > 1 ? ` (${parts.join(', ')})` : ''}`
  }
  return (
    <Card title={shown === 'cost' ? 'Cost over time' : 'Tokens over time'}>
      <StackedBars
        label={`${shown === 'cost' ? 'Cost' : 'Tokens'} of ${plural(bars.length, unit)}; the same as a table follows.`}
        bars={bars}
        format={shown === 'cost' ? axisMoneyText : tokensText}
        describe={describe}
        chosen={props.chosen}
        onChoose={props.onChoose}
      />
      <ul aria-label="Legend" className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-sm">
        {legend.map((name, i) => (
          <li key={name} className="flex min-w-0 items-center gap-1.5">
            <span aria-hidden="true" className="size-2.5 shrink-0 rounded-xs" style={{ background: seriesColour(i) }} />
            <Said className="truncate">{name}</Said>
          </li>
        ))}
      </ul>
      <details className="mt-3">
        <summary className="text-sm text-muted">As a table</summary>
        <div className="mt-2">
          <TimeTable usage={usage} unit={unit} onChoose={props.onChoose} />
        </div>
      </details>
    </Card>
  )
}

interface Series {
  readonly key: string
  readonly label: string
}

/** What the bars are made of, the most first. */
function seriesOf(rows: readonly Row[], shown: Shown): readonly Series[] {
  const sums = new Map<string, { readonly label: string; amount: number }>()
  for (const part of rows.flatMap(({ parts }) => parts ?? [])) {
    const known = sums.get(part.key) ?? { label: part.label ?? part.key, amount: 0 }
    known.amount += amountOf(part, shown)
    sums.set(part.key, known)
  }
  return [...sums]
    .map(([key, { label, amount }]) => ({ key, label, amount }))
    .sort((a, b) => b.amount - a.amount)
    .slice(0, MOST_SERIES)
}

function barsOf(
  usage: Usage,
  unit: Unit,
  shown: Shown,
  series: readonly Series[],
  first: string | undefined,
  last: string,
): readonly Bar[] {
  const rows = new Map(usage.rows.map((row) => [row.key, row]))
  const oldest = usage.rows.find(({ key }) => /^\d/.test(key))?.key
  const newest = usage.rows.findLast(({ key }) => /^\d/.test(key))?.key
  const start = first ?? (oldest === undefined ? last : boundsOf(unit, oldest).since)
  const end = first === undefined && newest !== undefined ? boundsOf(unit, newest).until : last
  return barsBetween(unit, start, end).map((key) => {
    const row = rows.get(key)
    const parts = new Map(row?.parts?.map((part) => [part.key, amountOf(part, shown)]))
    const own = series.map((one) => parts.get(one.key) ?? 0)
    const rest = [...parts.values()].reduce((sum, one) => sum + one, 0) - own.reduce((sum, one) => sum + one, 0)
    return { key, name: barName(unit, key), year: yearOf(key), amounts: [...own, Math.max(0, rest)] }
  })
}

function hasRest(bars: readonly Bar[]): boolean {
  return bars.some(({ amounts }) => (amounts.at(-1) ?? 0) > 1e-9)
}

const HEADS = { day: 'Day', week: 'Week', month: 'Month' } as const

function TimeTable(props: { readonly usage: Usage; readonly unit: Unit; readonly onChoose: (key: string) => void }) {
  const { usage, unit } = props
  return (
    <Table
      label="Usage over time"
      file={`usage-by-${unit}`}
      rows={usage.rows.toReversed()}
      keyOf={(row) => row.key}
      columns={[
        {
          name: HEADS[unit],
          value: (row) => row.key,
          cell: (row) => (
            <button type="button" className="text-accent hover:underline" onClick={() => props.onChoose(row.key)}>
              {row.key}
            </button>
          ),
        },
        {
          name: 'Cost',
          isFigure: true,
          value: (row) => row.costUsd,
          cell: (row) => <Money usd={row.costUsd} receipt={receiptOf(unit, row.key)} />,
        },
        { name: 'Responses', isFigure: true, value: (row) => row.responses, cell: (row) => countText(row.responses) },
        {
          name: 'Written',
          isFigure: true,
          isExtra: true,
          value: (row) => row.outputTokens,
          cell: (row) => <Tokens count={row.outputTokens} />,
        },
        {
          name: 'All tokens',
          isFigure: true,
          isExtra: true,
          value: tokensOf,
          cell: (row) => <Tokens count={tokensOf(row)} />,
        },
        {
          name: 'Largest session',
          isExtra: true,
          cell: (row) =>
            row.largest && row.costUsd ? (
              <Said>
                {`${shareText(row.largest.costUsd, row.costUsd)} ${row.largest.title?.split('\n')[0]?.slice(0, 60) ?? ''}`}
              </Said>
            ) : (
              ''
            ),
        },
      ]}
    />
  )
}
