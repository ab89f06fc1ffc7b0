import { Failure } from '../failure.ts'
import { type LocalTime, localClock } from './local-time.ts'
import { endOf, localDay, type PeriodBound, readPeriod } from './period.ts'

/** A time in ISO 8601, empty for none, or in milliseconds, NaN for none. */
export type Moment = string | number

/** Days, weeks and months as they are called in a time zone. */
export interface Calendar {
  readonly timezone: string
  /** `2026-11-15`; empty for a time that is none. */
  readonly day: (moment: Moment) => string
  /** `2026-W46`: weeks begin on Monday, and the first is the one with the year's first Thursday. */
  readonly week: (moment: Moment) => string
  readonly month: (moment: Moment) => string
  /** The hour of the week: `1 14` is Monday at two in the afternoon. */
  readonly hour: (moment: Moment) => string
}

/** The calendar of a time zone; that of this machine where none is named, whose name `localZone` tells when it is asked for. */
export function openCalendar(timezone?: string, localZone: () => string = zoneByIntl): Calendar {
  const clock = openClock(timezone)
  const day = (moment: Moment) => {
    const ms = msOf(moment)
    return Number.isNaN(ms) ? '' : clock(ms).date
  }
  return {
    get timezone() {
      return timezone ?? localZone()
    },
    day,
    week: (moment) => weekOf(day(moment)),
    month: (moment) => day(moment).slice(0, 7),
    hour: (moment) => {
      const ms = msOf(moment)
      if (Number.isNaN(ms)) return ''
      const { weekday, hour } = clock(ms)
      return `${weekday + 1} ${String(hour).padStart(2, '0')}`
    },
  }
}

/** The name of this machine's time zone, for who has no quicker way to it: loading Intl takes as long as a small command. */
export function zoneByIntl(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** The clock of a time zone that a person named. */
export function openClock(timezone: string | undefined): (moment: Moment) => LocalTime {
  try {
    return localClock(timezone)
  } catch {
    const hint = 'Write Europe/Berlin, America/New_York or UTC.'
    throw new Failure('BAD_INPUT', `"${timezone}" is not a time zone.`, { hint })
  }
}

/** The ISO week of a day. */
export function weekOf(day: string): string {
  if (day === '') return ''
  const thursday = new Date(`${mondayOf(day)}T00:00:00Z`)
  thursday.setUTCDate(thursday.getUTCDate() + 3)
  const year = String(thursday.getUTCFullYear()).padStart(4, '0')
  const week = Math.floor((thursday.getTime() - Date.parse(`${year}-01-01`)) / (7 * 86_400_000)) + 1
  return `${year}-W${String(week).padStart(2, '0')}`
}

/** The Monday on or before a day. */
export function mondayOf(day: string): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
  return date.toISOString().slice(0, 10)
}

/** A test for times in a period. Days begin and end where the calendar says; a day named as `until` is included. */
export function inPeriod(
  period: { readonly since?: string | undefined; readonly until?: string | undefined },
  calendar: Calendar,
  now: Date,
): (moment: Moment) => boolean {
  const today = calendar.day(now.getTime())
  const since = startBound(period.since, now, today)
  const until = period.until === undefined ? undefined : endOf(period.until, now, today)
  if (!since && !until) return () => true
  const [from, to] = [Date.parse(since?.text ?? ''), Date.parse(until?.text ?? '')]
  return (moment) => {
    const ms = msOf(moment)
    if (Number.isNaN(ms)) return false
    const day = since?.isDay || until?.isDay ? calendar.day(ms) : ''
    return (
      (since === undefined || (since.isDay ? day >= since.text : ms >= from)) &&
      (until === undefined || (until.isDay ? day <= until.text : ms < to))
    )
  }
}

/** A time before which nothing is in a period, in milliseconds: a day begins up to a day earlier somewhere. */
export function periodStart(since: string | undefined, now: Date): number | undefined {
  const start = startBound(since, now)
  return start && Date.parse(start.text) - (start.isDay ? DAY_MS : 0)
}

const DAY_MS = 86_400_000

function msOf(moment: Moment): number {
  return typeof moment === 'number' ? moment : Date.parse(moment)
}

/** A bound of a period in full: a day stays a day, `week` becomes its first or last one, `7d` the moment it names. */
export function boundText(
  text: string | undefined,
  now: Date,
  { end = false, today = localDay(now) }: { readonly end?: boolean; readonly today?: string } = {},
): string | null {
  if (text === undefined) return null
  return (end ? endOf(text, now, today) : readPeriod(text, now, today).first).text
}

function startBound(text: string | undefined, now: Date, today = localDay(now)): PeriodBound | undefined {
  return text === undefined ? undefined : readPeriod(text, now, today).first
}

/** A day as it is written. */
export const DAY = /^\d{4}-\d\d-\d\d$/

const HOUR_MS = 3_600_000
const BLOCK_MS = 5 * HOUR_MS

/** The five-hour block of each time: one begins at the hour of its first response. Expects times in order. */
export function blocksOf(times: readonly Moment[]): readonly string[] {
  let start = Number.NEGATIVE_INFINITY
  return times.map((moment) => {
    const ms = msOf(moment)
    if (Number.isNaN(ms)) return ''
    if (ms >= start + BLOCK_MS) start = Math.floor(ms / HOUR_MS) * HOUR_MS
    return new Date(start).toISOString()
  })
}
