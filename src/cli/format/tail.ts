import type { Static } from '../../core/schema.ts'
import type { tail } from '../../ops/tail.ts'
import { truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { measure, nothing, spaced } from './parts/lines.ts'
import { itemsLines, type TurnPlace, turnLines } from './parts/turn.ts'
import { sessionHead } from './show.ts'

type Tail = Static<typeof tail.result>

/** The last turns of a session. */
export function formatTail(result: Tail, view: View): readonly string[] {
  const place = placeOf(result, view)
  const said = turnLines(result.turns, place)
  return spaced([
    result.session ? sessionHead(result.session, view) : [],
    said.length > 0 ? said : nothing('Nothing was said in it yet.', view),
    itemsLines(result.items, place),
  ])
}

/** What was written since, while following. An answer to a call comes on its own, and is told only if it is bad. */
export function formatFollow(result: Tail, view: View): readonly string[] {
  const { style } = view
  const failed = result.items.filter((item) => item.kind === 'result' && item.isError)
  const lines = itemsLines(result.items, placeOf(result, view))
  return [...lines, ...failed.map(() => style.bad(truncate('✗ a call failed', view.width)))]
}

function placeOf({ session }: Tail, view: View): TurnPlace {
  return { view, width: measure(view), folder: session?.project.path ?? null, unopened: new Map() }
}
