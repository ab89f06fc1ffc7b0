import { addDays, mondayOf, mondayOfWeek, weekOf } from '../days.ts'

/** What bars stand for. */
export type Unit = 'day' | 'week' | 'month'

/** The first and the last day of a bar. */
export function boundsOf(unit: Unit, key: string): { readonly since: string; readonly until: string } {
  if (unit === 'day') return { since: key, until: key }
  if (unit === 'week') {
    const monday = mondayOfWeek(key)
    return { since: monday, until: addDays(monday, 6) }
  }
  const [year, month] = key.split('-').map(Number) as [number, number]
  const last = new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10)
  return { since: `${key}-01`, until: last }
}

/** What the receipt of a bar is called. */
export function receiptOf(unit: Unit, key: string): string {
  const { since, until } = boundsOf(unit, key)
  return since === until ? since : `${since}..${until}`
}

/** All bars between two days: those on which nothing was done too. */
export function barsBetween(unit: Unit, first: string, last: string): readonly string[] {
  const keys: string[] = []
  const step = unit === 'day' ? 1 : unit === 'week' ? 7 : 1
  let day = unit === 'week' ? mondayOf(first) : first
  while (day <= last && keys.length < MAX_DAYS) {
    const key = keyOf(unit, day)
    if (key !== keys.at(-1)) keys.push(key)
    day = addDays(day, step)
  }
  return keys
}

const MAX_DAYS = 3000

function keyOf(unit: Unit, day: string): string {
  return unit === 'day' ? day : unit === 'week' ? weekOf(day) : day.slice(0, 7)
}

/** The year that a bar belongs to. */
export function yearOf(key: string): string {
  return key.slice(0, 4)
}

/** As many days as a time has, just before it. */
export function periodBefore(since: string, until: string): { readonly since: string; readonly until: string } {
  const days = Math.round((Date.parse(until) - Date.parse(since)) / 86_400_000) + 1
  return { since: addDays(since, -days), until: addDays(since, -1) }
}

/** What a person calls a bar: "Nov 11", "W46", "Nov 2026". */
export function barName(unit: Unit, key: string): string {
  if (unit === 'week') return key.slice(5)
  const date = new Date(`${unit === 'month' ? `${key}-01` : key}T00:00:00Z`)
  if (Number.isNaN(date.getTime())) return key
  return (unit === 'day' ? DAY : MONTH).format(date)
}

/** The same in full: "Wed, Nov 11, 2026", "week of Nov 9, 2026", "November 2026". */
export function barTitle(unit: Unit, key: string): string {
  if (unit === 'week') return `week of ${WHOLE_DAY.format(new Date(`${mondayOfWeek(key)}T00:00:00Z`))}`
  const date = new Date(`${unit === 'month' ? `${key}-01` : key}T00:00:00Z`)
  if (Number.isNaN(date.getTime())) return key
  return (unit === 'day' ? WEEKDAY : WHOLE_MONTH).format(date)
}

const DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const MONTH = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' })
const WHOLE_MONTH = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const WHOLE_DAY = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', year: 'numeric', timeZone: 'UTC' })
const WEEKDAY = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  month: 'short',
  day: 'numeric',
  year: 'numeric',
  timeZone: 'UTC',
})
