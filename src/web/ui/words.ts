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
function monthDay(ms: number): string {
  const date = new Date(ms)
  return `${(MONTHS[date.getMonth()] as string).slice(0, 3)} ${date.getDate()}`
}

function wholeDay(ms: number): string {
  return `${monthDay(ms)}, ${new Date(ms).getFullYear()}`
}

function clock(ms: number): string {
  const date = new Date(ms)
  return [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
}

/** The months by name, January first. */
export const MONTHS: readonly string[] =
  'January February March April May June July August September October November December'.split(' ')
const WEEKDAYS: readonly string[] = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ')

/** A time span in its largest units: "850 ms", "12 s", "48 m", "2 h 5 m", "3 d". */
export function spanText(ms: number | null): string {
  if (ms === null) return '–'
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < MINUTE) return `${ms < 10_000 ? (ms / 1000).toFixed(1).replace(/\.0$/, '') : Math.floor(ms / 1000)} s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} m`
  if (ms < 2 * DAY) {
    const minutes = ms < 10 * HOUR ? Math.floor((ms % HOUR) / MINUTE) : 0
    return `${Math.floor(ms / HOUR)} h${minutes === 0 ? '' : ` ${minutes} m`}`
  }
  return `${Math.floor(ms / DAY)} d`
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
  return usd < 10 ? `$${AXIS().format(usd)}` : `$${countText(usd)}`
}

/** Tokens, shortened: "950", "12.3k", "4.1M". */
export function tokensText(tokens: number | null | undefined): string {
  if (tokens === null || tokens === undefined) return '–'
  return tokens < 1000 ? String(tokens) : COMPACT().format(tokens).replace('K', 'k')
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
const AXIS = whenUsed(() => new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 3 }))
const COMPACT = whenUsed(() => new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }))

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

/** Made when it is first used: a formatter takes some milliseconds, and the first page needs few of them. */
function whenUsed<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
