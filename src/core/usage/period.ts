import { Failure } from '../failure.ts'
import { comparable } from '../time.ts'
import { calendarTime } from './local-time.ts'

/** Where a period begins or ends: a day, which begins where the reader's calendar says, or a moment in ISO 8601. */
export interface PeriodBound {
  readonly isDay: boolean
  readonly text: string
}

/** A stretch of time that a person named. A last day belongs to it to its end; a last moment does not. */
export interface Period {
  readonly first: PeriodBound
  readonly last: PeriodBound
}

/** Reads `today`, `yesterday`, `monday`, `week`, `last week`, `7d`, `24h`, `1mo`, `2026-11`, `2026-11-01` or an ISO time. */
export function readPeriod(text: string, now: Date, today = localDay(now)): Period {
  const name = text
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+(?=week|month)/, ' ')
  const period = namedDays(name, today) ?? writtenDays(name) ?? lengthBefore(name, now) ?? moment(text.trim())
  if (period) return period
  throw new Failure('BAD_INPUT', `"${text}" is not a time.`, { hint: PERIOD_HINT })
}

/** The bound that a period gives as `until`: its end, but of a length such as `7d` the moment so long ago. */
export function endOf(text: string, now: Date, today = localDay(now)): PeriodBound {
  const { first, last } = readPeriod(text, now, today)
  return LENGTH.test(text.trim().toLowerCase()) ? first : last
}

/** The day that a text names; `undefined` where it names none. What is written as a day and is none is refused. */
export function dayNamed(text: string, now: Date, today = localDay(now)): string | undefined {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return readPeriod(text, now, today).first.text
  const days = namedDays(text.trim().toLowerCase(), today)
  return days && days.first.text === days.last.text ? days.first.text : undefined
}

/** The day that this machine's clock shows. */
export function localDay(now: Date): string {
  const here = new Date(calendarTime(now.getTime()))
  const [month, day] = [here.getMonth() + 1, here.getDate()].map((n) => String(n).padStart(2, '0'))
  return `${String(here.getFullYear()).padStart(4, '0')}-${month}-${day}`
}

const PERIOD_HINT =
  'Write today, yesterday, monday, week, "last week", 7d, 24h, 1mo, 2026-11, 2026-11-01 or an ISO time.'
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const LENGTH = /^(\d{1,6})(mo|[mhdw])$/
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 }

function namedDays(name: string, today: string): Period | undefined {
  const weekday = WEEKDAYS.indexOf(name)
  const monday = dayAfter(today, -weekdayOf(today))
  if (name === 'today') return days(today, today)
  if (name === 'yesterday') return days(dayAfter(today, -1), dayAfter(today, -1))
  if (weekday !== -1) return oneDay(dayAfter(today, -((weekdayOf(today) - weekday + 7) % 7)))
  if (name === 'week' || name === 'this week') return days(monday, dayAfter(monday, 6))
  if (name === 'last week') return days(dayAfter(monday, -7), dayAfter(monday, -1))
  if (name === 'month' || name === 'this month') return month(today.slice(0, 7))
  if (name === 'last month') return month(dayAfter(`${today.slice(0, 7)}-01`, -1).slice(0, 7))
  return undefined
}

function writtenDays(name: string): Period | undefined {
  if (/^\d{4}-\d\d$/.test(name)) return isDay(`${name}-01`) ? month(name) : undefined
  return /^\d{4}-\d\d-\d\d$/.test(name) && isDay(name) ? oneDay(name) : undefined
}

function lengthBefore(name: string, now: Date): Period | undefined {
  const [, amount, unit = ''] = LENGTH.exec(name) ?? []
  if (amount === undefined) return undefined
  const from = unit === 'mo' ? monthsBefore(now, Number(amount)) : now.getTime() - Number(amount) * (UNITS[unit] ?? 0)
  return { first: momentBound(from), last: momentBound(now.getTime()) }
}

/** The same day some months ago; the last of its month where that has no such day. */
function monthsBefore(now: Date, months: number): number {
  const then = new Date(now)
  then.setMonth(now.getMonth() - months)
  if (then.getDate() !== now.getDate()) then.setDate(0)
  return then.getTime()
}

function moment(text: string): Period | undefined {
  const ms = /^\d{4}-\d\d-\d\dT/i.test(text) && isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? undefined : { first: momentBound(ms), last: momentBound(ms) }
}

function momentBound(ms: number): PeriodBound {
  // Before all that a calendar holds, where it names no moment at all.
  return { isDay: false, text: new Date(comparable(Number.isNaN(ms) ? Number.NEGATIVE_INFINITY : ms)).toISOString() }
}

function month(name: string): Period {
  const [year, number] = name.split('-').map(Number) as [number, number]
  const last = new Date(Date.UTC(2000, number, 0))
  last.setUTCFullYear(year, number, 0)
  return days(`${name}-01`, last.toISOString().slice(0, 10))
}

function oneDay(day: string): Period {
  return days(day, day)
}

function days(first: string, last: string): Period {
  return { first: { isDay: true, text: first }, last: { isDay: true, text: last } }
}

function dayAfter(day: string, count: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + count)
  return date.toISOString().slice(0, 10)
}

/** 0 is Monday. */
function weekdayOf(day: string): number {
  return (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7
}

/** Whether the calendar has such a day: `2026-02-30` is none. */
function isDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === day
}
