/** The calendar day of a moment where the person is: `2026-11-15`. */
export function dayOf(ms: number): string {
  const date = new Date(ms)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}

/** The day so many days later. */
export function addDays(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + days)
  return date.toISOString().slice(0, 10)
}

/** The Monday on or before a day. */
export function mondayOf(day: string): string {
  return addDays(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7))
}

/** The ISO week of a day: `2026-W46`. */
export function weekOf(day: string): string {
  const thursday = addDays(mondayOf(day), 3)
  const year = thursday.slice(0, 4)
  const days = (Date.parse(`${thursday}T00:00:00Z`) - Date.parse(`${year}-01-01T00:00:00Z`)) / 86_400_000
  return `${year}-W${two(Math.floor(days / 7) + 1)}`
}

/** The Monday with which an ISO week begins. */
export function mondayOfWeek(week: string): string {
  const [year, number] = week.split('-W')
  return addDays(mondayOf(`${year}-01-04`), 7 * (Number(number) - 1))
}
