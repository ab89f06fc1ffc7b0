import { plain } from '../terminal/sanitize.ts'
import { padEnd, truncate, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import type { State } from './state.ts'

/** What the keys do, on one line; the less there is room for, the fewer are named. A notice takes their place. */
export function hintLine(state: State, width: number, { style }: View): string {
  if (state.notice !== undefined) return ` ${truncate(plain(state.notice).replace(/\s+/g, ' '), width - 2)}`
  const acts = state.rows.length > 0 ? ['⏎ read', '^R resume', '^Y copy id'] : []
  const scope = `⇥ ${state.scope === 'here' ? 'all projects' : state.here}`
  let hints = [...acts, scope, state.query === '' ? '? keys' : 'esc clear']
  // All of these characters are one column wide: the first frame need not wait for the tables of those that are not.
  for (const least of ['^Y copy id', '^R resume', scope, '⏎ read']) {
    if (hints.join(SPACE).length > width - 2) hints = hints.filter((hint) => hint !== least)
  }
  return ` ${style.dim(hints.join(SPACE))}`
}

const SPACE = '   '
const INDENT = 3

/** All keys, for who asks. */
export function keyLines(state: State, width: number, { style }: View): readonly string[] {
  const keys: readonly (readonly [string, string])[] = [
    ['letters', 'search titles, projects and all that was said'],
    ['"a b" a* -a', 'a phrase, the beginning of a word, not this word'],
    ['↑ ↓', 'move; so do PgUp, PgDn, Home and End'],
    ['⏎', 'read the session, at the place that was found'],
    ['^R', 'resume it in Claude Code'],
    ['^Y', 'copy its id'],
    ['⇥', `${state.here}, or all projects`],
    ['^W ^U', 'erase a word, or everything'],
    ['esc', 'clear what is typed, then quit'],
    ['^C ^D', 'quit'],
  ]
  const room = Math.max(...keys.map(([key]) => key.length))
  return keys.flatMap(([key, meaning]) =>
    wrap(meaning, width - room - INDENT - SPACE.length).map(
      (line, at) => ' '.repeat(INDENT) + style.accent(padEnd(at === 0 ? key : '', room)) + SPACE + line,
    ),
  )
}
