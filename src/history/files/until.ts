import type { OpenedSession } from '../open.ts'
import type { Point } from '../point.ts'
import type { TimedTouch } from './timeline.ts'

/** How many of the touches, which are in the order of time, had happened at a point. */
export function touchesUntil(
  touches: readonly TimedTouch[],
  { file, offset, timestamp }: Pick<Point, 'file' | 'offset' | 'timestamp'>,
): number {
  if (offset < 0) return 0
  const said = Date.parse(timestamp ?? '')
  const own = touches.filter(({ place }) => place.file === file && place.offset <= offset)
  const time = Math.max(
    own.at(-1)?.time ?? Number.NEGATIVE_INFINITY,
    Number.isNaN(said) ? Number.NEGATIVE_INFINITY : said,
  )
  return touches.filter((one) => (one.place.file === file ? one.place.offset <= offset : one.time <= time)).length
}

/** The number of the turn that a touch falls into, by the branch that the session would go on with. */
export function turnsOf(opened: OpenedSession): (touch: TimedTouch) => number | null {
  const { conversation } = opened
  const { nodes, active } = conversation.tree
  const starts = conversation.turns(active).flatMap(({ number, prompt }) => {
    const node = prompt === undefined ? undefined : nodes[prompt]
    return node ? [{ number, offset: node.offset, time: Date.parse(node.timestamp ?? '') }] : []
  })
  return ({ place, time }) => {
    const isOwn = place.file === conversation.entry.path
    return starts.findLast((turn) => (isOwn ? turn.offset <= place.offset : turn.time <= time))?.number ?? null
  }
}
