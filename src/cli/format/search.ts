import type { Static } from '../../core/schema.ts'
import type { search } from '../../ops/search.ts'
import { bytes, plural } from '../terminal/human.ts'
import { oneLine, plain } from '../terminal/sanitize.ts'
import { truncate, wrap } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, footer, indent, measure, nextSteps, nothing, spaced } from './parts/lines.ts'
import { projectName, shortIds, when } from './parts/names.ts'

type Result = Static<typeof search.result>
type Hit = Result['hits'][number]

/** What was found, by session: who said it, when, and the words in their place. */
export function formatSearch(result: Result, view: View): readonly string[] {
  const behind =
    result.behindBytes === 0
      ? ''
      : `${bytes(result.behindBytes)} of logs are not indexed yet; they were looked through.`
  if (result.hits.length === 0) {
    return nothing('Nothing was found.', view, behind || 'Fewer words find more; word* finds its endings too.')
  }
  const short = shortIds(result.hits.map((hit) => hit.session))
  const groups = bySession(result.hits).map((hits) => groupLines(hits, short, view))
  const total = `${result.moreHits ? 'more than ' : ''}${plural(result.total, 'hit')}`
  const shown = result.hits.length < result.total ? `${result.hits.length} shown of ${total}` : total
  const [first] = result.hits
  return spaced([
    ...groups,
    footer([
      view.style.dim(
        truncate(dotted([shown, `in ${plural(result.sessions, 'session')}`, `${result.tookMs} ms`]), view.width),
      ),
      ...(behind ? [view.style.warn(truncate(behind, view.width))] : []),
      ...(first
        ? nextSteps([`annals show ${short(first.session)}`, `annals resume ${short(first.session)}`], view)
        : []),
    ]),
  ])
}

/** Sessions in the order of their first hit. */
function bySession(hits: readonly Hit[]): readonly (readonly Hit[])[] {
  const groups = new Map<string, Hit[]>()
  for (const hit of hits) {
    const group = groups.get(hit.session)
    if (group) group.push(hit)
    else groups.set(hit.session, [hit])
  }
  return [...groups.values()]
}

function groupLines(hits: readonly Hit[], short: (id: string) => string, view: View): readonly string[] {
  const first = hits[0] as Hit
  const head = dotted([short(first.session), projectName(first.project), when(first.timestamp, view)])
  return [view.style.strong(truncate(head, view.width)), ...hits.flatMap((hit) => hitLines(hit, view))]
}

function hitLines(hit: Hit, view: View): readonly string[] {
  const who = hit.agent ? `agent ${hit.agent.slice(0, 8)}` : hit.role === 'assistant' ? 'Claude' : hit.role
  const label = dotted([oneLine(who), oneLine(hit.kind), when(hit.timestamp, view)])
  const text = hit.snippet === null ? view.style.dim('(its log has vanished)') : marked(hit.snippet, hit.matches, view)
  return [
    view.style.dim(truncate(`  ${label}`, view.width)),
    ...(hit.before ?? []).map((one) => neighbourLine(one, view)),
    ...indent(wrap(text, measure(view) - 4), 4),
    ...(hit.after ?? []).map((one) => neighbourLine(one, view)),
  ]
}

/** What stands beside a hit, in one line. */
function neighbourLine({ role, text }: NonNullable<Hit['before']>[number], view: View): string {
  return view.style.dim(truncate(`    ${oneLine(role === 'assistant' ? 'Claude' : role)}: ${flat(text)}`, view.width))
}

/** The snippet with its matches in another colour; each piece is made plain by itself, so that offsets stay true. */
function marked(snippet: string, matches: Hit['matches'], view: View): string {
  let at = 0
  let text = ''
  for (const [from, to] of matches) {
    if (from < at) continue
    const match = flat(snippet.slice(from, to))
    text += flat(snippet.slice(at, from)) + view.style.match(`«${match}»`)
    at = to
  }
  return text + flat(snippet.slice(at))
}

function flat(text: string): string {
  return plain(text).replace(/\s+/g, ' ')
}
