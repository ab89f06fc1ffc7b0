import { cost, forkMark, projectName, when } from '../format/parts/names.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { padEnd, padStart, truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { keyOf, type Listed, type Row } from './model.ts'
import type { State } from './state.ts'

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

/** `▌ Fix token refresh race     api    yesterday     $4.12` */
export function rowLine(
  { session, depth }: Row,
  isSelected: boolean,
  state: State,
  columns: Columns,
  view: View,
): string {
  const { style } = view
  const title = truncate(forkMark(depth) + titleOf(session) + loneMark(session, depth), columns.title)
  const isNamed = oneLine(session.title ?? '') !== ''
  const painted = isSelected ? style.strong(title) : isNamed ? title : style.dim(title)
  const project = truncate(projectName(session.project), columns.project)
  const cells = [
    padEnd(painted, columns.title),
    columns.project === 0 ? '' : padEnd(style.dim(project), columns.project),
    padEnd(age(session, view), columns.age),
    columns.cost === 0 ? '' : padStart(costOf(session, state), columns.cost),
  ]
  const mark = session.status === 'live' ? style.good('●') : ' '
  const bar = isSelected ? style.accent('▌') : ' '
  return `${mark}${bar} ${cells.filter((cell) => cell !== '').join(' '.repeat(GAP))}`.trimEnd()
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

function costOf(session: Listed, { costs }: State): string {
  return cost(session.costUsd ?? costs.get(keyOf(session)) ?? null)
}
