import { memo, type ReactNode, useMemo, useState } from 'react'
import { useNavigate } from '../../routing.tsx'
import { ChartTip, Legend, Sign } from '../../ui/chart-parts.tsx'
import { Money } from '../../ui/figures.tsx'
import { Select } from '../../ui/select.tsx'
import { tokensText } from '../../ui/words.ts'
import { turnReceipt } from '../point-link.ts'
import { CACHES, type Column, type ContextResult, columnsOf, KINDS } from './context-figures.ts'

const WIDTH = 1000
const HEIGHT = 240
const MOST_COLUMNS = 240
/** Few columns are not wider than this; they stand apart. */
const WIDEST = 56
/** So far apart stand the numbers of turns, at least. */
const TICK = 70

const VIEWS = [
  { value: 'content', text: 'By content, estimated' },
  { value: 'cache', text: 'By cache, measured' },
] as const

interface Props {
  readonly session: string
  readonly branch: string | undefined
  readonly context: ContextResult
}

/** The tokens that went into the model with each response against what its window holds, and where it was compacted. */
export function WindowChart({ session, branch, context }: Props) {
  const navigate = useNavigate()
  const [by, setBy] = useState<'content' | 'cache'>('content')
  const [hovered, setHovered] = useState<number>()
  const columns = useMemo(() => columnsOf(context, MOST_COLUMNS, by), [context, by])
  const limit = context.windowTokens
  const top = topOf(columns, limit)
  const step = niceStep(top)
  const width = WIDTH / Math.max(1, columns.length)
  const y = (tokens: number) => heightOf(tokens, top)
  const xOf = (row: number) => {
    const after = columns.findIndex((column) => column.row > row)
    return (after === -1 ? columns.length : after) * width
  }
  const lines = Array.from({ length: Math.floor(top / step) + 1 }, (_, at) => at * step)
  const used = new Set(columns.flatMap(({ parts }) => parts.flatMap(({ key, tokens }) => (tokens > 0 ? [key] : []))))
  const legend = (by === 'content' ? KINDS : CACHES).filter(({ key }) => used.has(key))
  const ticks = turnTicks(columns, width)
  const column = hovered === undefined ? undefined : columns[hovered]
  return (
    <div>
      <div className="mb-3 flex flex-wrap items-start gap-x-4 gap-y-2">
        <Legend items={legend.map(({ name, box }) => ({ name, look: box }))}>
          {top === limit && (
            <Sign name="what it holds">
              <span className="h-0.5 w-3 bg-danger" />
            </Sign>
          )}
          {context.compactions.length > 0 && (
            <Sign name="compaction">
              <span className="h-3 w-0.5 bg-warn" />
            </Sign>
          )}
          {context.lostCaches.length > 0 && (
            <Sign name="cache lost">
              <span className="text-danger">▾</span>
            </Sign>
          )}
        </Legend>
        <Select label="What the colours tell" value={by} options={VIEWS} onChange={setBy} />
      </div>
      <div className="flex gap-2">
        <div
          aria-hidden="true"
          className="relative w-11 shrink-0 text-right text-xs text-muted"
          style={{ height: HEIGHT }}
        >
          {lines.map((tokens) => (
            <span key={tokens} className="absolute right-0 -translate-y-1/2" style={{ top: y(tokens) }}>
              {tokensText(tokens)}
            </span>
          ))}
        </div>
        <div className="relative min-w-0 flex-1" onPointerLeave={() => setHovered(undefined)}>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: the table below leads by keys to the same places */}
          <svg
            role="img"
            aria-label={`The window of ${columns.length} responses against ${tokensText(limit)} tokens. The table below has the numbers.`}
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            preserveAspectRatio="none"
            className="block w-full cursor-pointer overflow-visible"
            height={HEIGHT}
            onPointerMove={(event) => {
              const box = event.currentTarget.getBoundingClientRect()
              const at = Math.floor(((event.clientX - box.left) / box.width) * columns.length)
              setHovered(at >= 0 && at < columns.length ? at : undefined)
            }}
            onClick={() => {
              if (!column) return
              const search = { at: column.uuid, ...(branch !== undefined && { branch }) }
              navigate({ to: '/s/$session', params: { session }, search })
            }}
          >
            {lines.map((tokens) => (
              <line
                key={tokens}
                x1={0}
                x2={WIDTH}
                y1={y(tokens)}
                y2={y(tokens)}
                className="stroke-line"
                vectorEffect="non-scaling-stroke"
              />
            ))}
            <Stacks columns={columns} width={width} top={top} />
            {top === limit && (
              <line
                x1={0}
                x2={WIDTH}
                y1={y(limit)}
                y2={y(limit)}
                strokeWidth={1.5}
                className="stroke-danger"
                vectorEffect="non-scaling-stroke"
              />
            )}
            {context.compactions.map(({ uuid, row }) => (
              <line
                key={uuid}
                x1={xOf(row)}
                x2={xOf(row)}
                y1={0}
                y2={HEIGHT}
                strokeWidth={2}
                className="stroke-warn"
                vectorEffect="non-scaling-stroke"
              />
            ))}
            {hovered !== undefined && (
              <rect
                x={hovered * width}
                width={width}
                y={0}
                height={HEIGHT}
                className="pointer-events-none fill-ink/10"
              />
            )}
          </svg>
          {context.lostCaches.map(({ uuid, row }) => (
            <span
              key={uuid}
              aria-hidden="true"
              className="pointer-events-none absolute -top-3 -translate-x-1/2 text-xs text-danger"
              style={{ left: `${((xOf(row) - width / 2) / WIDTH) * 100}%` }}
            >
              ▾
            </span>
          ))}
          {column && <Tip column={column} at={(hovered ?? 0) / columns.length} limit={limit} by={by} />}
        </div>
      </div>
      <div aria-hidden="true" className="relative mt-1 ml-13 h-4 text-xs whitespace-nowrap text-muted">
        {ticks.map(({ turn, x }) => (
          <span
            key={turn}
            className={`absolute ${ticks.length > 4 ? 'max-sm:nth-[even]:hidden' : ''}`}
            style={{ left: `${(x / WIDTH) * 100}%` }}
          >
            {turn === 0 ? 'start' : `turn ${turn}`}
          </span>
        ))}
      </div>
      <Notes session={session} branch={branch} context={context} />
    </div>
  )
}

/** Where turns begin, as far as there is room to say so. */
function turnTicks(columns: readonly Column[], width: number): readonly { turn: number; x: number }[] {
  const ticks: { turn: number; x: number }[] = []
  const edge = Math.max(0, (width - WIDEST) / 2)
  columns.forEach(({ turn }, at) => {
    const x = at * width + edge
    const last = ticks.at(-1)
    const isNew = last === undefined || (turn > last.turn && x >= last.x + TICK)
    if (isNew && x <= WIDTH - TICK / 2) ticks.push({ turn, x })
  })
  return ticks
}

/** As many tokens as the chart is high: what the window holds, or less where columns would be a flat line below that. */
function topOf(columns: readonly Column[], limit: number): number {
  const fullest = columns.reduce((most, { window }) => Math.max(most, window), 1)
  const step = niceStep(fullest)
  return fullest * 3 > limit ? limit : Math.ceil(fullest / step) * step
}

/** How far from the top so many tokens reach. */
function heightOf(tokens: number, top: number): number {
  return HEIGHT - (Math.min(tokens, top * 1.04) / (top * 1.04)) * HEIGHT
}

interface StacksProps {
  readonly columns: readonly Column[]
  readonly width: number
  readonly top: number
}

/** The columns, all of one colour drawn together, and not again while one points at them: they are hundreds. */
const Stacks = memo(function Stacks({ columns, width, top }: StacksProps) {
  const wide = Math.min(WIDEST, Math.max(0.5, width - Math.min(2, width * 0.15)))
  const left = (width - wide) / 2
  const paths = new Map<string, string>()
  columns.forEach(({ parts }, at) => {
    let below = 0
    for (const { fill, tokens } of parts) {
      if (tokens <= 0) continue
      const from = heightOf(below, top)
      below += tokens
      const to = heightOf(below, top)
      const box = `M${(at * width + left).toFixed(2)} ${to.toFixed(1)}h${wide.toFixed(2)}V${from.toFixed(1)}h-${wide.toFixed(2)}z`
      paths.set(fill, (paths.get(fill) ?? '') + box)
    }
  })
  return [...paths].map(([fill, path]) => <path key={fill} d={path} className={fill} />)
})

function Tip({ column, at, limit, by }: { column: Column; at: number; limit: number; by: 'content' | 'cache' }) {
  const parts = column.parts.filter(({ tokens }) => tokens > 0).toReversed()
  const share = Math.round((column.window / limit) * 100)
  return (
    <ChartTip
      title={`Turn ${column.turn}: ${tokensText(column.window)} tokens, ${share} % of the window`}
      style={{ top: 8, ...(at > 0.5 ? { right: `${(1 - at) * 100 + 1}%` } : { left: `${at * 100 + 3}%` }) }}
    >
      <table>
        <tbody>
          {parts.map(({ key, name, fill, tokens }) => (
            <tr key={key}>
              <td className="pr-1.5">
                <svg aria-hidden="true" width={8} height={8} className="inline-block">
                  <rect width={8} height={8} rx={2} className={fill} />
                </svg>
              </td>
              <td className="pr-4">{name}</td>
              <td className="text-right whitespace-nowrap tabular-nums">
                {by === 'content' && '≈ '}
                {tokensText(tokens)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ChartTip>
  )
}

const WHY = {
  hour: 'more than an hour had gone by',
  minutes: 'more than five minutes had gone by',
  model: 'another model answered',
  unknown: 'why is not known',
} as const

/** Compactions with what was before and after, and caches that were lost, with what that cost. */
function Notes({ session, branch, context: { compactions, lostCaches } }: Props) {
  const more = branch === undefined ? {} : { branch }
  const go = useNavigate()
  const line = (key: string, uuid: string, sign: string, look: string, text: string, cost?: ReactNode) => (
    <li key={key} className="flex gap-2">
      <span aria-hidden="true" className={look}>
        {sign}
      </span>
      <button
        type="button"
        className="text-left hover:underline"
        onClick={() => go({ to: '/s/$session', params: { session }, search: { at: uuid, ...more } })}
      >
        {text}
      </button>
      {cost}
    </li>
  )
  if (compactions.length + lostCaches.length === 0) return null
  const lost = lostCaches.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)
  return (
    <div className="mt-3 space-y-2 text-sm text-muted">
      {compactions.length > 0 && (
        <ul>{compactions.map((one) => line(`c ${one.uuid}`, one.uuid, '⌁', 'text-warn', compactionText(one)))}</ul>
      )}
      {lostCaches.length > 0 && (
        <p>
          The cache was lost {lostCaches.length === 1 ? 'once' : `${lostCaches.length} times`}, at a cost of about{' '}
          <Money usd={lost} receipt={session} isPart />
        </p>
      )}
      {lostCaches.length > 0 && (
        <details open={lostCaches.length <= 5}>
          <summary>Where, and why</summary>
          <ul className="mt-1">
            {lostCaches.map(({ uuid, turn, lostTokens, costUsd, why }) =>
              line(
                `l ${uuid}`,
                uuid,
                '▾',
                'text-danger',
                `turn ${turn}: ${tokensText(lostTokens)} tokens read anew; ${WHY[why]}`,
                <span className="whitespace-nowrap">
                  <Money usd={costUsd} receipt={turnReceipt(session, turn) ?? session} isPart /> more
                </span>,
              ),
            )}
          </ul>
        </details>
      )}
    </div>
  )
}

/** `compacted in turn 18 (auto): 156.6k → 6.4k tokens` */
function compactionText({ turn, trigger, preTokens, postTokens }: ContextResult['compactions'][number]): string {
  const sizes = [preTokens, postTokens].flatMap((tokens) => (tokens === null ? [] : [tokensText(tokens)]))
  const told = sizes.length === 0 ? '' : `: ${sizes.join(' → ')} tokens`
  return `compacted in turn ${turn}${trigger === null ? '' : ` (${trigger})`}${told}`
}

/** A step of the scale: 1, 2 or 5 of some power of ten, four or five of them in all. */
function niceStep(most: number): number {
  const rough = most / 4
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)))
  const nice = [1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10
  return nice * power
}
