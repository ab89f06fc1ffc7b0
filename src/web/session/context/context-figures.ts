import type { OpResult } from '../../api.ts'

/** What filled the window of a session. */
export type ContextResult = OpResult<'context'>

type Sizes = ContextResult['sizes'][number]
type Held = ContextResult['points'][number]['held']

/** What can be in a window, in the order it is drawn, from the bottom up. */
export const KINDS = [
  { key: 'system', name: 'system, tools and what no log holds', fill: 'fill-line', box: 'bg-line' },
  { key: 'memory', name: 'CLAUDE.md', fill: 'fill-live', box: 'bg-live' },
  { key: 'skills', name: 'skills', fill: 'fill-heat-3', box: 'bg-heat-3' },
  { key: 'files', name: 'files', fill: 'fill-ansi-cyan', box: 'bg-ansi-cyan' },
  { key: 'summaries', name: 'summaries', fill: 'fill-warn', box: 'bg-warn' },
  { key: 'attachments', name: 'notes of the client', fill: 'fill-heat-2', box: 'bg-heat-2' },
  { key: 'toolResults', name: 'tool results', fill: 'fill-code-number', box: 'bg-code-number' },
  { key: 'toolInput', name: 'tool calls', fill: 'fill-code-keyword', box: 'bg-code-keyword' },
  { key: 'thinking', name: 'thinking', fill: 'fill-series-7', box: 'bg-series-7' },
  { key: 'answers', name: 'answers', fill: 'fill-accent', box: 'bg-accent' },
  { key: 'prompts', name: 'prompts', fill: 'fill-prompt-edge', box: 'bg-prompt-edge' },
] as const satisfies readonly { readonly key: keyof Held; readonly [more: string]: string }[]

/** The same by what the API had kept of it. */
export const CACHES = [
  { key: 'cacheRead', name: 'from the cache', fill: 'fill-heat-2', box: 'bg-heat-2' },
  { key: 'cacheWrite', name: 'written to the cache', fill: 'fill-accent', box: 'bg-accent' },
  { key: 'input', name: 'neither', fill: 'fill-prompt-edge', box: 'bg-prompt-edge' },
] as const

/** A part of a column, in tokens. */
export interface Part {
  readonly key: string
  readonly name: string
  readonly fill: string
  readonly tokens: number
}

/** A column of the chart: one response, or the largest of several where there are more than fit. */
export interface Column {
  readonly row: number
  readonly turn: number
  readonly uuid: string
  readonly timestamp: string | null
  readonly model: string | null
  readonly window: number
  readonly parts: readonly Part[]
}

/** At most so many columns; of those that fall together the largest is kept. */
export function columnsOf(
  { points }: Pick<ContextResult, 'points'>,
  most: number,
  by: 'content' | 'cache',
): readonly Column[] {
  const per = Math.max(1, Math.ceil(points.length / most))
  const columns: Column[] = []
  for (let from = 0; from < points.length; from += per) {
    const group = points.slice(from, from + per)
    const { row, turn, uuid, timestamp, model, windowTokens, ...point } = group.reduce((top, one) =>
      one.windowTokens > top.windowTokens ? one : top,
    )
    const cached = { cacheRead: point.cacheReadTokens, cacheWrite: point.cacheWriteTokens, input: point.inputTokens }
    const parts =
      by === 'cache'
        ? CACHES.map(({ key, name, fill }) => ({ key, name, fill, tokens: cached[key] }))
        : KINDS.map(({ key, name, fill }) => ({ key, name, fill, tokens: point.held[key] }))
    columns.push({ row, turn, uuid, timestamp, model, window: windowTokens, parts })
  }
  return columns
}

/** What a turn or a step added, in bytes. */
export function bytesOf(sizes: Sizes): number {
  return KINDS.reduce((sum, { key }) => sum + (key === 'system' ? 0 : sizes[key]), 0)
}

/** What a turn or a step added, in estimated tokens: those kinds that it has. */
export function addedBy(sizes: Sizes, bytesPerToken: number) {
  return KINDS.flatMap(({ key, name, box }) => {
    const bytes = key === 'system' ? 0 : sizes[key]
    return bytes === 0 ? [] : [{ key, name, box, tokens: Math.max(1, Math.round(bytes / bytesPerToken)) }]
  })
}

/** The window at the end of a turn. */
interface TurnWindow {
  readonly tokens: number
  readonly isCompacted: boolean
}

/** For each turn the window of its last response, and whether it was compacted in it. */
export function turnWindows({ points, compactions }: ContextResult): ReadonlyMap<number, TurnWindow> {
  const compacted = new Set(compactions.map(({ turn }) => turn))
  return new Map(
    points.map(({ turn, windowTokens }) => [turn, { tokens: windowTokens, isCompacted: compacted.has(turn) }]),
  )
}

/** Who put how much into the window: a kind, and below it each file, tool or skill. */
export interface SourceGroup {
  readonly name: string
  readonly box: string
  readonly tokens: number
  readonly times: number
  readonly members: readonly { readonly name: string; readonly tokens: number; readonly times: number }[]
}

/** Groups sources by kind, tool results by tool; the largest first. */
export function sourceGroups({
  sources,
  bytesPerToken,
}: Pick<ContextResult, 'sources' | 'bytesPerToken'>): readonly SourceGroup[] {
  const groups = new Map<
    string,
    { name: string; box: string; tokens: number; times: number; members: SourceGroup['members'][number][] }
  >()
  for (const { kind, name, bytes, times } of sources) {
    const { name: kindName, box } = KINDS.find(({ key }) => key === kind) ?? { name: kind, box: 'bg-edge' }
    const [tool = '', ...about] = (name ?? '').split(' · ')
    const isResult = kind === 'toolResults'
    const title = isResult ? `results of ${tool || 'tools'}` : kindName
    const tokens = Math.max(1, Math.round(bytes / bytesPerToken))
    const group = groups.get(title) ?? { name: title, box, tokens: 0, times: 0, members: [] }
    group.tokens += tokens
    group.times += times
    const member = isResult ? about.join(' · ') : name
    if (member !== null && member !== '') group.members.push({ name: member, tokens, times })
    groups.set(title, group)
  }
  return [...groups.values()].sort((a, b) => b.tokens - a.tokens)
}
