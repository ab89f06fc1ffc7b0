import type { Static } from '../../core/schema.ts'
import type { receipt } from '../../ops/receipt.ts'
import { count, plural, tokens } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { padEnd, truncate, width as widthOf, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, footer, measure, nextSteps, nothing, spaced } from './parts/lines.ts'
import { moneyOf } from './parts/money.ts'
import { fitPath, placeName, projectName, sessionHeading, shortId } from './parts/names.ts'

type Result = Static<typeof receipt.result>
type Item = Result['items'][number]

/** Every response with what it cost and why, the row that counts, and the rows that do not. */
export function formatReceipt(result: Result, view: View): readonly string[] {
  const { style, width } = view
  const money = moneyOf([...result.items.map((item) => item.costUsd), result.total.costUsd])
  const rows = result.items.reduce((sum, item) => sum + item.rows.length, 0)
  const repeated = rows - result.items.length
  const head = dotted([
    style.title(oneLine(result.title ?? result.key)),
    isOfOne(result) ? nameOf(result) : isOfTime(result) ? oneLine(result.timezone) : '',
    money(result.total.costUsd),
  ])
  const sum = dotted([
    plural(result.items.length, 'response'),
    repeated > 0 ? `${plural(repeated, 'repeated row')} counted once` : '',
  ])
  const isGrouped = !view.input.lines && (isOfTime(result) || isOfOne(result))
  const title = truncate(head, width)
  const none = result.items.length === 0 ? nothing('None of its responses are counted here.', view) : []
  const lines = isGrouped
    ? groupLines(result, money, view)
    : result.items.flatMap((item, at) => [...(at > 0 ? [''] : []), ...itemLines(item, money, view)])
  return spaced([
    [title, ...none],
    lines,
    elsewhere(result, view),
    footer([
      style.dim(truncate(dotted([sum, 'API prices, not your invoice']), width)),
      ...(isGrouped && result.items.length > 0
        ? nextSteps([`annals receipt ${oneLine(nameOf(result))} --lines`], view)
        : []),
    ]),
  ])
}

/** It is of several sessions, which are named then. */
function isOfTime({ kind }: Result): boolean {
  return kind === 'day' || kind === 'period'
}

function isOfOne({ kind }: Result): boolean {
  return kind === 'session' || kind === 'turn'
}

function nameOf(result: Result): string {
  const { kind, key, sessions } = result
  if (kind === 'turn') return `${shortId(key)}:${sessions[0]?.turns[0]?.turn ?? ''}`
  return kind === 'session' ? shortId(key) : key
}

/** Sessions, the dearest first; what was asked in them; and how each model's part came about. */
function groupLines(result: Result, money: (usd: number | null) => string, view: View): string[] {
  const { style } = view
  return spaced(
    result.sessions.map(({ session, title, project, costUsd, turns }) => [
      ...(isOfTime(result)
        ? [
            row(
              sessionHeading(
                style.strong(oneLine(title ?? '') || '(untitled)'),
                [projectName(project), style.dim(shortId(session))],
                measure(view) - money(costUsd).length - 2,
              ),
              money(costUsd),
              view,
            ),
          ]
        : []),
      ...turns.flatMap((turn) => [
        row(
          `  ${style.prompt(`${turn.turn === null ? '–' : oneLine(turn.turn)} ›`)} ${oneLine(turn.asked ?? '')}`,
          money(turn.costUsd),
          view,
        ),
        ...turn.models.flatMap((model) => modelLines(model, money, view)),
      ]),
    ]),
  )
}

type ModelSum = Result['sessions'][number]['turns'][number]['models'][number]

function modelLines(model: ModelSum, money: (usd: number | null) => string, view: View): string[] {
  const { style } = view
  const name = dotted([oneLine(model.model), plural(model.responses, 'response'), money(model.costUsd)])
  return [`      ${name}`, ...wrap(multiplication(model), measure(view), '        ').map(style.dim)].map((line) =>
    truncate(line, view.width),
  )
}

/** `1,200 in × $4 + 340 out × $20 per million tokens` */
function multiplication({ parts, webSearches, factor }: ModelSum): string {
  const told = parts.map(
    ({ name, tokens: n, usdPerMillion: rate }) =>
      `${count(n)} ${kindName(name)}${rate === null ? '' : ` × ${rateText(rate)}`}`,
  )
  const searches = webSearches > 0 ? ` + ${plural(webSearches, 'web search', 'web searches')} × $0.01` : ''
  const isPriced = parts.every(({ usdPerMillion }) => usdPerMillion !== null)
  const sum = `${told.join(' + ') || '0 tokens'} ${isPriced ? 'per million' : '(no price is known)'}`
  return `${factor === 1 ? sum : `${factor} × (${sum})`}${searches}`
}

/** `5 min write` is the name in the data; beside a number it would read as another one. */
function kindName(name: string): string {
  return oneLine(name).replace(/^(5 min|1 h) write$/, 'cache write ($1)')
}

/** `$4`, `$0.20`, `$0.075`. */
function rateText(usdPerMillion: number): string {
  const text = String(Number(usdPerMillion.toFixed(6)))
  return `$${/\.\d$/.test(text) ? `${text}0` : text}`
}

/** A line with its amount at the right. */
function row(text: string, amount: string, view: View): string {
  const width = measure(view)
  if (width === Number.POSITIVE_INFINITY) return `${text}  ${amount}`
  const room = width - widthOf(amount) - 2
  return `${padEnd(truncate(text, room), room)}  ${amount}`
}

function itemLines(item: Item, money: (usd: number | null) => string, view: View): string[] {
  const { style, width } = view
  const marks = [item.abandoned ? 'abandoned branch' : '', item.estimated ? 'counted too low: cut short' : '']
  const head = dotted([
    style.strong(money(item.costUsd)),
    oneLine(item.model),
    clock(item.timestamp),
    item.agent === null ? '' : `agent-${oneLine(item.agent)}`,
    ...marks,
    style.dim(oneLine(item.messageId)),
  ])
  return [
    truncate(head, width),
    ...detail(sumOf(item), view),
    ...detail(priceOf(item), view),
    ...item.rows.map((row) => rowLine(row, view)),
  ]
}

function detail(text: string, { style, width }: View): string[] {
  return [style.dim(truncate(`  ${text}`, width))]
}

/** How the cost came about: `1,200 in × $4 + 340 out × $20`. */
function sumOf(item: Item): string {
  const kinds = [
    ['in', item.inputTokens, item.price?.input],
    ['out', item.outputTokens, item.price?.output],
    ['cache read', item.cacheReadTokens, item.price?.cacheRead],
    ['cache write (5 min)', item.cacheWrite5mTokens, item.price?.cacheWrite5m],
    ['cache write (1 h)', item.cacheWrite1hTokens, item.price?.cacheWrite1h],
  ] as const
  const parts = kinds.flatMap(([name, n, rate]) => {
    return n > 0 ? [`${count(n)} ${name}${rate === undefined ? '' : ` × ${rateText(rate)}`}`] : []
  })
  const searches = item.webSearches > 0 ? ` + ${plural(item.webSearches, 'web search', 'web searches')} × $0.01` : ''
  const factor = item.price && item.price.factor !== 1 ? `${item.price.factor} × (` : ''
  return `${factor}${parts.join(' + ') || `${tokens(0)} tokens`}${factor === '' ? '' : ')'}${searches}`
}

function priceOf({ price }: Item): string {
  if (!price) return 'No price is known for this model: it is not in any total.'
  const rate = price.rate === 'usual' ? '' : `${oneLine(price.rate)} `
  const since = price.from === null ? '' : `, from ${oneLine(price.from)} on`
  return `per million tokens at ${rate}prices of ${oneLine(price.asOf)}: ${oneLine(price.source)}${since}`
}

function rowLine(row: Item['rows'][number], view: View): string {
  const { style, width } = view
  const mark = row.counted ? style.good('✓') : style.dim('·')
  const why = oneLine(row.why)
  const room = width === Number.POSITIVE_INFINITY ? width : Math.max(20, width - why.length - 6)
  const place = placeName(row, view, Number.POSITIVE_INFINITY)
  return truncate(`  ${mark} ${fitPath(place, room)}  ${style.dim(why)}`, width)
}

function elsewhere({ countedElsewhere: copies }: Result, view: View): string[] {
  if (copies.length === 0) return []
  const sessions = [...new Set(copies.map((copy) => shortId(copy.session)))]
  const told = `${plural(copies.length, 'response')} copied from ${sessions.join(', ')}: counted there`
  return [truncate(told, view.width)]
}

function clock(timestamp: string | null): string {
  return oneLine(timestamp ?? '')
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC')
}
