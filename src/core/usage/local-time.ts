import { comparable } from '../time.ts'

/** A moment as a calendar and a clock in some time zone show it. */
export interface LocalTime {
  /** `2026-11-14` */
  readonly date: string
  readonly hour: number
  /** 0 is Monday. */
  readonly weekday: number
}

/** Reads moments in a time zone, or as this machine's clock shows them; throws a RangeError where there is no such zone. */
export function localClock(timeZone: string | undefined): (moment: string | number) => LocalTime {
  const read = timeZone === undefined ? ownClock : zoneClock(timeZone)
  const known = new Map<number, LocalTime>()
  return (moment) => {
    // Clocks everywhere differ by whole quarters of an hour, and to look at every row would take longer than reading it.
    const quarter = Math.floor(calendarTime(typeof moment === 'number' ? moment : Date.parse(moment)) / QUARTER_MS)
    const found = known.get(quarter)
    if (found) return found
    const made = read(quarter * QUARTER_MS)
    known.set(quarter, made)
    return made
  }
}

/** A moment that a day, its week and those of any zone can be written for: days are compared as text, with four digits a year. */
export function calendarTime(ms: number): number {
  return Math.min(
    Math.max(ms, comparable(Number.NEGATIVE_INFINITY) + ROOM_MS),
    comparable(Number.POSITIVE_INFINITY) - ROOM_MS,
  )
}

const ROOM_MS = 14 * 86_400_000

/** Needs no Intl, which takes longer to load than a small command to run. */
function ownClock(ms: number): LocalTime {
  const here = new Date(ms)
  const [month, day] = [here.getMonth() + 1, here.getDate()].map((n) => String(n).padStart(2, '0'))
  const date = `${String(here.getFullYear()).padStart(4, '0')}-${month}-${day}`
  return { date, hour: here.getHours(), weekday: (here.getDay() + 6) % 7 }
}

function zoneClock(timeZone: string): (ms: number) => LocalTime {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
  })
  return (ms) => {
    const parts = format.formatToParts(ms)
    const at = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
    const date = `${at('year').padStart(4, '0')}-${at('month')}-${at('day')}`
    const weekday = (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7
    return { date, hour: Number(at('hour')), weekday }
  }
}

const QUARTER_MS = 15 * 60_000
