import { forksUnderOriginals } from '../../../core/tree/fork-order.ts'
import type { SessionItem } from '../../../history/view/session-item.ts'
import { bytes, plural } from '../../terminal/human.ts'
import { oneLine } from '../../terminal/sanitize.ts'
import { truncate } from '../../terminal/width.ts'
import type { View } from '../../view.ts'
import { dotted } from './lines.ts'
import { cost, expiry, forkMark, inheritance, projectName, shortId, shortIds, when } from './names.ts'
import { table } from './table.ts'

/**
 * Sessions as a table: id, what it was about, where, when, how large, what it cost, and a warning where it will soon be gone. Forks
 * stand under their originals.
 */
export function sessionLines(items: readonly SessionItem[], view: View): string[] {
  const { style, width } = view
  const short = shortIds(items.map((item) => item.id))
  const hasLive = items.some((item) => item.status === 'live')
  const isCounted = items.every((item) => item.counts !== null)
  const lines = forksUnderOriginals(items)
  const warnings = lines.map(({ session }) => expiryWarning(session, view))
  const rows = lines.map(({ session: item, depth }, at) => {
    const branch = width < NARROW ? '' : oneLine(item.gitBranch ?? '')
    const extent = isCounted && item.counts ? plural(item.counts.turns, 'turn') : sizeOf(item)
    return [
      style.dim(short(item.id)),
      (hasLive ? liveMark(item, view) : '') + forkedTitle(item, depth, view),
      truncate(dotted([projectName(item.project), branch]), Math.floor(width / 4)),
      ...ending({ age: when(item.updatedAt, view), extent, warning: warnings[at] ?? '' }, width),
      width < ROOMY ? cost(item.costUsd) : dotted([cost(item.costUsd), inheritance(item.inherited)]),
    ]
  })
  // A size stands to the right, unless words stand in its column.
  const align = width < ROOMY && warnings.some((warning) => warning !== '') ? [] : ALIGN
  return table(rows, { width, flex: [1], align })
}

/** The less room there is, the more gives way to the warning that a session will be gone. */
function ending({ age, extent, warning }: Record<'age' | 'extent' | 'warning', string>, width: number): string[] {
  if (width < NARROW) return [warning || age]
  return width < ROOMY ? [age, warning || extent] : [age, extent, warning]
}

/** A session's title, or what kind of log it is where it has none. */
export function sessionTitle(item: SessionItem, view: View): string {
  const title = oneLine(item.title ?? '')
  if (title !== '') return title
  return view.style.dim(item.kind === 'conversation' ? '(untitled)' : `(${oneLine(item.kind).replace('-', ' ')})`)
}

/** A fork is drawn under its original, or names it where that is not listed. */
function forkedTitle(item: SessionItem, depth: number, view: View): string {
  const title = sessionTitle(item, view)
  if (depth > 0) return `${forkMark(depth)}${title}`
  return item.forkedFrom === null ? title : `${title} ${view.style.dim(`(fork of ${shortId(item.forkedFrom)})`)}`
}

const NARROW = 80
const ROOMY = 110
const ALIGN = [undefined, undefined, undefined, undefined, 'right', undefined, 'right'] as const

function liveMark(item: SessionItem, view: View): string {
  return item.status === 'live' ? `${view.style.good('●')} ` : '  '
}

function sizeOf({ kind, sizeBytes }: SessionItem): string {
  if (sizeBytes !== null) return bytes(sizeBytes)
  return kind === 'gone' ? 'log is gone' : ''
}

function expiryWarning(item: SessionItem, view: View): string {
  const found = item.kept || item.status === 'live' ? undefined : expiry(item.expiresAt, view)
  return found?.isSoon ? view.style.warn(found.text) : ''
}
