import { count, table, time } from './report.mjs'

/** What a person takes for at once, and for no stutter. */
const GOALS = { first: 100, key: 16, slowest: 50 }

/** The picker as a table. */
export function pickerReport({ sessions, first, page, listed, median, slowest, pressed, unanswered, bare }) {
  const row = (what, took, most) => [what, time(took), most ? `≤ ${time(most)}` : '', verdict(took, most)]
  const rows = [
    row('something is drawn, over bare Node', first - bare, GOALS.first),
    row('a page of sessions is there', page),
    row(`all ${count(sessions)} are listed`, listed),
    row('from a key to its frame, median', median, GOALS.key),
    row('from a key to its frame, 95 of 100', slowest, GOALS.slowest),
  ]
  const silent =
    unanswered === 0 ? '' : `\n${unanswered} of ${pressed} keys changed nothing on the screen; they are in no row.\n`
  return `${table([['what', 'time', 'goal', ''], ...rows])}${silent}`
}

function verdict(took, most) {
  if (most === undefined) return ''
  return took <= most ? 'met' : '**missed**'
}
