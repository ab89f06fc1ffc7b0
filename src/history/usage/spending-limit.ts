import { Failure } from '../../core/failure.ts'
import { type Static, Type } from '../../core/schema.ts'
import { type Calendar, mondayOf, periodStart } from '../../core/usage/calendar.ts'
import type { History } from '../history.ts'
import { NullableNumber } from '../shapes.ts'
import { sumCosts } from './spending.ts'
import { readUsage } from './usage.ts'

/** How much shall be spent at most, and how much was. */
export const WarnShape = Type.Object({
  limitUsd: Type.Number(),
  per: Type.Choice(['day', 'week', 'month']),
  spentUsd: NullableNumber,
  isOver: Type.Boolean(),
})

/** An amount of money for a day, a week or a month. */
export type SpendingLimit = Pick<Static<typeof WarnShape>, 'limitUsd' | 'per'>

/** Reads `50/day`, `$200/week` or `500/month`; an amount alone is for a day. */
export function limitOf(text: string): SpendingLimit {
  const [, amount, per = 'day'] = /^\$?(\d{1,9}(?:\.\d{1,4})?)(?:\/(day|week|month))?$/.exec(text.trim()) ?? []
  if (amount !== undefined) return { limitUsd: Number(amount), per: per as SpendingLimit['per'] }
  throw new Failure('BAD_INPUT', `"${text}" is not a limit.`, {
    hint: 'Write 50/day, 200/week or 500/month, in dollars.',
  })
}

/** What was spent in the day, week or month that it is now, beside what shall be. */
export async function warningOf(
  history: History,
  { limitUsd, per }: SpendingLimit,
  calendar: Calendar,
  now: Date,
): Promise<Static<typeof WarnShape>> {
  const first = firstDay(per, calendar.day(now.getTime()))
  const { calls } = await readUsage(history, { since: periodStart(first, now) })
  const spentUsd = sumCosts(calls.filter(({ at }) => calendar.day(at) >= first))
  return { limitUsd, per, spentUsd, isOver: (spentUsd ?? 0) > limitUsd }
}

function firstDay(per: SpendingLimit['per'], today: string): string {
  if (per === 'day') return today
  return per === 'week' ? mondayOf(today) : `${today.slice(0, 7)}-01`
}
