import type { Static } from '../../core/schema.ts'
import type { usage } from '../../ops/usage.ts'
import { bytes, plural, tokens } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate, width as widthOf } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, nextSteps, nothing, spaced } from './parts/lines.ts'
import { moneyOf } from './parts/money.ts'
import { table } from './parts/table.ts'
import { csvLines } from './parts/usage-csv.ts'
import { aboutOf, askName, rowName } from './parts/usage-names.ts'
import { reconcileLines } from './parts/usage-reconcile.ts'

export type UsageResult = Static<typeof usage.result>

/** What was used, as bars; below it what no line shows, the total, and the way to the receipt. */
export function formatUsage(result: UsageResult, view: View): readonly string[] {
  if (view.input.csv) return csvLines(result)
  const { style, width } = view
  const header = dotted([style.title(periodName(result, view)), oneLine(result.timezone), NOT_AN_INVOICE])
  if (result.rows.length === 0) {
    const hint = 'Widen --since, or see all there is with `annals usage --by month`.'
    const missing = unread(result).map((line) => style.warn(truncate(line, width)))
    return [
      truncate(header, width),
      '',
      ...nothing('Nothing was used.', view, hint),
      ...missing,
      ...beside(result, view),
    ]
  }
  return [truncate(header, width), '', ...spaced([bars(result, view), footer(result, view), beside(result, view)])]
}

/** The same again, in the place of what the terminal shows; below it where nobody looks on. */
export function formatUsageAnew(result: UsageResult, view: View): readonly string[] {
  const lines = formatUsage(result, view)
  if (view.input.csv || lines.length === 0) return lines
  return view.width === Number.POSITIVE_INFINITY ? ['', ...lines] : [`${CLEAR}${lines[0]}`, ...lines.slice(1)]
}

/** To the upper left, and nothing on the screen. */
const CLEAR = '\u001b[H\u001b[2J'

const NOT_AN_INVOICE = 'API prices, not your invoice'
const BAR = 24

function periodName({ since, until }: UsageResult, { input }: View): string {
  if (input.by === undefined && input.since === undefined && input.until === undefined) return 'This week'
  const from = since === null ? '' : `Since ${said(input.since, since)}`
  const to = until === null ? '' : `${since === null ? 'Until' : 'until'} ${said(input.until, until)}`
  return oneLine(`${from} ${to}`).trim() || 'All time'
}

/** A moment as it was asked for, where that is known. */
function said(asked: unknown, moment: string): string {
  if (typeof asked !== 'string') return moment
  return /^\d+[mhdw]$/.test(asked) ? `${asked} ago` : asked
}

function bars(result: UsageResult, view: View): string[] {
  const { rows, total, unlogged } = result
  const { style, width } = view
  const money = moneyOf([...rows.map((row) => row.costUsd), total.withUnloggedUsd])
  const most = rows.reduce((max, row) => Math.max(max, row.costUsd ?? 0), 0)
  const longest = Math.max(4, Math.min(BAR, Math.floor(width / 4)))
  const lines = rows.map((row) => [
    rowName(result.by, row, rows, result, view),
    style.accent(bar(row.costUsd, most, longest)),
    money(row.costUsd),
    noteOf(result.by, row, money, view),
  ])
  const agents = total.costUsd === null ? 0 : total.costUsd - (total.ownCostUsd ?? 0)
  const sums = [
    ['Logged', '', money(total.costUsd), style.dim(agents > 0 ? `agents ${money(agents).replace(/ /g, '')}` : '')],
    ['In no log line', '', money(unlogged.costUsd), style.dim(oneLine(unlogged.reasons.join(', ')))],
    [style.strong('Total'), '', style.strong(money(total.withUnloggedUsd)), ''],
  ]
  const shown = unlogged.costUsd > 0 ? sums : [['Total', '', money(total.costUsd), sums[0]?.[3] ?? '']]
  const layout = { width, align: [undefined, undefined, 'right'], flex: [0, 3] } as const
  const made = table([...lines, ...shown], layout)
  // The rule ends where the money does.
  const [row = ''] = table(
    [...shown, ...lines].map((cells) => cells.slice(0, 3)),
    layout,
  )
  return [...made.slice(0, rows.length), style.dim('─'.repeat(widthOf(row))), ...made.slice(rows.length)]
}

function bar(usd: number | null, most: number, longest: number): string {
  if (usd === null || usd <= 0 || most <= 0) return ''
  return '█'.repeat(Math.max(1, Math.round((usd / most) * longest)))
}

type Row = UsageResult['rows'][number]

/** Beside the money: what the row was about, and what stands out in it. */
function noteOf(by: string, row: Row, money: (usd: number | null) => string, { style }: View): string {
  const { costUsd, ownCostUsd, largest } = row
  const share = largest && costUsd ? largest.costUsd / costUsd : 0
  const isTime = by === 'day' || by === 'week' || by === 'month' || by === 'block'
  if (isTime && share >= 0.5 && share < 0.995) return style.dim(`${Math.round(share * 100)} % in one session`)
  if (by === 'model' || costUsd === null) {
    return style.dim(`${tokens(row.outputTokens)} out · ${plural(row.responses, 'response')}`)
  }
  const agents = by.startsWith('agent') || by === 'total' || isTime ? 0 : costUsd - (ownCostUsd ?? 0)
  const spent = agents > 0 ? `agents ${money(agents).replace(/ /g, '')}` : ''
  return dotted([aboutOf(by, row), style.dim(spent)].filter((part) => part !== ''))
}

function footer(result: UsageResult, view: View): string[] {
  const { total, coverage, rows, by } = result
  const { style, width } = view
  const { duplicateRows, placeholderResponses: placeholders, unpricedModels: unpriced } = coverage
  const { abandoned } = total
  const repeated = duplicateRows > 0 ? `${plural(duplicateRows, 'repeated row')} counted once` : ''
  const lost = abandoned.costUsd === null ? '' : `, ${moneyOf([abandoned.costUsd])(abandoned.costUsd)}`
  const lines = [
    dotted([plural(total.responses, 'response'), repeated]),
    abandoned.responses > 0 ? `${plural(abandoned.responses, 'response')} on abandoned branches${lost}` : '',
    placeholders > 0
      ? `${plural(placeholders, 'response')} known only by ${placeholders === 1 ? 'its' : 'their'} first tokens: counted too low`
      : '',
  ]
  const warning =
    unpriced.length > 0 ? [`no price is known for ${unpriced.map(oneLine).join(', ')}: not in any sum`] : []
  const asked = askName(by, rows)
  return [
    ...lines.filter((line) => line !== '').map((line) => style.dim(truncate(line, width))),
    ...[...warning, ...unread(result)].map((line) => style.warn(truncate(line, width))),
    ...nextSteps(asked ? [`why ${asked.name}?`, `annals receipt ${asked.key}`] : [], view),
  ]
}

function unread({ complete, behindBytes }: UsageResult): readonly string[] {
  return complete ? [] : [`${bytes(behindBytes)} of logs could not be read: not in any sum`]
}

function beside({ reconcile }: UsageResult, view: View): readonly string[] {
  return reconcile ? reconcileLines(reconcile, view) : []
}
