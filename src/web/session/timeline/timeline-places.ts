import type { Bar, TimelinePicture } from './timeline-layout.ts'

/** How high the bars of turns are. */
export const TURN_HEIGHT = 26
/** And those of steps. */
export const STEP = 18
const LANE = 15
const TASK = 19
const GAP = 10
/** The room above them for the time of day. */
export const AXIS = 22

/** Where the lanes of a timeline stand, from top to bottom. */
export interface Places {
  readonly top: (lane: number) => number
  readonly high: (lane: number) => number
  readonly height: number
}

/** Turns first, then steps, calls, and what ran beside them. */
export function placesOf({ callLanes, taskLanes }: TimelinePicture): Places {
  const steps = AXIS + TURN_HEIGHT + 3
  const calls = steps + STEP + GAP
  const tasks = calls + callLanes * LANE + (callLanes > 0 ? GAP : 0)
  return {
    top: (lane) => {
      if (lane <= 1) return lane === 0 ? AXIS : steps
      return lane - 2 < callLanes ? calls + (lane - 2) * LANE : tasks + (lane - 2 - callLanes) * TASK
    },
    high: (lane) => {
      if (lane <= 1) return lane === 0 ? TURN_HEIGHT : STEP
      return lane - 2 < callLanes ? LANE - 3 : TASK - 3
    },
    height: tasks + taskLanes * TASK + 4,
  }
}

/** A bar is never so narrow that it cannot be seen. */
export const LEAST = 2

/** Where a bar stands from left to right. */
export function boxOf({ scale }: TimelinePicture, width: number, { from, to }: Bar) {
  const x = scale.at(from) * width
  return { x, width: Math.max(LEAST, scale.at(to) * width - x) }
}

/** How far beside a bar one may point. */
const NEAR = 3

/** The bar under the pointer; a wait only where there is no other. */
export function foundAt(
  picture: TimelinePicture,
  places: Places,
  width: number,
  x: number,
  y: number,
): Bar | undefined {
  const isIn = (bar: Bar) => {
    const box = boxOf(picture, width, bar)
    const isWide = bar.kind === 'wait'
    const top = isWide ? AXIS : places.top(bar.lane)
    const bottom = isWide ? places.height : top + places.high(bar.lane)
    return x >= box.x - NEAR && x <= box.x + box.width + NEAR && y >= top && y <= bottom
  }
  return picture.bars.find((bar) => bar.kind !== 'wait' && isIn(bar)) ?? picture.bars.find(isIn)
}
