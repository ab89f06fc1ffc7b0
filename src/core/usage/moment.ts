import { Failure } from '../failure.ts'
import { comparable } from '../time.ts'

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 }

/** The moment that `7d`, `24h`, a date or an ISO time names; dates begin at midnight where the person is. */
export function momentOf(text: string, now: Date): Date {
  const ago = /^(\d{1,6})([mhdw])$/.exec(text)
  if (ago) return new Date(comparable(now.getTime() - Number(ago[1]) * (UNITS[ago[2] as string] as number)))
  const day = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)
  const moment = day ? new Date(Number(day[1]), Number(day[2]) - 1, Number(day[3])) : new Date(text)
  const isDate = /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(moment.getTime())
  if (!isDate) {
    const hint = 'Write 7d, 24h, 2026-11-01 or 2026-11-01T09:30:00Z.'
    throw new Failure('BAD_INPUT', `"${text}" is not a time.`, { hint })
  }
  return moment
}

/** A test for times between `since` and `until`; a day named as `until` is included to its end. */
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
  const moment = momentOf(text, now)
  if (/^\d{4}-\d\d-\d\d$/.test(text)) moment.setDate(moment.getDate() + 1)
  return moment
}
