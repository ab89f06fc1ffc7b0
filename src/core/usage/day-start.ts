import type { Calendar } from './calendar.ts'

/** The moment at which a day begins in a calendar, in milliseconds: clocks everywhere are whole quarters of an hour apart. */
export function dayStart(day: string, calendar: Calendar): number {
  const utc = Date.parse(`${day}T00:00:00Z`)
  let [before, from] = [utc - MOST_MS, utc + MOST_MS]
  while (from - before > QUARTER_MS) {
    const middle = before + Math.floor((from - before) / QUARTER_MS / 2) * QUARTER_MS
    if (calendar.day(middle) < day) before = middle
    else from = middle
  }
  return from
}

/** The moment at which the day after it begins. */
export function dayEnd(day: string, calendar: Calendar): number {
  return dayStart(nextDay(day, 1), calendar)
}

/** The day so many days later, or earlier. */
export function nextDay(day: string, count: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + count)
  // Days are compared as text, with four digits a year: before the first and behind the last there is none.
  const isDay = date.getUTCFullYear() >= 0 && date.getUTCFullYear() <= 9999
  return isDay ? date.toISOString().slice(0, 10) : day
}

const QUARTER_MS = 15 * 60_000
/** No clock is further from UTC. */
const MOST_MS = 24 * 3_600_000
