/** A moment as a calendar and a clock in some time zone show it. */
export interface LocalTime {
  /** `2026-11-14` */
  readonly date: string
  readonly hour: number
  /** 0 is Monday. */
  readonly weekday: number
}

/** Reads moments in a time zone; throws a RangeError where there is no such zone. */
export function localClock(timeZone: string): (moment: string | number) => LocalTime {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
  })
  const known = new Map<number, LocalTime>()
  return (moment) => {
    // Clocks everywhere differ by whole quarters of an hour, and asking Intl for every row would take longer than reading it.
    const quarter = Math.floor((typeof moment === 'number' ? moment : Date.parse(moment)) / QUARTER_MS)
    const found = known.get(quarter)
    if (found) return found
    const parts = format.formatToParts(quarter * QUARTER_MS)
    const at = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
    const date = `${at('year').padStart(4, '0')}-${at('month')}-${at('day')}`
    const weekday = (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7
    const made = { date, hour: Number(at('hour')), weekday }
    known.set(quarter, made)
    return made
  }
}

const QUARTER_MS = 15 * 60_000
