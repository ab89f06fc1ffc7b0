import { calendarDay, clockTime, dayHeading, shortDay } from '../../terminal/day.ts'
import { count, duration, plural } from '../../terminal/human.ts'
import { oneLine } from '../../terminal/sanitize.ts'
import type { View } from '../../view.ts'
import type { Recap, RecapSession } from '../recap.ts'
import { dotted } from './lines.ts'
import { cost, pathFrom } from './names.ts'

/** `Today · Tue 17 Nov`, a day, or the first and the last of several. */
export function periodName({ from, to }: Recap, view: View): string {
  const day = (ms: number) => calendarDay(ms, view.timeZone)
  const today = day(view.now.getTime())
  const [first, last] = [day(Date.parse(from)), day(Date.parse(to) - 1)]
  if (Number.isNaN(first) || Number.isNaN(last)) return oneLine(`${from} – ${to}`)
  return first === last ? dayHeading(first, today) : `${shortDay(first, today)} – ${shortDay(last, today)}`
}

/** Says when a session began: `09:00`, and of several days which. */
export function startText({ from, to }: Recap, { now, timeZone }: View): (one: RecapSession) => string {
  const isLong = Date.parse(to) - Date.parse(from) > 26 * 3_600_000
  const today = calendarDay(now.getTime(), timeZone)
  return ({ startedAt }) => {
    const ms = Date.parse(startedAt ?? '')
    const day = isLong && !Number.isNaN(ms) ? `${shortDay(calendarDay(ms, timeZone), today)} ` : ''
    return `${day}${clockTime(startedAt, timeZone)}`
  }
}

/** What was done altogether, in one line. */
export function totalText({ total }: Recap): string {
  return dotted([
    plural(total.sessions, 'session'),
    plural(total.turns, 'turn'),
    total.activeMs > 0 ? duration(total.activeMs) : '',
    cost(total.costUsd),
    total.files > 0 ? `${plural(total.files, 'file')} changed` : '',
    total.commits > 0 ? plural(total.commits, 'commit') : '',
    total.failures > 0 ? plural(total.failures, 'failure') : '',
    total.openTodos > 0 ? plural(total.openTodos, 'open todo') : '',
  ])
}

/** `src/auth/refresh.ts +18 −4` */
export function changedText(
  { path, added, removed }: RecapSession['files'][number],
  folder: string | null,
  view: View,
): string {
  const lines = [
    added > 0 ? view.style.added(`+${count(added)}`) : '',
    removed > 0 ? view.style.removed(`−${count(removed)}`) : '',
  ]
  return [pathFrom(folder, path, view), ...lines].filter((part) => part !== '').join(' ')
}
