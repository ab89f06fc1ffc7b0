import type { Static } from '../../core/schema.ts'
import type { find } from '../../ops/find.ts'
import { count, plural } from '../terminal/human.ts'
import { oneLine, plain } from '../terminal/sanitize.ts'
import { truncate, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, footer, indent, measure, nextSteps, nothing, spaced } from './parts/lines.ts'
import { shortId, when } from './parts/names.ts'

type Found = Static<typeof find.result>
type Match = Found['matches'][number]

/** What was found in a session, by turn, with the words in their place. */
export function formatFind(result: Found, view: View): readonly string[] {
  const { matches, total, occurrences } = result
  const [first] = matches
  if (!first) return nothing('Not found in this conversation.', view, 'Other branches may have it: --branch.')
  const name = result.agent === null ? shortId(result.session) : `agent-${result.agent}`
  const groups = new Map<number, Match[]>()
  for (const match of matches) groups.set(match.turn, [...(groups.get(match.turn) ?? []), match])
  const shown = total > matches.length ? `the first ${count(matches.length)} shown of ` : ''
  const sum = dotted([`${shown}${plural(total, 'row')}`, plural(occurrences, 'time')])
  return spaced([
    ...[...groups].map(([turn, own]) => [
      view.style.strong(truncate(turn === 0 ? 'before the first prompt' : `turn ${turn}`, view.width)),
      ...own.flatMap((match) => matchLines(match, view)),
    ]),
    footer([
      view.style.dim(truncate(sum, view.width)),
      ...nextSteps([`annals show ${name} --rows --from ${first.row}`], view),
    ]),
  ])
}

function matchLines(match: Match, view: View): readonly string[] {
  const label = dotted([`row ${match.row}`, oneLine(match.kind), when(match.timestamp, view)])
  const more = match.count > match.matches.length ? `${match.count} times` : ''
  return [
    view.style.dim(truncate(`  ${dotted([label, more])}`, view.width)),
    ...indent(wrap(highlighted(match, view), measure(view) - 4), 4),
  ]
}

/** Each piece is made plain by itself, so that offsets stay true. */
function highlighted({ snippet, matches }: Match, view: View): string {
  const flat = (from: number, to?: number) => plain(snippet.slice(from, to)).replace(/\s+/g, ' ')
  const pieces = matches.map(([from, to], i) => {
    const before = flat(matches[i - 1]?.[1] ?? 0, from)
    return before + view.style.match(`«${flat(from, to)}»`)
  })
  return pieces.join('') + flat(matches.at(-1)?.[1] ?? 0)
}
