import { endOf, readPeriod } from './period.ts'

/** The moment at which a period that a person named begins; days begin at midnight where the person is. */
export function momentOf(text: string, now: Date): Date {
  const { isDay, text: bound } = readPeriod(text, now).first
  return isDay ? midnight(bound, 0) : new Date(bound)
}

/** A test for times between the start of `since` and the end of `until`. */
export function between(
  input: { readonly since?: string | undefined; readonly until?: string | undefined },
  now: Date,
): (iso: string | null) => boolean {
  const since = input.since === undefined ? undefined : momentOf(input.since, now).toISOString()
  const until = input.until === undefined ? undefined : untilMoment(input.until, now).toISOString()
  if (since === undefined && until === undefined) return () => true
  return (iso) => iso !== null && (since === undefined || iso >= since) && (until === undefined || iso < until)
}

/** The end of what `until` names: a day is included to its end. */
export function untilMoment(text: string, now: Date): Date {
  const { isDay, text: bound } = endOf(text, now)
  return isDay ? midnight(bound, 1) : new Date(bound)
}

function midnight(day: string, later: number): Date {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number]
  const start = new Date(2000, 0, 1)
  start.setFullYear(year, month - 1, date + later)
  return start
}
