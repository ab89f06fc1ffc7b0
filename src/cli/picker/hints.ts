import { plain } from '../terminal/sanitize.ts'
import { padEnd, truncate, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { canUnfold, isAnswered, type State } from './state.ts'

/** What the keys do, on one line; the less there is room for, the fewer are named. A notice takes their place. */
export function hintLine(state: State, width: number, { style }: View): string {
  const problem = isAnswered(state) ? state.found?.problem : undefined
  const notice = state.notice ?? problem
  if (notice !== undefined) return ` ${style.warn(truncate(plain(notice).replace(/\s+/g, ' '), width - 2))}`
  if (state.renaming) return ` ${style.dim('⏎ rename, in Claude Code too   esc cancel')}`
  const isEmpty = state.line.text === ''
  const scope = `⇥ ${state.scope === 'here' ? 'all projects' : state.here}`
  const acts = state.rows.length > 0 ? ['⏎ read', ...matchHint(state), ...ACTS] : []
  let hints = [...acts, scope, isEmpty ? '? keys' : 'esc clear', ...(isEmpty ? [] : ['F1 keys'])]
  // All of these characters are one column wide: the first frame need not wait for the tables of those that are not.
  for (const least of [...ACTS.toReversed(), scope, 'esc clear', '⏎ read']) {
    if (hints.join(SPACE).length > width - 2) hints = hints.filter((hint) => hint !== least)
  }
  return ` ${style.dim(hints.join(SPACE))}`
}

/** The acts, those that are wanted most first. */
const ACTS = ['^R resume', '^Y copy id', '^S keep', '^X export', '^T star', '^O rename', '^F files', '^B web']
const SPACE = '   '
const INDENT = 3

function matchHint(state: State): readonly string[] {
  if (state.unfolded !== undefined) return ['← fold']
  return canUnfold(state) ? ['→ matches'] : []
}

/** All keys, for who asks. */
export function keyLines(state: State, width: number, { style }: View): readonly string[] {
  const keys: readonly (readonly [string, string])[] = [
    ['letters', 'search titles and all that was said'],
    ['"a b" a* -a', 'a phrase, a beginning, not this word'],
    ['since:7d', 'or until: project: cost:>5 has:error'],
    ['is:starred', 'or tag:auth'],
    ['tool:Bash', 'or file: role: kind: model: branch:'],
    ['↑ ↓', 'move; PgUp and PgDn by pages'],
    ['→ ←', 'every match of a session; fold it again'],
    ['⏎', 'read it, at the match'],
    ['^R', 'resume it in Claude Code'],
    ['^Y ^S ^X', 'copy its id, keep it, export it'],
    ['^T ^O', 'star it; rename it, in Claude Code too'],
    ['^F ^B', 'the files it changed; open it in the web'],
    ['⇥', `${state.here}, or all projects`],
    ['^A ^E', 'ends of the line; Alt-B, Alt-F by words'],
    ['^W ^U ^K', 'cut a word, to the left, to the right'],
    ['Alt-Y', 'paste what was cut'],
    ['esc ^C', 'clear what is typed; quit'],
  ]
  const room = Math.max(...keys.map(([key]) => key.length))
  return keys.flatMap(([key, meaning]) =>
    wrap(meaning, width - room - INDENT - SPACE.length).map(
      (line, at) => ' '.repeat(INDENT) + style.accent(padEnd(at === 0 ? key : '', room)) + SPACE + line,
    ),
  )
}
