import type { Static } from '../../core/schema.ts'
import type { search } from '../../ops/search.ts'
import { calendarDay, clockTime, shortDay } from '../terminal/day.ts'
import { bytes, count, duration, plural } from '../terminal/human.ts'
import { oneLine, plain } from '../terminal/sanitize.ts'
import { padEnd, truncate, width as widthOf, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, footer, indent, measure, nextSteps, nothing, spaced } from './parts/lines.ts'
import { projectName, sessionHeading, shortIds } from './parts/names.ts'

type Result = Static<typeof search.result>
type Hit = Result['hits'][number]

/** What was found, by session: in which turn, who said it, when, and the words in their place; each with the point that leads there. */
export function formatSearch(result: Result, view: View): readonly string[] {
  const behind =
    result.behindBytes === 0
      ? ''
      : `${bytes(result.behindBytes)} of logs are not indexed yet; they were searched directly.`
  if (result.hits.length === 0) {
    return nothing('Nothing was found.', view, behind || 'Try fewer words; word* also finds its endings.')
  }
  const { style, width } = view
  const short = shortIds(result.hits.map((hit) => hit.session))
  const counts = new Map(result.groups.map(({ session, count }) => [session, count]))
  const groups = bySession(result.hits).map((hits) => groupLines(hits, { short, counts, view }))
  const total = `${result.moreHits ? 'more than ' : ''}${plural(result.total, 'hit')}`
  const shown = result.hits.length < result.total ? `${count(result.hits.length)} of ${total} shown` : total
  // What a fork copied counts in both sessions, and once in all.
  const hasCopies = !result.moreHits && result.groups.reduce((sum, group) => sum + group.count, 0) > result.total
  const copies = hasCopies ? ', copies in forks counted once' : ''
  const where = result.groups.length === 0 ? '' : `in ${plural(result.sessions, 'session')}${copies}`
  const [first] = result.hits as [Hit]
  return spaced([
    ...groups,
    footer([
      style.dim(truncate(dotted([shown, where, duration(result.tookMs)]), width)),
      ...(behind ? [style.warn(truncate(behind, width))] : []),
      ...nextSteps([`annals show ${pointText(first, short)}`, `annals resume ${short(first.session)}`], view),
    ]),
  ])
}

interface Shown {
  readonly short: (id: string) => string
  readonly counts: ReadonlyMap<string, number>
  readonly view: View
}

/** Sessions in the order of their first hit. */
function bySession(hits: readonly Hit[]): readonly (readonly Hit[])[] {
  const groups = new Map<string, Hit[]>()
  for (const hit of hits) {
    const group = groups.get(hit.session)
    if (group) group.push(hit)
    else groups.set(hit.session, [hit])
  }
  return [...groups.values()]
}

function groupLines(hits: readonly Hit[], { short, counts, view }: Shown): readonly string[] {
  const { style, width } = view
  const first = hits[0] as Hit
  const title = style.title(oneLine(first.title ?? '') || '(untitled)')
  const more = (counts.get(first.session) ?? 0) - hits.length
  return [
    sessionHeading(title, [projectName(first.project), style.dim(short(first.session))], width),
    ...hits.flatMap((hit) => hitLines(hit, short, view)),
    ...(more > 0 ? [style.dim(truncate(`  +${count(more)} more here: --session ${short(first.session)}`, width))] : []),
  ]
}

function hitLines(hit: Hit, short: (id: string) => string, view: View): readonly string[] {
  const { style } = view
  const label = dotted([
    style.dim(pointText(hit, short)),
    hit.turn === null ? '' : `turn ${hit.turn}`,
    `${hit.agent === null ? '' : `agent ${oneLine(hit.agent.slice(0, 8))}, `}${oneLine(hit.who ?? hit.kind)}`,
  ])
  const time = style.dim(timeText(hit.timestamp, view))
  const text =
    hit.snippet === null
      ? style.dim('(its log is gone, or cannot be read now)')
      : marked(hit.snippet, hit.matches, view)
  return [
    withEnd(`  ${label}`, time, measure(view)),
    ...(hit.before ?? []).map((one) => neighbourLine(one, view)),
    ...indent(wrap(text, measure(view) - 4), 4),
    ...(hit.after ?? []).map((one) => neighbourLine(one, view)),
  ]
}

/** A line whose end stands at the right; where there is no room for both, the line gives way. */
function withEnd(line: string, end: string, width: number): string {
  if (end === '') return truncate(line, width)
  if (width === Number.POSITIVE_INFINITY) return `${line}  ${end}`
  const room = width - widthOf(end) - 2
  return `${padEnd(truncate(line, room), room)}  ${end}`
}

/** A point as short as its session is called here. */
function pointText({ point, session }: Hit, short: (id: string) => string): string {
  return oneLine(point.startsWith(`${session}:`) ? `${short(session)}${point.slice(session.length)}` : point)
}

/** `14:05` today, else the day before it. */
function timeText(iso: string | null, { now, timeZone }: View): string {
  const ms = Date.parse(iso ?? '')
  if (Number.isNaN(ms)) return ''
  const [day, today] = [calendarDay(ms, timeZone), calendarDay(now.getTime(), timeZone)]
  return `${day === today ? '' : `${shortDay(day, today)} `}${clockTime(iso, timeZone)}`
}

/** What stands beside a hit, in one line. */
function neighbourLine({ role, text }: NonNullable<Hit['before']>[number], view: View): string {
  return view.style.dim(truncate(`    ${oneLine(role === 'assistant' ? 'Claude' : role)}: ${flat(text)}`, view.width))
}

/** The snippet with its matches in another colour; each piece is made plain by itself, so that offsets stay true. */
function marked(snippet: string, matches: Hit['matches'], view: View): string {
  let at = 0
  let text = ''
  for (const [from, to] of matches) {
    if (from < at) continue
    const match = flat(snippet.slice(from, to))
    text += flat(snippet.slice(at, from)) + view.style.match(`«${match}»`)
    at = to
  }
  return text + flat(snippet.slice(at))
}

function flat(text: string): string {
  return plain(text).replace(/\s+/g, ' ')
}
