import { forksUnderOriginals, type ListedFork } from '../../../core/tree/fork-order.ts'
import type { SessionItem } from '../../../history/view/session-item.ts'
import { type Column, listOf } from '../../terminal/columns.ts'
import { calendarDay, clockTime, dayAndTime, dayHeading, shortDay } from '../../terminal/day.ts'
import { count, shortDuration } from '../../terminal/human.ts'
import { oneLine } from '../../terminal/sanitize.ts'
import type { View } from '../../view.ts'
import { dotted } from './lines.ts'
import {
  cost,
  expiry,
  forkMark,
  inheritance,
  isExpiring,
  modelsName,
  moment,
  projectName,
  shortId,
  shortIds,
} from './names.ts'

/** How a list of sessions is put together. */
export interface SessionListOptions {
  /** Under the days of their last rows; else each row says its day. */
  readonly byDay: boolean
}

/**
 * Sessions as a table under a heading: which, what it was about, where, when, how long, how much, what it cost, with what. Forks stand
 * under their originals. Where nobody looks on there are rows alone.
 */
export function sessionLines(items: readonly SessionItem[], view: View, { byDay }: SessionListOptions): string[] {
  const isPiped = view.width === Number.POSITIVE_INFINITY
  const order = byDay
    ? forksUnderOriginals(items)
    : items.map((session) => ({ session, depth: 0, first: session }) satisfies ListedFork<SessionItem>)
  const { head, rows } = listOf(order, columnsOf(items, view, byDay && !isPiped), view.width)
  if (isPiped) return [...rows]
  const lines: string[] = [view.style.dim(head)]
  let day: number | undefined
  order.forEach(({ first }, at) => {
    const own = byDay ? dayOf(first, view) : day
    if (byDay && (own !== day || at === 0)) {
      lines.push(view.style.strong(own === undefined ? 'No time' : dayHeading(own, today(view))))
    }
    day = own
    lines.push(rows[at] as string)
  })
  return lines
}

/** What the marks in a list of sessions mean, as far as they are in it. */
export function markLegend(items: readonly SessionItem[], view: View): string {
  const marks = new Set<string>([...new Set(items.map((item) => marksOf(item, view)))].join(''))
  return LEGEND.filter(([mark]) => marks.has(mark))
    .map(([mark, words]) => `${mark} ${words}`)
    .join('   ')
}

/** A session's title, or what kind of log it is where it has none. */
export function sessionTitle(item: SessionItem, view: View): string {
  const title = oneLine(item.title ?? '')
  if (title !== '') return title
  return view.style.dim(item.kind === 'conversation' ? '(untitled)' : `(${oneLine(item.kind).replace('-', ' ')})`)
}

type Line = ListedFork<SessionItem>

function columnsOf(items: readonly SessionItem[], view: View, isGrouped: boolean): readonly Column<Line>[] {
  const { style } = view
  const short = shortIds(items.map((item) => item.id))
  return [
    { name: 'id', cell: ({ session }) => style.dim(short(session.id)) },
    { name: '', cell: ({ session }) => painted(marksOf(session, view), view) },
    { name: 'title', flex: true, cell: ({ session, depth }) => titleCell(session, depth, view) },
    {
      name: 'project',
      from: 60,
      most: view.width < 130 ? 14 : 24,
      cell: ({ session }) => projectName(session.project),
    },
    { name: 'branch', from: 130, most: 20, cell: ({ session }) => style.dim(oneLine(session.gitBranch ?? '')) },
    { name: 'time', align: 'right', cell: (line) => timeOf(line, view, isGrouped) },
    {
      name: 'active',
      from: 76,
      align: 'right',
      cell: ({ session: { activeMs } }) => (activeMs ? shortDuration(activeMs) : ''),
    },
    { name: 'turns', from: 80, align: 'right', cell: ({ session }) => turnsOf(session) },
    { name: 'agents', from: 100, align: 'right', cell: ({ session }) => agentsOf(session, view) },
    { name: 'cost', from: 50, align: 'right', cell: ({ session }) => cost(session.costUsd) },
    { name: 'model', from: 112, most: 20, cell: ({ session }) => modelsName(session.models) },
    { name: '', from: 150, most: 48, cell: ({ session }) => noteOf(session, view) },
  ]
}

const LEGEND = [
  ['●', 'running'],
  ['!', 'expires within 7 days'],
  ['⑂', 'fork'],
  ['★', 'starred'],
] as const

/** The one thing that matters most about a session, and its star. */
function marksOf(item: SessionItem, view: View): string {
  return `${stateMark(item, view)}${item.starred ? '★' : ''}`
}

function stateMark(item: SessionItem, view: View): string {
  if (item.status === 'live') return '●'
  if (!item.kept && isExpiring(item.expiresAt, view)) return '!'
  return item.forkedFrom === null ? '' : '⑂'
}

function painted(marks: string, { style }: View): string {
  if (!style.colour) return marks
  const paint: Readonly<Record<string, (text: string) => string>> = {
    '●': style.good,
    '!': style.warn,
    '★': style.warn,
  }
  return [...marks].map((mark) => (paint[mark] ?? style.dim)(mark)).join('')
}

/** The title with its tags before it, where they are not cut off; where it is data, these stand in the last column. */
function titleCell(session: SessionItem, depth: number, view: View): string {
  const tags = view.width === Number.POSITIVE_INFINITY ? '' : tagsOf(session)
  return `${forkMark(depth)}${tags && `${view.style.accent(tags)} `}${sessionTitle(session, view)}`
}

function tagsOf({ tags }: SessionItem): string {
  return tags.map((tag) => `#${oneLine(tag)}`).join(' ')
}

/** The time of day under the heading of a day; a day where the row stands under another one, or under none. */
function timeOf({ session, first }: Line, view: View, isGrouped: boolean): string {
  if (view.width === Number.POSITIVE_INFINITY) return dayAndTime(session.updatedAt, view.timeZone)
  const day = dayOf(session, view)
  if (day === undefined) return ''
  if (view.width === Number.POSITIVE_INFINITY) return moment(session.updatedAt, view)
  const time = clockTime(session.updatedAt, view.timeZone)
  if (!isGrouped) return day === today(view) ? time : shortDay(day, today(view))
  return day === dayOf(first, view) ? time : shortDay(day, today(view))
}

function turnsOf({ counts, kind, file }: SessionItem): string {
  if (counts) return count(counts.turns)
  return kind === 'gone' && file === null ? 'gone' : ''
}

function agentsOf({ agents }: SessionItem, { style }: View): string {
  return agents && agents.length > 0 ? `${style.accent('◆')} ${count(agents.length)}` : ''
}

function noteOf(item: SessionItem, view: View): string {
  const isDue = !item.kept && item.status !== 'live' && isExpiring(item.expiresAt, view)
  const unreadable = item.unreadable === null ? '' : view.style.warn(`cannot be read now: ${oneLine(item.unreadable)}`)
  const warning = isDue ? view.style.warn(expiry(item.expiresAt, view)?.text ?? '') : item.kept ? 'kept' : ''
  const origin = item.forkedFrom === null ? '' : `fork of ${shortId(item.forkedFrom)}`
  const tags = view.width === Number.POSITIVE_INFINITY ? tagsOf(item) : ''
  return dotted([unreadable, warning, origin, inheritance(item.inherited), tags, oneLine(item.note ?? '')])
}

function dayOf({ updatedAt }: SessionItem, { timeZone }: View): number | undefined {
  const ms = Date.parse(updatedAt ?? '')
  return Number.isNaN(ms) ? undefined : calendarDay(ms, timeZone)
}

function today({ now, timeZone }: View): number {
  return calendarDay(now.getTime(), timeZone)
}
