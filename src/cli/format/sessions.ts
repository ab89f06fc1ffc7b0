import type { Static } from '../../core/schema.ts'
import type { sessions } from '../../ops/sessions.ts'
import { bytes, count, plural } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, footer, nothing, spaced } from './parts/lines.ts'
import { expiry } from './parts/names.ts'
import { sessionLines } from './parts/session-line.ts'
import { keepWords } from './status.ts'

/** Sessions, one a line, and what was left out. */
export function formatSessions(result: Static<typeof sessions.result>, view: View): readonly string[] {
  const { items, total } = result
  const hidden = hiddenKinds(result.hidden)
  if (items.length === 0) {
    const hint = hidden === '' ? 'Widen --since, --project or --here, or name another folder with --root.' : ''
    return nothing('There is no such session.', view, hidden === '' ? hint : `${hidden} hidden: --all shows them.`)
  }
  const size = items.reduce((sum, item) => sum + (item.sizeBytes ?? 0), 0)
  const shown = items.length < total ? `${count(items.length)} shown of ${count(total)}` : plural(total, 'session')
  const sum = dotted([shown, bytes(size), hidden === '' ? '' : `${hidden} hidden: --all`])
  const due = items.filter((item) => !item.kept && item.status !== 'live' && expiry(item.expiresAt, view)?.isSoon)
  const warning = due.length === 0 ? [] : wrap(keepWords(due.length), view.width).map(view.style.warn)
  return spaced([sessionLines(items, view), footer([...warning, view.style.dim(truncate(sum, view.width))])])
}

function hiddenKinds(hidden: Readonly<Record<string, number>>): string {
  return Object.entries(hidden)
    .map(([kind, n]) => `${count(n)} ${oneLine(kind)}`)
    .join(', ')
}
