import { duration } from '../../core/duration.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How long ago something was: "just now", "12 min ago", "3 h ago", then the day. */
export function ageText(ms: number, now: number): string {
  const age = now - ms
  if (age < 0) return momentText(ms, now)
  if (age < MINUTE) return 'just now'
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`
  if (age < 12 * HOUR) return `${Math.floor(age / HOUR)} h ago`
  const days = daysBetween(ms, now)
  if (days === 0) return 'today'
  if (days === 1) return 'yesterday'
  if (days < 7) return WEEKDAYS[new Date(ms).getDay()] as string
  return new Date(ms).getFullYear() === new Date(now).getFullYear() ? monthDay(ms) : wholeDay(ms)
}

/** A day and a clock: "14:32", "Nov 11, 14:32", with the year where it is another. */
export function momentText(ms: number, now: number): string {
  if (daysBetween(ms, now) === 0) return clock(ms)
  const isThisYear = new Date(ms).getFullYear() === new Date(now).getFullYear()
  return `${isThisYear ? monthDay(ms) : wholeDay(ms)}, ${clock(ms)}`
}

/** How many midnights lie between two moments, where the person is. */
export function daysBetween(earlier: number, later: number): number {
  return Math.round((midnight(later) - midnight(earlier)) / DAY)
}

function midnight(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0)
}

/** The day of a month by its short name: "Nov 11". Written by hand: making a formatter would hold up the first page. */
export function monthDay(ms: number): string {
  const date = new Date(ms)
  return `${(MONTHS[date.getMonth()] as string).slice(0, 3)} ${date.getDate()}`
}

function wholeDay(ms: number): string {
  return `${monthDay(ms)}, ${new Date(ms).getFullYear()}`
}

/** The time of day: "14:32", "14:32:07". */
export function clock(ms: number, hasSeconds = false): string {
  const date = new Date(ms)
  const parts = [date.getHours(), date.getMinutes(), ...(hasSeconds ? [date.getSeconds()] : [])]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

/** The months by name, January first. */
export const MONTHS: readonly string[] =
  'January February March April May June July August September October November December'.split(' ')
const WEEKDAYS: readonly string[] = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ')

/** How long something took, in the words of the command line; a dash where nobody knows. */
export function spanText(ms: number | null): string {
  return ms === null ? '–' : duration(ms)
}

/** Dollars: "$4.12", "$1,204", "<$0.01"; a dash where nobody knows. */
export function moneyText(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return '–'
  if (usd > 0 && usd < 0.005) return '<$0.01'
  return usd >= 1000 ? `$${countText(usd)}` : `$${usd.toFixed(2)}`
}

/** Dollars to four places, for sums of a single answer: "$0.0123". */
export function fineMoneyText(usd: number | null | undefined): string {
  return usd === null || usd === undefined || usd >= 1 ? moneyText(usd) : `$${usd.toFixed(4)}`
}

/** Dollars on an axis: as many places as they need. */
export function axisMoneyText(usd: number): string {
  if (usd === 0) return '$0'
  return usd < 10 ? `$${usd.toFixed(3).replace(/0$/, '')}` : `$${countText(usd)}`
}

/** Tokens, shortened: "950", "12.3k", "4.1M". */
export function tokensText(tokens: number | null | undefined): string {
  if (tokens === null || tokens === undefined) return '–'
  for (const [unit, size] of TOKEN_UNITS) {
    // 999,950 would be written as 1000k, which is one of the next unit.
    if (tokens >= 0.99995 * size) return `${Math.round(tokens / (size / 10)) / 10}${unit}`
  }
  return String(tokens)
}

/** Bytes, shortened: "950 B", "12 kB", "4.1 MB". */
export function bytesText(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined) return '–'
  for (const [unit, size] of BYTE_UNITS) {
    if (bytes >= size) return `${(bytes / size).toFixed(bytes < 10 * size ? 1 : 0).replace(/\.0$/, '')} ${unit}`
  }
  return `${bytes} B`
}

const BYTE_UNITS = [
  ['GB', 1e9],
  ['MB', 1e6],
  ['kB', 1e3],
] as const
// Written out by hand, as everywhere here: making a formatter of the browser takes 20 ms, in which nothing is drawn.
const TOKEN_UNITS = [
  ['B', 1e9],
  ['M', 1e6],
  ['k', 1e3],
] as const

/** A whole number with its thousands apart. */
export function countText(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** "1 session", "212 sessions". */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`
}

/** A share of a whole: "61 %". */
export function shareText(part: number, whole: number): string {
  if (whole === 0) return '–'
  const percent = (part / whole) * 100
  return percent > 0 && percent < 1 ? '<1 %' : `${Math.round(percent)} %`
}
