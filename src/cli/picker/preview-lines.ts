import { dotted } from '../format/parts/lines.ts'
import { cost, expiry, inheritance, projectName, when } from '../format/parts/names.ts'
import { duration } from '../terminal/human.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate, width, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { flat, markedSnippet, whoOf } from './hit-words.ts'
import { type Details, type Hit, keyOf, type Row, shownHits } from './model.ts'
import type { State } from './state.ts'

/** How much room there is. */
export interface Room {
  readonly columns: number
  readonly lines: number
}

/** What a look at the selected row shows: the words that were found in their place, else how it began and ended. */
export function previewLines(row: Row, state: State, room: Room, view: View): readonly string[] {
  const details = state.details.get(keyOf(row.session))
  const lines = row.hits.length > 0 ? hitLines(row, room, view) : sessionLines(row, details, room, view)
  return lines.slice(0, room.lines)
}

function hitLines(row: Row, room: Room, view: View): readonly string[] {
  const lines: string[] = []
  for (const [at, hit] of shownHits(row).entries()) {
    if (lines.length >= room.lines) break
    const label = hitLabel(row, hit, room.columns, view)
    const words = wrap(markedSnippet(hit, view), room.columns)
    // A label without its words would say nothing.
    if (at > 0 && lines.length + 2 > room.lines) break
    lines.push(view.style.dim(label), ...words)
  }
  return lines
}

/** `Bash · npm test · turn 2 · yesterday`, and before one hit of several which it is. */
function hitLabel({ at, count }: Row, hit: Hit, columns: number, view: View): string {
  const which = at === null ? '' : `${at + 1} of ${Math.max(count, at + 1)}`
  const behind = dotted([hit.turn === null ? '' : `turn ${hit.turn}`, when(hit.timestamp, view)])
  const room = columns - width(which) - width(behind) - 6
  return truncate(dotted([which, truncate(whoOf(hit), room), behind]), columns)
}

function sessionLines({ session }: Row, details: Details | undefined, room: Room, view: View): readonly string[] {
  const { style } = view
  const facts = dotted([
    projectName(session.project),
    oneLine(session.gitBranch ?? ''),
    session.status === 'live' ? 'live' : when(session.updatedAt, view),
    session.activeMs ? `${duration(session.activeMs)} active` : '',
    session.inherited?.responses ? cost(session.costUsd) : '',
    inheritance(session.inherited),
    session.kept ? 'kept' : (expiry(session.expiresAt, view)?.text ?? ''),
  ])
  const head = style.dim(truncate(facts, room.columns))
  if (session.file === null) return [head, ...wrap('Its log is gone; only its title is still known.', room.columns)]
  if (!details) return [head]
  const answer = wrapped(details.lastAnswer, room.columns)
  const half = Math.ceil((room.lines - 1) / 2)
  const asked = wrapped(details.firstPrompt, room.columns - 2)
  const shown = cut(asked, answer.length === 0 ? room.lines - 1 : half, room.columns - 2)
  const rest = cut(answer, room.lines - 1 - shown.length, room.columns)
  return [head, ...shown.map((line, at) => `${at === 0 ? style.prompt('›') : ' '} ${line}`), ...rest]
}

/** As much of a text as can be seen at all; wrapping all of a long one would be for nothing. */
const MOST_TEXT = 2000

function wrapped(text: string | null, columns: number): readonly string[] {
  const words = flat((text ?? '').slice(0, MOST_TEXT)).trim()
  return words === '' ? [] : wrap(words, columns)
}

/** The first lines, the last of them with `…` where more follow. */
function cut(lines: readonly string[], most: number, columns: number): readonly string[] {
  if (lines.length <= most) return lines
  const shown = lines.slice(0, Math.max(0, most))
  const last = shown.pop()
  return last === undefined ? [] : [...shown, `${truncate(last, columns - 1).replace(/…$/, '')}…`]
}
