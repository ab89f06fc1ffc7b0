import type { Static } from '../../core/schema.ts'
import type { WholeTurn } from '../../history/view/turn-shape.ts'
import type { read } from '../../ops/read.ts'
import { count } from '../terminal/human.ts'
import { truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, footer, measure, nextSteps, nothing, spaced } from './parts/lines.ts'
import { shortId } from './parts/names.ts'
import { turnLines } from './parts/turn.ts'

type Page = Static<typeof read.result>

/** A page of a conversation, as `show` would show it, and where it stands. */
export function formatRead(page: Page, view: View): readonly string[] {
  const { from, total, rows, at } = page
  const name = page.agent === null ? shortId(page.session) : `agent-${page.agent}`
  if (rows.length === 0) {
    const last = total === 0 ? undefined : `The last one is ${count(total - 1)}.`
    return nothing(total === 0 ? 'This session has no messages.' : 'There are no rows after that.', view, last)
  }
  const end = from + rows.length
  const place = { view, width: measure(view), folder: page.cwd, unopened: new Map() }
  const where = dotted([
    `rows ${count(from)} to ${count(end - 1)} of ${count(total)}`,
    at === null ? '' : `yours is ${count(at)}`,
  ])
  return spaced([
    turnLines(turnsOf(rows), place),
    footer([
      view.style.dim(truncate(where, view.width)),
      ...nextSteps(end < total ? [`annals show ${name} --rows --from ${end}`] : [], view),
    ]),
  ])
}

const NOTHING_USED = {
  responses: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  webSearches: 0,
}

/** The rows as turns again; the first may be the rest of one. */
function turnsOf(rows: Page['rows']): readonly WholeTurn[] {
  const turns: WholeTurn[] = []
  for (const { turn: number, prompt, items } of rows) {
    const open = turns.at(-1)
    if (open && open.number === number) open.items.push(...items)
    else {
      const times = { costUsd: null, models: [], startedAt: null, durationMs: null }
      turns.push({ number, prompt, items: [...items], usage: NOTHING_USED, ...times })
    }
  }
  return turns
}
