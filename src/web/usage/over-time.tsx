import { useMemo } from 'react'
import { Card } from '../ui/card.tsx'
import { Money, Tokens } from '../ui/figures.tsx'
import { Table } from '../ui/table.tsx'
import { axisMoneyText, countText, moneyText, plural, shareText, tokensText } from '../ui/words.ts'
import { BarChart } from './bar-chart.tsx'
import { barName, barsBetween, barTitle, boundsOf, type Unit } from './periods.ts'
import type { Usage } from './usage-page.tsx'

type Row = Usage['rows'][number]

/** What is shown of each group. */
export type Shown = 'cost' | 'tokens'

/** All tokens of a row, written and read. */
export function tokensOf(
  row: Pick<Row, 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWrite5mTokens' | 'cacheWrite1hTokens'>,
): number {
  return row.inputTokens + row.outputTokens + row.cacheReadTokens + row.cacheWrite5mTokens + row.cacheWrite1hTokens
}

/** Days, weeks or months as bars, and the same as a table. Each leads to its sessions. */
export function OverTime(props: {
  readonly usage: Usage
  readonly unit: Unit
  readonly shown: Shown
  readonly first: string | undefined
  readonly today: string
  readonly chosen: string | undefined
  readonly onChoose: (key: string) => void
}) {
  const { usage, shown, first, today } = props
  // Until the next answer is here the bars are still those of the last question.
  const unit = usage.by === 'week' || usage.by === 'month' ? usage.by : 'day'
  const rows = useMemo(() => new Map(usage.rows.map((row) => [row.key, row])), [usage])
  const keys = useMemo(() => {
    const oldest = usage.rows.find(({ key }) => /^\d/.test(key))?.key
    const start = first ?? (oldest === undefined ? today : boundsOf(unit, oldest).since)
    const newest = usage.rows.findLast(({ key }) => /^\d/.test(key))?.key
    const end = first === undefined && newest !== undefined ? boundsOf(unit, newest).until : today
    return barsBetween(unit, start, end)
  }, [usage, unit, first, today])
  const amountOf = (row: Row | undefined) =>
    row === undefined ? 0 : shown === 'cost' ? (row.costUsd ?? 0) : tokensOf(row)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the values follow from these
  const values = useMemo(() => keys.map((key) => amountOf(rows.get(key))), [keys, rows, shown])
  const names = useMemo(() => keys.map((key) => barName(unit, key)), [keys, unit])
  const format = shown === 'cost' ? axisMoneyText : tokensText
  const describe = (index: number) => {
    const key = keys[index] as string
    const value = values[index] as number
    return `${barTitle(unit, key)}: ${shown === 'cost' ? moneyText(value) : `${tokensText(value)} tokens`}`
  }
  return (
    <Card title={shown === 'cost' ? 'Cost over time' : 'Tokens over time'}>
      <BarChart
        label={`${shown === 'cost' ? 'Cost' : 'Tokens'} of ${plural(keys.length, unit)}; the same as a table follows.`}
        names={names}
        values={values}
        format={format}
        describe={describe}
        chosen={props.chosen === undefined ? -1 : keys.indexOf(props.chosen)}
        onChoose={(index) => props.onChoose(keys[index] as string)}
      />
      <details className="mt-2">
        <summary className="text-sm text-muted">As a table</summary>
        <div className="mt-2 max-h-96 overflow-y-auto">
          <Table
            label="Usage over time"
            rows={usage.rows.toReversed()}
            keyOf={(row) => row.key}
            columns={[
              {
                name: unit === 'day' ? 'Day' : unit === 'week' ? 'Week' : 'Month',
                cell: (row) => (
                  <button type="button" className="text-accent hover:underline" onClick={() => props.onChoose(row.key)}>
                    {row.key}
                  </button>
                ),
              },
              { name: 'Cost', isFigure: true, cell: (row) => <Money usd={row.costUsd} /> },
              { name: 'Responses', isFigure: true, cell: (row) => countText(row.responses) },
              { name: 'Written', isFigure: true, isExtra: true, cell: (row) => <Tokens count={row.outputTokens} /> },
              { name: 'All tokens', isFigure: true, isExtra: true, cell: (row) => <Tokens count={tokensOf(row)} /> },
              {
                name: 'Largest session',
                isExtra: true,
                cell: (row) =>
                  row.largest && row.costUsd
                    ? `${shareText(row.largest.costUsd, row.costUsd)} ${row.largest.title?.split('\n')[0]?.slice(0, 60) ?? ''}`
                    : '',
              },
            ]}
          />
        </div>
      </details>
    </Card>
  )
}
