/** The calendar day of a moment in a time zone, as the midnight in UTC that begins the day of that name. */
export function calendarDay(ms: number, timeZone: string | undefined): number {
  if (Number.isNaN(ms)) return ms
  const { year, month, day } = partsOf(ms, timeZone)
  return Date.UTC(year, month - 1, day)
}

/** The time of day of a moment: `09:05`; empty where there is none. */
export function clockTime(iso: string | null, timeZone: string | undefined): string {
  const ms = Date.parse(iso ?? '')
  if (Number.isNaN(ms)) return ''
  const { hour, minute } = partsOf(ms, timeZone)
  return `${twoDigits(hour)}:${twoDigits(minute)}`
}

/** The day and the time of a moment, as data: `2026-11-17 09:05`; empty where there is none. */
export function dayAndTime(iso: string | null, timeZone: string | undefined): string {
  const ms = Date.parse(iso ?? '')
  if (Number.isNaN(ms)) return ''
  const { year, month, day, hour, minute } = partsOf(ms, timeZone)
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)} ${twoDigits(hour)}:${twoDigits(minute)}`
}

/** A day as a heading: `Today · Tue 17 Nov`, `Yesterday · Mon 16 Nov`, `Fri 13 Nov`, `Fri 13 Nov 2025`. */
export function dayHeading(day: number, today: number): string {
  const age = Math.round((today - day) / DAY_MS)
  const [weekday, date, month, year] = written(day)
  const name = `${weekday} ${Number(date)} ${month}`
  if (age === 0 || age === 1) return `${age === 0 ? 'Today' : 'Yesterday'} · ${name}`
  return year === written(today)[3] ? name : `${name} ${year}`
}

/** A day in a column: `3 Nov`, with its year where that is another one. */
export function shortDay(day: number, today: number): string {
  const [, date, month, year] = written(day)
  return year === written(today)[3] ? `${Number(date)} ${month}` : `${Number(date)} ${month} ${year}`
}

/** `Tue, 03 Nov 2026 …` in its pieces: this form is fixed by the language and needs no locale. */
export function written(day: number): string[] {
  return new Date(day).toUTCString().split(/,? /)
}

const DAY_MS = 86_400_000

interface Parts {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
}

function partsOf(ms: number, timeZone: string | undefined): Parts {
  if (timeZone === undefined) {
    const here = new Date(ms)
    return {
      year: here.getFullYear(),
      month: here.getMonth() + 1,
      day: here.getDate(),
      hour: here.getHours(),
      minute: here.getMinutes(),
    }
  }
  const parts = formatOf(timeZone).formatToParts(ms)
  const at = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  return { year: at('year'), month: at('month'), day: at('day'), hour: at('hour'), minute: at('minute') }
}

const formats = new Map<string, Intl.DateTimeFormat>()

// Making a formatter costs more than all the rest, and a list asks for one a row.
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-US', {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
    timeZone,
  })
  formats.set(timeZone, made)
  return made
}

function twoDigits(n: number): string {
  return n < 10 ? `0${n}` : `${n}`
}
