import { dotted } from '../format/parts/lines.ts'
import { count, plural } from '../terminal/human.ts'
import { plain } from '../terminal/sanitize.ts'
import { padEnd, truncate, width, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { askedBy } from './filters.ts'
import { hintLine, keyLines } from './hints.ts'
import { type Layout, layoutOf } from './layout.ts'
import { previewLines } from './preview-lines.ts'
import { columnsOf, hitLine, rowLine } from './row-line.ts'
import { isAnswered, isAsking, isIndexBehind, type State, selectedRow, visibleRows } from './state.ts'
import { titleTerms } from './titles.ts'

/** What is on the screen: its lines from the top, none wider than the terminal, and where the cursor stands. */
export interface Frame {
  readonly lines: readonly string[]
  readonly cursor: { readonly x: number; readonly y: number }
}

/** Draws the state. Pure, and everything that comes from a log is made plain here or below. */
export function frameOf(state: State, view: View): Frame {
  const layout = layoutOf(state.size)
  const prompt = promptLine(state, layout, view)
  const rule = layout.hasRules ? [` ${view.style.dim('─'.repeat(layout.width - 2))}`] : []
  const main = state.areKeysShown
    ? filled(keyLines(state, layout.width, view), layout.list + rule.length + layout.preview)
    : [
        ...filled(listLines(state, layout, view), layout.list),
        ...rule,
        ...filled(previewOf(state, layout, view), layout.preview),
      ]
  const hints = layout.hasHints ? [hintLine(state, layout.width, view)] : []
  const lines = [prompt.line, ...filled([], layout.gap), ...main, ...rule, ...hints]
  const { columns } = state.size
  // Everything fits already, unless the terminal is narrower than anything can be drawn in.
  const fit = columns < layout.width ? (line: string) => truncate(line, columns) : (line: string) => line
  return {
    lines: lines.slice(0, layout.height).map(fit),
    cursor: { x: Math.min(prompt.cursor, columns - 1), y: 0 },
  }
}

/** ` › what is typed          3 sessions · 6 hits` */
function promptLine(state: State, { width: columns }: Layout, { style }: View) {
  const { text, cursor } = (state.renaming ?? state).line
  const lead = state.renaming ? RENAMING : PROMPT
  const count = state.renaming ? '' : countOf(state)
  const room = columns - lead.length - 2
  const [before, behind] = [text.slice(0, cursor), text.slice(cursor)].map((part) => plain(part).replace(/\s/g, ' '))
  const isRoomy = width(`${before}${behind}`) + width(count) + 2 <= room
  const typed = window(before ?? '', behind ?? '', isRoomy ? room - width(count) - 2 : room)
  const right = isRoomy ? style.dim(count) : ''
  const left = padEnd(typed.text, room - width(isRoomy ? count : ''))
  return { line: `${style.prompt(lead)}${left}${right}`.trimEnd(), cursor: lead.length + typed.cursor }
}

const PROMPT = ' › '
const RENAMING = ' New title › '

/** As much of a line as there is room for, with the cursor in it. */
function window(before: string, behind: string, columns: number): { readonly text: string; readonly cursor: number } {
  const start = lastPart(before, columns - 1)
  return { text: truncate(start + behind, columns), cursor: width(start) }
}

/** The end of a text that is too long: that is where one types. */
function lastPart(text: string, columns: number): string {
  if (width(text) <= columns) return text
  const characters = [...new Intl.Segmenter('en').segment(text)].map(({ segment }) => segment)
  while (characters.length > 0 && width(characters.join('')) > columns - 1) characters.shift()
  return `…${characters.join('')}`
}

function countOf(state: State): string {
  const { found } = state
  const shown = state.rows.filter(({ at }) => at === null)
  const gone = shown.filter(({ session }) => session.kind === 'gone' && !session.isArchived).length
  // What is counted is what every list counts; of logs that are gone only the names are left.
  const sessions = plural(shown.length - gone, 'session') + (gone === 0 ? '' : `, ${gone} gone`)
  // What is typed early finds only what is listed already.
  if (!state.isListed) return isAsking(state) ? 'listing …' : ''
  if (!isAsking(state)) return dotted([sessions, scopeName(state)])
  if (!isAnswered(state) || !found) return `${sessions} · …`
  // Copies are counted once by the search; of the sessions that filters leave, only these themselves know how many they have.
  const sum = () => state.rows.reduce((hits, { at, count }) => hits + (at === null ? count : 0), 0)
  const hits = found.fitting ? sum() : found.total
  const isMore = found.moreHits && !found.fitting
  return dotted([
    sessions,
    titleTerms(askedBy(state.line.text).words).length === 0
      ? ''
      : isMore
        ? `${count(hits)}+ hits`
        : plural(hits, 'hit'),
    isIndexBehind(state) && found.behindBytes > 0 ? 'still indexing' : '',
  ])
}

function scopeName({ scope, here }: State): string {
  return scope === 'here' ? here : 'all projects'
}

function listLines(state: State, layout: Layout, view: View): readonly string[] {
  if (state.rows.length === 0) return sentence(state, layout, view)
  const columns = columnsOf(layout.width)
  const terms = titleTerms(askedBy(state.line.text).words)
  return visibleRows(state).map((row, at) => {
    const isSelected = state.top + at === state.selected
    return row.at === null
      ? rowLine(row, { isSelected, costs: state.costs, terms }, columns, view)
      : hitLine(row, isSelected, layout.width, view)
  })
}

/** What is said where there is nothing to list. */
function sentence(state: State, { width: columns, list }: Layout, { style }: View): readonly string[] {
  const text = emptyText(state)
  return text === ''
    ? []
    : wrap(text, columns - 4)
        .slice(0, list)
        .map((line) => `   ${style.dim(line)}`)
}

function emptyText(state: State): string {
  const { line, scope, here, sessions } = state
  const isHere = scope === 'here'
  if (isAsking(state)) {
    if (!isAnswered(state)) return ''
    const words = plain(line.text).trim()
    const soFar = isIndexBehind(state) && state.found?.behindBytes ? ' yet; the index is still being made' : ''
    return `Nothing was found for “${words}” in ${scopeName(state)}${soFar}.${isHere ? ' Tab looks in all projects.' : ''}`
  }
  if (!state.isListed) return ''
  if (sessions.length === 0) return 'No sessions yet. Once you have used Claude Code, they are listed here.'
  return isHere ? `No sessions in ${here} yet. Tab shows all projects.` : ''
}

function previewOf(state: State, { width: columns, preview }: Layout, view: View): readonly string[] {
  const row = selectedRow(state)
  return row ? previewLines(row, state, { columns: columns - 4, lines: preview }, view).map((line) => `   ${line}`) : []
}

function filled(lines: readonly string[], height: number): readonly string[] {
  return Array.from({ length: height }, (_, at) => lines[at] ?? '')
}
