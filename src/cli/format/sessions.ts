import type { Static } from '../../core/schema.ts'
import type { sessions } from '../../ops/sessions.ts'
import { bytes, count, plural } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, footer, nothing, spaced } from './parts/lines.ts'
import { cost, isExpiring } from './parts/names.ts'
import { markLegend, sessionLines } from './parts/session-line.ts'
import { keepWords } from './status.ts'

type Result = Static<typeof sessions.result>

/** Sessions, one a line under their days, and what was left out. */
export function formatSessions(result: Result, view: View): readonly string[] {
  const { items } = result
  const hidden = hiddenKinds(result.hidden)
  if (items.length === 0) {
    const hint = hidden === '' ? 'Try a wider --since, --project or --here, or another folder with --root.' : ''
    return nothing('No session matches.', view, hidden === '' ? hint : `${hidden} hidden: --all shows them.`)
  }
  const { sort } = view.input
  const lines = sessionLines(items, view, { byDay: sort === undefined || sort === 'time' })
  return spaced([lines, footer(summary(result, hidden, view))])
}

/** How many, how large, how much; what is not shown, and how it is. */
function summary({ items, total, trivial }: Result, hidden: string, view: View): string[] {
  const { style, width } = view
  const size = items.reduce((sum, item) => sum + (item.sizeBytes ?? 0), 0)
  const costs = items.flatMap(({ costUsd }) => costUsd ?? [])
  const spent = costs.length === 0 ? null : costs.reduce((sum, usd) => sum + usd, 0)
  const shown =
    items.length < total ? `${count(items.length)} of ${plural(total, 'session')}` : plural(total, 'session')
  const due = items.filter((item) => !item.kept && item.status !== 'live' && isExpiring(item.expiresAt, view))
  const legend = markLegend(items, view)
  return [
    ...(due.length === 0 ? [] : wrap(keepWords(due.length, { isPart: items.length < total }), width).map(style.warn)),
    style.dim(
      truncate(dotted([shown, cost(spent), bytes(size), trivial > 0 ? `${count(trivial)} trivial` : '']), width),
    ),
    ...(hidden === '' ? [] : [style.dim(truncate(`Not listed: ${hidden} (see --all)`, width))]),
    ...(legend === '' ? [] : [style.dim(truncate(legend, width))]),
  ]
}

function hiddenKinds(hidden: Readonly<Record<string, number>>): string {
  return Object.entries(hidden)
    .map(([kind, n]) => `${count(n)} ${oneLine(kind)}`)
    .join(', ')
}
