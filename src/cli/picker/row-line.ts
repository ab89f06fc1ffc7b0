import { cost, forkMark, projectName, when } from '../format/parts/names.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { padEnd, padStart, truncate, width as widthOf } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { markedSnippet, startBefore, whoInShort } from './hit-words.ts'
import { markWords } from './mark-words.ts'
import { keyOf, type Listed, type Row } from './model.ts'

/** How wide the columns of the list are; a column without width is left out. */
export interface Columns {
  readonly title: number
  readonly project: number
  readonly age: number
  readonly cost: number
}

const GAP = 2
/** A mark, the bar of the selected row and a space before the title, and one column free at the end. */
const MARGINS = 4
const AGE = '30 Nov 2026'.length
const COST = '$1234.56'.length
const PROJECT = 18

/** The columns for a width; what matters least gives way first. They do not depend on what is scrolled by. */
export function columnsOf(width: number): Columns {
  const project = width < 56 ? 0 : Math.min(PROJECT, Math.floor(width / 5))
  const cost = width < 64 ? 0 : COST
  const used = [project, AGE, cost].reduce((sum, column) => sum + (column === 0 ? 0 : column + GAP), 0)
  return { title: Math.max(1, width - MARGINS - used), project, age: AGE, cost }
}

/** What else a row is drawn with. */
interface RowLook {
  readonly isSelected: boolean
  /** What sessions cost whose list did not say so. */
  readonly costs: ReadonlyMap<string, number | null>
  /** The words that are looked for. */
  readonly terms: readonly string[]
}

/** `▌ Fix token refresh race     api    yesterday     $4.12` */
export function rowLine({ session, depth, count }: Row, look: RowLook, columns: Columns, view: View): string {
  const { style } = view
  const { isSelected, costs, terms } = look
  const hits = count > 1 ? ` ×${count}` : ''
  const lead = `${session.starred ? '★ ' : ''}${forkMark(depth)}${session.tags.map((tag) => `#${oneLine(tag)} `).join('')}`
  const room = Math.max(1, columns.title - widthOf(lead) - hits.length)
  const title = truncate(titleOf(session) + loneMark(session, depth), room)
  const isNamed = oneLine(session.title ?? '') !== ''
  const painted = isSelected ? style.strong(title) : isNamed ? title : style.dim(title)
  const project = truncate(projectName(session.project), columns.project)
  const cells = [
    padEnd(style.dim(lead) + markWords(painted, terms, style.match) + style.dim(hits), columns.title),
    columns.project === 0 ? '' : padEnd(style.dim(project), columns.project),
    padEnd(age(session, view), columns.age),
    columns.cost === 0 ? '' : padStart(cost(session.costUsd ?? costs.get(keyOf(session)) ?? null), columns.cost),
  ]
  const mark = session.status === 'live' ? style.good('●') : ' '
  return `${mark}${bar(isSelected, view)} ${cells.filter((cell) => cell !== '').join(' '.repeat(GAP))}`.trimEnd()
}

/** `▌   Claude   Both tabs spend the same «refresh token», so…` */
export function hitLine({ depth, hits, at }: Row, isSelected: boolean, columns: number, view: View): string {
  const hit = hits[at ?? 0]
  if (!hit) return ''
  const lead = `${'  '.repeat(depth + 1)}${view.style.dim(padEnd(truncate(whoInShort(hit), WHO), WHO))} `
  const room = columns - MARGINS - widthOf(lead)
  const words = truncate(markedSnippet(hit, view, startBefore(hit, room)), room)
  return ` ${bar(isSelected, view)} ${lead}${words}`.trimEnd()
}

const WHO = 'MultiEdit'.length

function bar(isSelected: boolean, { style }: View): string {
  return isSelected ? style.accent('▌') : ' '
}

function titleOf({ title, kind }: Listed): string {
  const text = oneLine(title ?? '')
  if (text !== '') return text
  return kind === 'conversation' || kind === 'gone' ? '(untitled)' : `(${oneLine(kind).replace('-', ' ')})`
}

/** A fork whose original is not above it says so. */
function loneMark({ forkedFrom }: Listed, depth: number): string {
  return forkedFrom !== null && depth === 0 ? ' (fork)' : ''
}

function age(session: Listed, view: View): string {
  if (session.kind === 'gone') return view.style.warn('gone')
  if (session.isArchived) return view.style.dim('archived')
  return view.style.dim(session.status === 'live' ? 'live' : when(session.updatedAt, view))
}
