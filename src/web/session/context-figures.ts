import type { OpResult } from '../api.ts'

/** What filled the window of a session. */
export type ContextResult = OpResult<'context'>

type Sizes = ContextResult['sizes'][number]

/** One kind of content: what it is called, how it is painted, how much of it there is. */
interface SizeKind {
  readonly name: string
  readonly fill: string
  readonly bytes: number
}

/** The kinds of content in the order they are drawn. */
export function sizeKinds(sizes: Sizes | undefined): readonly SizeKind[] {
  return [
    { name: 'prompts', fill: 'bg-prompt-edge', bytes: sizes?.prompts ?? 0 },
    { name: 'answers', fill: 'bg-accent', bytes: sizes?.answers ?? 0 },
    { name: 'thinking', fill: 'bg-edge', bytes: sizes?.thinking ?? 0 },
    { name: 'tool calls', fill: 'bg-code-keyword', bytes: sizes?.toolInput ?? 0 },
    { name: 'tool results', fill: 'bg-code-number', bytes: sizes?.toolResults ?? 0 },
    { name: 'attachments', fill: 'bg-heat-2', bytes: sizes?.attachments ?? 0 },
  ]
}

/** The window at the end of a turn. */
interface TurnWindow {
  readonly tokens: number
  readonly uuid: string
  readonly isCompacted: boolean
}

/** For each turn the window of its last response, and whether it was compacted in it. */
export function turnWindows({ points, compactions }: ContextResult): ReadonlyMap<number, TurnWindow> {
  const compacted = new Set(compactions.map(({ turn }) => turn))
  const windows = new Map<number, TurnWindow>()
  for (const { turn, windowTokens, uuid } of points) {
    const first = windows.get(turn)?.uuid ?? uuid
    windows.set(turn, { tokens: windowTokens, uuid: first, isCompacted: compacted.has(turn) })
  }
  return windows
}

/** A column of the chart: one response, or the largest of several where there are more than fit. */
export interface Column {
  readonly row: number
  readonly turn: number
  readonly uuid: string
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly input: number
  readonly window: number
}

/** At most so many columns; of those that fall together the largest is kept. */
export function columnsOf({ points }: ContextResult, most: number): readonly Column[] {
  const per = Math.max(1, Math.ceil(points.length / most))
  const columns: Column[] = []
  for (let from = 0; from < points.length; from += per) {
    const group = points.slice(from, from + per)
    const point = group.reduce((top, one) => (one.windowTokens > top.windowTokens ? one : top))
    columns.push({
      row: point.row,
      turn: point.turn,
      uuid: point.uuid,
      cacheRead: point.cacheReadTokens,
      cacheWrite: point.cacheWriteTokens,
      input: point.inputTokens,
      window: point.windowTokens,
    })
  }
  return columns
}
