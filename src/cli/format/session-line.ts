import type { SessionItem } from '../../ops/session-item.ts'
import { columns } from '../terminal/columns.ts'
import { bytes, plural } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import type { View } from '../view.ts'
import { cost, expiry, projectName, shortIds, when } from './names.ts'

/** Sessions as a table: id, what it was about, where, when, how large, and a warning where it will soon be gone. */
export function sessionLines(items: readonly SessionItem[], view: View): string[] {
  const short = shortIds(items.map((item) => item.id))
  const hasLive = items.some((item) => item.status === 'live')
  const rows = items.map((item) => [
    view.style.dim(short(item.id)),
    (hasLive ? liveMark(item, view) : '') + sessionTitle(item, view),
    projectName(item.project),
    view.style.dim(oneLine(item.gitBranch ?? '')),
    when(item.updatedAt, view),
    extent(item),
    cost(item.costUsd),
    expiryWarning(item, view),
  ])
  // Columns in which no row says anything would only be gaps.
  const filled = rows[0]?.map((_, at) => at).filter((at) => rows.some((row) => row[at] !== '')) ?? []
  return columns(
    rows.map((row) => filled.map((at) => row[at] ?? '')),
    {
      width: view.width,
      align: filled.map((at) => (at === EXTENT || at === COST ? 'right' : 'left')),
      flex: filled.flatMap((at, i) => (FLEXIBLE.has(at) ? [i] : [])),
    },
  )
}

/** A session's title, or what kind of log it is where it has none. */
export function sessionTitle(item: SessionItem, view: View): string {
  const title = oneLine(item.title ?? '')
  if (title !== '') return title
  return view.style.dim(item.kind === 'conversation' ? '(untitled)' : `(${oneLine(item.kind).replace('-', ' ')})`)
}

const EXTENT = 5
const COST = 6
const FLEXIBLE = new Set([1, 2, 3])

function liveMark(item: SessionItem, view: View): string {
  return item.status === 'live' ? `${view.style.good('●')} ` : '  '
}

/** How much there is of it: turns where the whole log was read, else its size. */
function extent({ kind, counts, sizeBytes }: SessionItem): string {
  if (counts && kind === 'conversation') return plural(counts.turns, 'turn')
  if (sizeBytes !== null) return bytes(sizeBytes)
  return kind === 'gone' ? 'log is gone' : ''
}

function expiryWarning(item: SessionItem, view: View): string {
  const found = item.kept || item.status === 'live' ? undefined : expiry(item.expiresAt, view)
  return found?.isSoon ? view.style.warn(found.text) : ''
}
