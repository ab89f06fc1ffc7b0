import { calendarDay, shortDay, written } from './day.ts'
import { plain } from './sanitize.ts'

export { duration } from '../../core/duration.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const UNKNOWN = '–'

/** A size in decimal units: `340 B`, `1.2 MB`. */
export function bytes(n: number): string {
  if (!Number.isFinite(n)) return UNKNOWN
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']
  let unit = 0
  let value = Math.max(0, Math.round(n))
  // 999.5 would be written as 1000, which is one of the next unit.
  for (; value >= 999.5 && unit < units.length - 1; unit++) value /= 1000
  const digits = value < 9.95 && unit > 0 ? 1 : 0
  return `${Number(value.toFixed(digits))} ${units[unit]}`
}

/** How long something took, for a column: `20s`, `48m`, `1h12m`, `26h`. */
export function shortDuration(ms: number): string {
  if (!Number.isFinite(ms)) return UNKNOWN
  const seconds = Math.max(0, Math.round(ms / SECOND))
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes}m`
  const rest = minutes % 60
  return `${Math.floor(minutes / 60)}h${rest === 0 ? '' : `${String(rest).padStart(2, '0')}m`}`
}

/** When something was, as one would say it: `just now`, `5 min ago`, `yesterday`, `Tue`, `3 Nov`, `3 Nov 2025`. */
export function ago(iso: string, now: number, timeZone?: string): string {
  const then = Date.parse(iso)
  if (Number.isNaN(then)) return UNKNOWN
  const passed = now - then
  if (Math.abs(passed) < MINUTE) return 'just now'
  if (passed > 0 && passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`
  const day = calendarDay(then, timeZone)
  const today = calendarDay(now, timeZone)
  const days = Math.round((today - day) / DAY)
  if (days === 0) return passed > 0 ? `${Math.floor(passed / HOUR)} h ago` : 'today'
  if (days === 1) return 'yesterday'
  if (days > 1 && days < 7) return `${written(day)[0]}`
  return shortDay(day, today)
}

/** How long until then, never more than is left: `in 29 d`, `in 3 h`; `now` when it has come. */
export function until(iso: string, now: number): string {
  const left = Date.parse(iso) - now
  if (Number.isNaN(left)) return UNKNOWN
  if (left >= DAY) return `in ${Math.floor(left / DAY)} d`
  if (left >= HOUR) return `in ${Math.floor(left / HOUR)} h`
  if (left >= MINUTE) return `in ${Math.floor(left / MINUTE)} min`
  return 'now'
}

/** A whole number with its thousands apart: `12,345`. */
export function count(n: number): string {
  if (n >= 0 && n < 999) return `${Math.round(n)}`
  // Making Intl's formatter takes longer than writing a whole page.
  return Number.isFinite(n)
    ? Math.round(n)
        .toFixed(0)
        .replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
    : UNKNOWN
}

/** A number of tokens, short: `980`, `12.3k`, `1.2M`. */
export function tokens(n: number): string {
  if (!Number.isFinite(n)) return UNKNOWN
  const units = ['', 'k', 'M', 'B', 'T']
  let unit = 0
  let value = n
  // 999.5 would be written as 1000, which is one of the next unit. Intl's formatter takes longer to make than many a command.
  for (; Math.abs(value) >= 999.5 && unit < units.length - 1; unit++) value /= 1000
  return `${Number(value.toPrecision(3))}${units[unit]}`
}

/** A number and its noun: `1 session`, `1,033 rows`, and with the plural named `2 branches`. */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`
}

/** A path on one line, made plain, with `~` for the home folder. */
export function shortPath(path: string, home: string | undefined): string {
  const base = home?.replace(/[\\/]$/, '')
  const isBelow = base && path.startsWith(base) && /^(?:[\\/]|$)/.test(path.slice(base.length))
  const short = isBelow ? `~${path.slice(base.length)}` : path
  return plain(short).replaceAll('\n', '␊').replaceAll('\t', '␉')
}
