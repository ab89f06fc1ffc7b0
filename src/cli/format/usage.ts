import type { Static } from '../../core/schema.ts'
import type { usage } from '../../ops/usage.ts'
import { bytes, plural } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, footer, nextSteps, nothing, spaced } from './parts/lines.ts'
import { moneyOf } from './parts/money.ts'
import { barLines, sumWords, usageData } from './parts/usage-bars.ts'
import { csvLines } from './parts/usage-csv.ts'
import { askName } from './parts/usage-names.ts'
import { reconcileLines } from './parts/usage-reconcile.ts'

export type UsageResult = Static<typeof usage.result>

/** What was used, as bars; below it what no line shows, the total, and the way to the receipt. */
export function formatUsage(result: UsageResult, view: View): readonly string[] {
  if (view.input.csv) return csvLines(result)
  const { style, width } = view
  const title = dotted([style.title(periodName(result, view)), oneLine(result.timezone), NOT_AN_INVOICE])
  const head = [truncate(title, width), ...latestLines(result, view), ...warnLines(result, view)]
  if (result.rows.length === 0) {
    const hint = 'Try a wider --since, or `annals usage --by month --all` for everything.'
    const missing = unread(result).map((line) => style.warn(truncate(line, width)))
    return spaced([head, nothing('No usage.', view, hint), missing, beside(result, view)])
  }
  if (width === Number.POSITIVE_INFINITY) {
    const about = footer([...head, ...sumWords(result, view), ...summary(result, view)])
    return spaced([usageData(result), beside(result, view), about])
  }
  return spaced([head, barLines(result, view), footer(summary(result, view)), beside(result, view)])
}

/** The same again, in the place of what the terminal shows; below it where there is no terminal. */
export function formatUsageAnew(result: UsageResult, view: View): readonly string[] {
  const lines = formatUsage(result, view)
  if (view.input.csv || lines.length === 0) return lines
  return view.width === Number.POSITIVE_INFINITY ? ['', ...lines] : [`${CLEAR}${lines[0]}`, ...lines.slice(1)]
}

/** To the upper left, and nothing on the screen. */
const CLEAR = '\u001b[H\u001b[2J'

const NOT_AN_INVOICE = 'API prices, not your invoice'

function periodName({ since, until, isLatest }: UsageResult, { input }: View): string {
  if (isLatest) return oneLine(`${since ?? ''} to ${until ?? ''}`)
  if (input.since === undefined && input.until === undefined && since !== null && until !== null) return 'Last 7 days'
  const from = since === null ? '' : `Since ${said(input.since, since)}`
  const to = until === null ? '' : `${since === null ? 'Until' : 'until'} ${said(input.until, until)}`
  return oneLine(`${from} ${to}`).trim() || 'All time'
}

/** A moment as it was asked for, where that is known. */
function said(asked: unknown, moment: string): string {
  if (typeof asked !== 'string') return moment
  return /^\d+(?:mo|[mhdw])$/.test(asked) ? `${asked} ago` : asked
}

/** So that old days are not taken for the last ones. */
function latestLines({ isLatest }: UsageResult, { style, width }: View): string[] {
  return isLatest
    ? wrap('No usage in the last 7 days: these are the last days that have some.', width).map(style.warn)
    : []
}

function warnLines({ warn }: UsageResult, { style, width }: View): string[] {
  if (!warn) return []
  const spent = warn.spentUsd === null ? 'an unknown amount' : `$${warn.spentUsd.toFixed(2)}`
  const words = `${spent} ${warn.per === 'day' ? 'today' : `this ${warn.per}`}: ${warn.isOver ? 'more than' : 'within'} $${warn.limitUsd}`
  return [truncate(warn.isOver ? style.bad(`! ${words}`) : style.good(`✓ ${words}`), width)]
}

function summary(result: UsageResult, view: View): string[] {
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
    unpriced.length > 0 ? [`no price is known for ${unpriced.map(oneLine).join(', ')}: not in any total`] : []
  const asked = askName(by, rows)
  return [
    ...lines.filter((line) => line !== '').map((line) => style.dim(truncate(line, width))),
    ...[...warning, ...unread(result)].map((line) => style.warn(truncate(line, width))),
    ...nextSteps(asked ? [`why ${asked.name}?`, `annals receipt ${asked.key}`] : [], view),
  ]
}

function unread({ complete, behindBytes }: UsageResult): readonly string[] {
  return complete ? [] : [`${bytes(behindBytes)} of logs could not be read: not in any total`]
}

function beside({ reconcile }: UsageResult, view: View): readonly string[] {
  return reconcile ? reconcileLines(reconcile, view) : []
}
