import type { Static } from '../../core/schema.ts'
import { meaningOf } from '../../core/tools/meaning-of.ts'
import { toolWords } from '../../core/tools/tool-words.ts'
import type { FollowedItem } from '../../history/view/item-shape.ts'
import type { tail } from '../../ops/tail.ts'
import { oneLine } from '../terminal/sanitize.ts'
import { truncate } from '../terminal/width.ts'
import type { View } from '../view.ts'
import { dotted, measure, nothing, spaced } from './parts/lines.ts'
import { itemsLines, type TurnPlace, turnLines } from './parts/turn.ts'
import { sessionHead } from './show.ts'

type Tail = Static<typeof tail.result>

/** The last turns of a session. */
export function formatTail(result: Tail, view: View): readonly string[] {
  const place = placeOf(result, view)
  const said = turnLines(result.turns, place)
  return spaced([
    result.session ? sessionHead(result.session, view) : [],
    said.length > 0 ? said : nothing('This session has no messages yet.', view),
    itemsLines(result.items, place),
  ])
}

/** What was written since, while following. An answer to a call comes on its own, and is told only if it is bad. */
export function formatFollow(result: Tail, view: View): readonly string[] {
  const lines = itemsLines(result.items, placeOf(result, view))
  return [...lines, ...result.items.flatMap((item) => (item.kind === 'result' ? failureLines(item, view) : []))]
}

/** Which call failed, and the first that it said. */
function failureLines(item: Extract<FollowedItem, { kind: 'result' }>, view: View): string[] {
  if (!item.isError) return []
  const call = { ...item, name: item.name ?? 'a call', input: item.input ?? {} }
  const { verb, what } = toolWords(
    call.name,
    meaningOf({ ...call, details: null, result: item.text, exitCode: null }),
    (path) => path,
  )
  const named = oneLine(`${verb} ${what.trim().split('\n')[0] ?? ''}`)
  const said = oneLine(item.text.trim().split('\n')[0] ?? '')
  return [view.style.bad(truncate(`✗ ${dotted([`${named} failed`, said])}`, view.width))]
}

function placeOf({ session }: Tail, view: View): TurnPlace {
  return { view, width: measure(view), folder: session?.project.path ?? null, unopened: new Map() }
}
