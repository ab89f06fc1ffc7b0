import { nextDay } from '../../../core/usage/day-start.ts'
import { type Column, listOf } from '../../terminal/columns.ts'
import { plural, tokens } from '../../terminal/human.ts'
import { oneLine } from '../../terminal/sanitize.ts'
import { width as widthOf } from '../../terminal/width.ts'
import type { View } from '../../view.ts'
import type { UsageResult } from '../usage.ts'
import { dotted } from './lines.ts'
import { moneyOf } from './money.ts'
import { modelsName } from './names.ts'
import { aboutOf, rowName } from './usage-names.ts'

type Row = UsageResult['rows'][number]

/** The rows as bars with their tokens, cost and models, days on which nothing was used among them; then the sums. */
export function barLines(result: UsageResult, view: View): string[] {
  const { style } = view
  const rows = withEmptyDays(result)
  const money = moneyOf([...rows.map((row) => row.costUsd), result.total.withUnloggedUsd])
  const lines = rows.map((row) => rowLine(result, row, rows, money, view))
  const sums = sumLines(result, money, view)
  const all = [...lines, ...sums]
  const columns = columnsOf(view)
  const { head, rows: made } = listOf(all, columns, view.width)
  // The rule ends where the money does.
  const toCost = listOf(all, columns.slice(0, 1 + columns.findIndex(({ name }) => name === 'cost')), view.width)
  const rule = style.dim('─'.repeat(Math.max(...toCost.rows.map(widthOf))))
  return [style.dim(head), ...made.slice(0, rows.length), rule, ...made.slice(rows.length)]
}

/** The rows as data, with tabs: keys and numbers as they are, no bars, and sums apart. */
export function usageData({ rows, total }: UsageResult): string[] {
  const money = moneyOf([...rows.map((row) => row.costUsd), total.withUnloggedUsd])
  return rows.map((row) => {
    const { key, label, inputTokens, outputTokens, costUsd, models } = row
    const cells = [key, inputTokens, outputTokens, cached(row), money(costUsd), modelsName(models), label ?? '']
    return cells.map((cell) => oneLine(String(cell))).join('\t')
  })
}

/** The sums alone, a line each, for who reads beside the data. */
export function sumWords(result: UsageResult, view: View): string[] {
  const money = moneyOf([result.total.withUnloggedUsd, result.unlogged.costUsd])
  return sumLines(result, money, view).map(({ name, cost, note }) => dotted([`${name} ${cost}`, note]))
}

/** A line of the table; what a cell has nothing to say for is empty. */
interface Line {
  readonly name: string
  readonly bar: string
  readonly used: Pick<
    Row,
    'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWrite5mTokens' | 'cacheWrite1hTokens'
  > | null
  readonly cost: string
  readonly models: readonly string[]
  readonly note: string
}

function columnsOf(view: View): readonly Column<Line>[] {
  const { style } = view
  const amount = (n: number | undefined) => (n === undefined ? '' : tokens(n))
  return [
    { name: '', flex: true, cell: ({ name }) => name },
    { name: '', from: 60, cell: ({ bar }) => style.accent(bar) },
    { name: 'in', from: 76, align: 'right', cell: ({ used }) => style.dim(amount(used?.inputTokens)) },
    { name: 'out', from: 76, align: 'right', cell: ({ used }) => style.dim(amount(used?.outputTokens)) },
    ...cacheColumns(view, amount),
    { name: 'cost', align: 'right', cell: ({ cost }) => cost },
    { name: 'model', from: 100, most: 20, cell: ({ models }) => modelsName(models) },
    { name: '', flex: true, cell: ({ note }) => note },
  ]
}

/** What came from the cache and what went to it differ in price by ten and more: both are told where there is room. */
function cacheColumns({ style, width }: View, amount: (n: number | undefined) => string): readonly Column<Line>[] {
  const column = (name: string, sum: (used: NonNullable<Line['used']>) => number): Column<Line> => ({
    name,
    from: 76,
    align: 'right',
    cell: ({ used }) => style.dim(amount(used ? sum(used) : undefined)),
  })
  if (width < ROOM_FOR_BOTH) return [column('cache', cached)]
  return [column('cache read', (used) => used.cacheReadTokens), column('written', written)]
}

const ROOM_FOR_BOTH = 130

function written(used: NonNullable<Line['used']>): number {
  return used.cacheWrite5mTokens + used.cacheWrite1hTokens
}

function cached(used: NonNullable<Line['used']>): number {
  return used.cacheReadTokens + written(used)
}

function rowLine(
  result: UsageResult,
  row: Row,
  rows: readonly Row[],
  money: (usd: number | null) => string,
  view: View,
): Line {
  const most = rows.reduce((max, one) => Math.max(max, one.costUsd ?? 0), 0)
  const isEmpty = row.responses === 0
  return {
    name: rowName(result.by, row, rows, result, view),
    bar: bar(row.costUsd, most, view.width < 110 ? 12 : 24),
    used: isEmpty ? null : row,
    cost: isEmpty ? view.style.dim('–') : money(row.costUsd),
    models: result.by === 'model' ? [] : row.models,
    note: noteOf(result.by, row, money, view),
  }
}

/** What is logged, what is not, and both; one line where there is nothing beside the logs. */
function sumLines(
  { total, unlogged }: UsageResult,
  money: (usd: number | null) => string,
  { style }: View,
): readonly Line[] {
  const agents = total.costUsd === null ? 0 : total.costUsd - (total.ownCostUsd ?? 0)
  const note = style.dim(agents > 0 ? `agents ${money(agents)}` : '')
  const none = { bar: '', used: null, models: [], note: '' }
  const logged = { ...none, used: total, cost: money(total.costUsd), note }
  if (unlogged.costUsd <= 0) return [{ ...logged, name: 'Total' }]
  return [
    { ...logged, name: 'Logged' },
    {
      ...none,
      name: 'In no log line',
      cost: money(unlogged.costUsd),
      note: style.dim(oneLine(unlogged.reasons.join(', '))),
    },
    { ...none, name: style.strong('Total'), cost: style.strong(money(total.withUnloggedUsd)) },
  ]
}

/** More days than this are not drawn out. */
const MOST_DAYS = 62

/** The days of the period, also those on which nothing was used, up to the last that there is something to say of. */
function withEmptyDays({ by, rows, since, until }: UsageResult): readonly Row[] {
  const [first, last] = [since ?? rows[0]?.key ?? '', until ?? rows.at(-1)?.key ?? '']
  if (by !== 'day' || !DAY.test(first) || !DAY.test(last)) return rows
  const known = new Map(rows.map((row) => [row.key, row]))
  const days: Row[] = []
  for (let day = first; day <= last; day = nextDay(day, 1)) {
    if (days.length >= MOST_DAYS) return rows
    days.push(known.get(day) ?? { ...NOTHING, key: day })
    known.delete(day)
  }
  // What has no time is of no day.
  return [...days, ...known.values()]
}

const DAY = /^\d{4}-\d\d-\d\d$/
const NOTHING: Omit<Row, 'key'> = {
  label: null,
  responses: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  webSearches: 0,
  costUsd: 0,
  ownCostUsd: 0,
  models: [],
  largest: null,
}

function bar(usd: number | null, most: number, longest: number): string {
  if (usd === null || usd <= 0 || most <= 0) return ''
  return '█'.repeat(Math.max(1, Math.round((usd / most) * longest)))
}

/** Beside the money: what the row was about, and what stands out in it. */
function noteOf(by: string, row: Row, money: (usd: number | null) => string, { style, width }: View): string {
  const { costUsd, ownCostUsd, largest } = row
  const share = largest && costUsd ? largest.costUsd / costUsd : 0
  const isTime = by === 'day' || by === 'week' || by === 'month' || by === 'block'
  if (isTime && share >= 0.5 && share < 0.995 && width >= ROOMY) {
    return style.dim(`${Math.round(share * 100)} % in one session`)
  }
  if (by === 'model' || costUsd === null) return style.dim(plural(row.responses, 'response'))
  const agents = by.startsWith('agent') || by === 'total' || isTime ? 0 : costUsd - (ownCostUsd ?? 0)
  const spent = agents > 0 ? `agents ${money(agents)}` : ''
  return dotted([aboutOf(by, row), style.dim(spent)].filter((part) => part !== ''))
}

const ROOMY = 80
