import type { Static } from '../../core/schema.ts'
import type { stats } from '../../ops/stats.ts'
import { bytes, count, duration, plural, shortPath, tokens } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate, width as widthOf, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, nothing, spaced } from './parts/lines.ts'
import { fitPath, shortIds } from './parts/names.ts'
import { table } from './parts/table.ts'

type Stats = Static<typeof stats.result>

/** Activity as bars, then tables of tools, models, sessions and files, each with the source of its figures. */
export function formatStats(result: Stats, view: View): readonly string[] {
  const { totals, activity, tools, models, sessions, files, sources } = result
  if (totals.sessions === 0 && totals.prompts + totals.responses + totals.toolCalls === 0) {
    return nothing(
      'Nothing to count.',
      view,
      'Try a wider --since, --project or --here, or another folder with --root.',
    )
  }
  return spaced([
    headLines(result, view),
    activity.days.length > 0 ? [heading('Activity', sources.activity, view), ...dayLines(activity.days, view)] : [],
    activity.hours.some((n) => n > 0) ? clockLines(activity, view) : [],
    tools.length > 0 ? [heading('Tools', sources.tools, view), ...toolLines(tools, totals.tools, view)] : [],
    models.length > 0 ? [heading('Models', sources.models, view), ...modelLines(models, view)] : [],
    sessions.length > 0
      ? [heading('Longest sessions', sources.sessions, view), ...sessionLines(sessions, totals.sessions, view)]
      : [],
    files.length > 0 ? [heading('Files', sources.files, view), ...fileLines(files, totals.files, view)] : [],
    eventLines(result, view),
    clientLines(result, view),
    wrap('How each figure is counted: annals stats --json', view.width).map(view.style.dim),
  ])
}

function headLines({ totals, activity, timeZone }: Stats, view: View): string[] {
  const first = oneLine(activity.days[0]?.date ?? '')
  const last = oneLine(activity.days.at(-1)?.date ?? '')
  const done = [
    plural(totals.prompts, 'prompt'),
    plural(totals.responses, 'response'),
    plural(totals.toolCalls, 'tool call'),
    plural(totals.sessions, 'session'),
    totals.agents === 0 ? '' : plural(totals.agents, 'agent'),
  ]
  const span = dotted([
    first === last ? first : `${first} to ${last}`,
    plural(totals.activeDays, 'active day'),
    oneLine(timeZone),
  ])
  return [...wrap(dotted(done), view.width).map(view.style.title), ...wrap(span, view.width).map(view.style.dim)]
}

/** A title and, where there is room, the first sentence of where the figures come from. */
function heading(title: string, source: string, view: View): string {
  const [sentence = ''] = oneLine(source).split(/(?<=\.) /)
  const isRoomy = widthOf(title) + 2 + widthOf(sentence) <= view.width
  return isRoomy ? `${view.style.title(title)}  ${view.style.dim(sentence)}` : view.style.title(title)
}

const DAY_MS = 86_400_000
const DAYS = 14
const BAR = 24
/** Beside all columns of a day, a terminal of 80 leaves less. */
const SHORT_BAR = 16

/** The last two weeks in which something was done, a line a day, with prompts as bars. */
function dayLines(days: Stats['activity']['days'], view: View): string[] {
  const byTime = new Map(days.map((day) => [Date.parse(`${day.date}T00:00:00Z`), day]))
  const times = [...byTime.keys()].filter((time) => !Number.isNaN(time))
  if (times.length === 0) return []
  const end = times.reduce((a, b) => Math.max(a, b))
  const first = Math.max(
    end - (DAYS - 1) * DAY_MS,
    times.reduce((a, b) => Math.min(a, b)),
  )
  const most = Math.max(1, ...times.filter((time) => time >= first).map((time) => byTime.get(time)?.prompts ?? 0))
  const isTight = view.width >= ROOMY && view.width < ROOMY + BAR - SHORT_BAR
  const rows: string[][] = []
  for (let time = first; time <= end; time += DAY_MS) {
    const day = byTime.get(time)
    const [weekday = '', date = '', month = ''] = new Date(time).toUTCString().split(/,? /)
    const name = `${weekday} ${String(Number(date)).padStart(2)} ${month}`
    rows.push(
      day
        ? [
            name,
            view.style.accent('█'.repeat(barLength(day.prompts, most, isTight ? SHORT_BAR : BAR))),
            plural(day.prompts, 'prompt'),
            view.width < ROOMY ? '' : plural(day.responses, 'response'),
            view.width < ROOMY ? '' : plural(day.toolCalls, 'call'),
            plural(day.sessions, 'session'),
          ]
        : [view.style.dim(name), view.style.dim('·')],
    )
  }
  return table(rows, {
    width: view.width,
    align: [undefined, undefined, 'right', 'right', 'right', 'right'],
    flex: [1],
  })
}

const ROOMY = 80

/** Something is never shown as nothing. */
function barLength(n: number, most: number, longest: number): number {
  return n === 0 ? 0 : Math.max(1, Math.round((n / most) * longest))
}

/** Prompts by hour and weekday as small pictures. */
function clockLines({ hours, weekdays }: Stats['activity'], view: View): string[] {
  const { style, width } = view
  const busiest = hours.indexOf(Math.max(...hours))
  const named = WEEKDAYS.map((name, at) => `${name} ${style.accent(spark(weekdays)[at] ?? ' ')}`)
  return [
    `By hour   ${style.accent(spark(hours))}  ${style.dim(`most from ${busiest} to ${busiest + 1}`)}`,
    style.dim(`          ${'0'.padEnd(6)}${'6'.padEnd(6)}${'12'.padEnd(6)}18`),
    `Weekdays  ${named.join('  ')}`,
  ].map((line) => truncate(line, width))
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const LEVELS = '▁▂▃▄▅▆▇█'

function spark(numbers: readonly number[]): string {
  const most = Math.max(1, ...numbers)
  return numbers.map((n) => LEVELS[n === 0 ? 0 : Math.max(1, Math.round((n / most) * (LEVELS.length - 1)))]).join('')
}

const RIGHT = [undefined, 'right', 'right', 'right', 'right', 'right'] as const

function toolLines(tools: Stats['tools'], total: number, view: View): string[] {
  const rows = tools.map((tool) => [
    oneLine(tool.name),
    count(tool.calls),
    tool.errors === 0 ? '' : view.style.bad(percent(tool.errorRate)),
    tool.medianMs === null ? '' : duration(tool.medianMs),
    tool.p95Ms === null ? '' : duration(tool.p95Ms),
    bytes(tool.resultBytes),
  ])
  const head = ['', 'calls', 'errors', 'median', 'slow (p95)', 'results']
  return [...headed(head, rows, view), ...more(total - tools.length, view)]
}

function percent(part: number): string {
  const value = part * 100
  return value > 0 && value < 0.95 ? '< 1 %' : `${Math.round(value)} %`
}

function modelLines(models: Stats['models'], view: View): string[] {
  const rows = models.map(({ model, responses, outputTokens }) => [
    oneLine(model),
    count(responses),
    tokens(outputTokens),
  ])
  return headed(['', 'responses', 'tokens out'], rows, view)
}

function sessionLines(sessions: Stats['sessions'], total: number, view: View): string[] {
  const short = shortIds(sessions.map(({ id }) => id))
  const rows = sessions.map((session) => [
    view.style.dim(short(session.id)),
    oneLine(session.title ?? '') || view.style.dim('(untitled)'),
    duration(session.durationMs),
    count(session.turns),
    count(session.toolCalls),
  ])
  const head = ['', '', 'span', 'turns', 'calls'].map(view.style.dim)
  const align = [undefined, undefined, 'right', 'right', 'right'] as const
  return [...table([head, ...rows], { width: view.width, align, flex: [1] }), ...more(total - sessions.length, view)]
}

function fileLines(files: Stats['files'], total: number, view: View): string[] {
  const room = Math.max(20, view.width - 38)
  const rows = files.map((file) => [
    fitPath(shortPath(file.path, view.home), room),
    some(file.edits),
    some(file.writes),
    some(file.reads),
    count(file.sessions),
  ])
  return [...headed(['', 'edits', 'writes', 'reads', 'sessions'], rows, view), ...more(total - files.length, view)]
}

function some(n: number): string {
  return n === 0 ? '' : count(n)
}

/** A table with quiet names above its columns; a column in which no row says anything has none. */
function headed(head: readonly string[], rows: readonly (readonly string[])[], view: View): string[] {
  const shown = head.map((name, at) => (rows.some((row) => row[at]) ? view.style.dim(name) : ''))
  return table([shown, ...rows], { width: view.width, align: RIGHT, flex: [0] })
}

function more(n: number, view: View): string[] {
  return n > 0 ? [view.style.dim(`… ${count(n)} more: --limit`)] : []
}

function eventLines({ compactions, interruptions, apiErrors }: Stats, view: View): string[] {
  const { auto, manual, preTokensMedian } = compactions
  const how = [
    auto === 0 ? '' : `${count(auto)} auto`,
    manual === 0 ? '' : `${count(manual)} manual`,
    preTokensMedian === null ? '' : `median ${tokens(preTokensMedian)} tokens`,
  ].filter((part) => part !== '')
  const told = how.length === 0 ? '' : ` (${how.join(', ')})`
  const events = dotted([
    compactions.count === 0 ? '' : `${plural(compactions.count, 'compaction')}${told}`,
    interruptions === 0 ? '' : plural(interruptions, 'interruption'),
    apiErrors === 0 ? '' : plural(apiErrors, 'API error'),
  ])
  return events === '' ? [] : wrap(events, view.width)
}

/** What the client's own `/stats` says, beside ours. */
function clientLines({ clientCache, activity }: Stats, view: View): string[] {
  if (clientCache === null) return []
  const { ours, lastComputedDate } = clientCache
  const seen = new Set(activity.days.map(({ date }) => date))
  const lost = clientCache.days.filter(({ date }) => !seen.has(date))
  const busiest = clientCache.hours.indexOf(Math.max(...clientCache.hours))
  const span = dotted([
    plural(clientCache.days.length, 'day'),
    lost.length === 0 ? '' : `${count(lost.length)} of them in no log (${oneLine(lost[0]?.date ?? '')} …)`,
    clientCache.hours.some((n) => n > 0) ? `most begun at ${String(busiest).padStart(2, '0')}:00` : '',
  ])
  const row = (name: string, counts: Readonly<Record<'sessions' | 'messages' | 'toolCalls', number | null>>) => [
    name,
    ...[counts.sessions, counts.messages, counts.toolCalls].map((n) => (n === null ? '–' : count(n))),
  ]
  const until = lastComputedDate === null ? '' : `, up to ${oneLine(lastComputedDate)}`
  return [
    `${view.style.title('Claude Code’s own count')}${view.style.dim(until)}`,
    ...headed(['', 'sessions', 'messages', 'calls'], [row('/stats', clientCache), row('annals', ours)], view),
    ...(clientCache.days.length > 0 ? [view.style.dim(span)] : []),
  ].map((line) => truncate(line, view.width))
}
