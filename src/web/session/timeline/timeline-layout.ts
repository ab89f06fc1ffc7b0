import type { OpResult } from '../../api.ts'

/** How a session went over time, as the server tells it. */
export type Timed = OpResult<'timeline'>

/** Something on the picture: where it stands, and what it is. */
export interface Bar {
  readonly kind: 'turn' | 'wait' | 'step' | 'call' | 'ask' | 'agent' | 'task'
  readonly lane: number
  readonly from: number
  readonly to: number
  readonly text: string
  readonly isFailed: boolean
  /** Its end is not known: it goes on to the end of what is drawn. */
  readonly isOpen: boolean
  readonly turn: number
  /** Where a click leads. */
  readonly uuid: string
  readonly agent: string | undefined
  readonly index: number
}

/** The picture: bars on lanes, and how a moment becomes a place. */
export interface TimelinePicture {
  readonly bars: readonly Bar[]
  /** Turns and waits stand on the first lane, steps on the second; then tools, then agents and tasks. */
  readonly callLanes: number
  readonly taskLanes: number
  readonly scale: Scale
  readonly from: number
  readonly to: number
}

/** Waits longer than this are folded: a night would hide the work. */
const FOLDED_MS = 2 * 60_000
const MOST_CALL_LANES = 6
const MOST_TASK_LANES = 24

/** A step of a turn, as the outline marks it. */
export interface TimedStep {
  readonly row: number
  readonly uuid: string
  readonly text: string
  readonly timestamp: string | null
}

/** Lays a session out over time. Times that are missing take their bars with them. */
export function timelinePicture(
  { turns, calls, tasks }: Timed,
  steps: readonly TimedStep[],
): TimelinePicture | undefined {
  const spans = turns.flatMap((turn, index) => {
    const [from, to] = [msOf(turn.startedAt), msOf(turn.endedAt)]
    return from === undefined || to === undefined ? [] : [{ turn, index, from, to: Math.max(from, to) }]
  })
  const [first] = spans
  if (!first) return undefined
  const from = spans.reduce((least, span) => Math.min(least, span.from), first.from)
  const last = spans.reduce((most, span) => Math.max(most, span.to), first.to)
  const to = tasks.reduce((most, task) => Math.max(most, msOf(task.endedAt) ?? most), last)
  const bars: Bar[] = []
  for (const { turn, index, from: start, to: end } of spans) {
    const where = { lane: 0, turn: turn.turn, uuid: turn.uuid, agent: undefined, index, isFailed: false, isOpen: false }
    bars.push({ ...where, kind: 'turn', from: start, to: end, text: turn.text ?? 'Before the first prompt' })
    if (turn.waitMs !== null && turn.waitMs > 0) {
      bars.push({ ...where, kind: 'wait', from: end, to: end + turn.waitMs, text: 'Waiting for you' })
    }
  }
  steps.forEach((step, index) => {
    const start = msOf(step.timestamp)
    const own = start === undefined ? undefined : spans.findLast(({ turn }) => turn.row <= step.row)
    if (start === undefined || !own) return
    const next = steps[index + 1]
    const end = Math.max(start, Math.min(own.to, msOf(next?.timestamp ?? null) ?? own.to))
    const where = { lane: 1, turn: own.turn.turn, uuid: step.uuid, agent: undefined, index }
    bars.push({ ...where, kind: 'step', from: start, to: end, text: step.text, isFailed: false, isOpen: false })
  })
  const callBars = packed(
    calls.flatMap((call, index) => {
      const span = spanOf(call, last)
      return span
        ? [{ ...call, ...span, index, parent: null, kind: call.asks ? ('ask' as const) : ('call' as const) }]
        : []
    }),
    MOST_CALL_LANES,
  )
  const taskBars = packed(
    tasks.flatMap((task, index) => {
      const span = spanOf(task, to)
      return span ? [{ ...task, ...span, index }] : []
    }),
    MOST_TASK_LANES,
  )
  const callLanes = lanesOf(callBars)
  for (const bar of callBars) bars.push({ ...bar, lane: bar.lane + 2, agent: undefined })
  for (const bar of taskBars) {
    bars.push({ ...bar, lane: bar.lane + 2 + callLanes, agent: bar.kind === 'agent' ? bar.id : undefined })
  }
  return { bars, callLanes, taskLanes: lanesOf(taskBars), scale: scaleOf(spans, from, to), from, to }
}

interface Packable {
  readonly id: string
  readonly kind: Bar['kind']
  readonly parent: string | null
  readonly from: number
  readonly to: number
  readonly isOpen: boolean
  readonly text: string
  readonly failed: boolean
  readonly turn: number
  readonly uuid: string
  readonly index: number
}

/** Puts what runs side by side on lanes of its own, and what was started by another below that. */
function packed<T extends Packable>(items: readonly T[], most: number) {
  const free: number[] = []
  const laneOf = new Map<string, number>()
  const sorted = items.toSorted((a, b) => a.from - b.from || b.to - a.to)
  return sorted.map((item) => {
    const { id, kind, parent, from, to, isOpen, text, failed, turn, uuid, index } = item
    let lane = parent === null ? 0 : (laneOf.get(parent) ?? -1) + 1
    while (lane < most - 1 && (free[lane] ?? Number.NEGATIVE_INFINITY) > from) lane++
    free[lane] = Math.max(to, free[lane] ?? to)
    laneOf.set(id, lane)
    return { id, kind, lane, from, to, isOpen, text, isFailed: failed, turn, uuid, index }
  })
}

function lanesOf(bars: readonly { readonly lane: number }[]): number {
  return bars.reduce((most, { lane }) => Math.max(most, lane + 1), 0)
}

function spanOf(span: { readonly startedAt: string | null; readonly endedAt: string | null }, end: number) {
  const from = msOf(span.startedAt)
  if (from === undefined) return undefined
  const to = msOf(span.endedAt)
  return { from, to: Math.max(from, to ?? end), isOpen: to === undefined }
}

/** Makes places of moments, from 0 to 1, long waits folded. */
export interface Scale {
  readonly at: (ms: number) => number
}

/** A folded wait is as wide as this part of the picture, all of them together a third of it at most. */
const FOLD_SHARE = 0.02

function scaleOf(spans: readonly { readonly from: number; readonly to: number }[], from: number, to: number): Scale {
  const folds: { from: number; to: number }[] = []
  let reached = from
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    if (span.from - reached > FOLDED_MS) folds.push({ from: reached, to: span.from })
    reached = Math.max(reached, span.to)
  }
  if (to - reached > FOLDED_MS) folds.push({ from: reached, to })
  const foldedMs = folds.reduce((sum, fold) => sum + fold.to - fold.from, 0)
  const share = Math.min(FOLD_SHARE, 1 / 3 / Math.max(1, folds.length))
  const rest = 1 - share * folds.length
  const perMs = rest / Math.max(1, to - from - foldedMs)
  const knots: { ms: number; x: number }[] = [{ ms: from, x: 0 }]
  for (const fold of folds) {
    const before = knots.at(-1) as { ms: number; x: number }
    const x = before.x + (fold.from - before.ms) * perMs
    knots.push({ ms: fold.from, x }, { ms: fold.to, x: x + share })
  }
  const before = knots.at(-1) as { ms: number; x: number }
  knots.push({ ms: Math.max(to, from + 1), x: Math.max(before.x, 1) })
  return {
    at: (ms) => {
      let low = 0
      let high = knots.length - 1
      while (high - low > 1) {
        const middle = (low + high) >> 1
        if ((knots[middle]?.ms ?? 0) <= ms) low = middle
        else high = middle
      }
      const [a, b] = [knots[low], knots[high]]
      if (!a || !b) return 0
      const part = b.ms === a.ms ? 0 : (ms - a.ms) / (b.ms - a.ms)
      return Math.min(1, Math.max(0, a.x + Math.min(1, Math.max(0, part)) * (b.x - a.x)))
    },
  }
}

function msOf(iso: string | null): number | undefined {
  const ms = Date.parse(iso ?? '')
  return Number.isNaN(ms) ? undefined : ms
}
