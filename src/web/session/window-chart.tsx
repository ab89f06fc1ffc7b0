import { useMemo } from 'react'
import { useNavigate } from '../routing.tsx'
import { tokensText } from '../ui/words.ts'
import { type ContextResult, columnsOf } from './context-figures.ts'

const WIDTH = 1000
const HEIGHT = 220
const MOST_COLUMNS = 400

const PARTS = [
  { key: 'cacheRead', name: 'from the cache', fill: 'fill-heat-2', box: 'bg-heat-2' },
  { key: 'cacheWrite', name: 'written to the cache', fill: 'fill-accent', box: 'bg-accent' },
  { key: 'input', name: 'neither', fill: 'fill-prompt-edge', box: 'bg-prompt-edge' },
] as const

interface Props {
  readonly session: string
  readonly branch: string | undefined
  readonly context: ContextResult
}

/** The tokens that went into the model with each response, and where the window was compacted. */
export function WindowChart({ session, branch, context }: Props) {
  const navigate = useNavigate()
  const go = (at: string) =>
    navigate({ to: '/s/$session', params: { session }, search: { ...(branch !== undefined && { branch }), at } })
  const columns = useMemo(() => columnsOf(context, MOST_COLUMNS), [context])
  const most = columns.reduce((top, { window }) => Math.max(top, window), 1)
  const step = niceStep(most)
  const top = Math.ceil(most / step) * step
  const width = WIDTH / Math.max(columns.length, 12)
  const y = (tokens: number) => HEIGHT - (tokens / top) * HEIGHT
  const xOf = (row: number) => {
    const after = columns.findIndex((column) => column.row > row)
    return (after === -1 ? columns.length : after) * width
  }
  const lines = Array.from({ length: Math.round(top / step) + 1 }, (_, at) => at * step)
  return (
    <div>
      <ul className="mb-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        {PARTS.map(({ name, box }) => (
          <li key={name} className="flex items-center gap-1.5">
            <span aria-hidden="true" className={`inline-block size-3 rounded-sm ${box}`} />
            {name}
          </li>
        ))}
        <li className="flex items-center gap-1.5">
          <span aria-hidden="true" className="inline-block h-3 w-0.5 bg-warn" />
          compaction
        </li>
      </ul>
      <div className="flex gap-2">
        <div
          aria-hidden="true"
          className="relative w-10 shrink-0 text-right text-xs text-muted"
          style={{ height: HEIGHT }}
        >
          {lines.map((tokens) => (
            <span key={tokens} className="absolute right-0 -translate-y-1/2" style={{ top: y(tokens) }}>
              {tokensText(tokens)}
            </span>
          ))}
        </div>
        <svg
          role="img"
          aria-label={`The window of ${columns.length} responses, at most ${tokensText(most)} tokens. The table below has the numbers.`}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="block min-w-0 flex-1 overflow-visible"
          height={HEIGHT}
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
          {columns.map((column, at) => {
            let below = 0
            return (
              // biome-ignore lint/a11y/noStaticElementInteractions: the table below leads by keys to the same places
              <g key={column.uuid} className="cursor-pointer" onClick={() => go(column.uuid)}>
                {PARTS.map(({ key, fill }) => {
                  const from = below
                  below += column[key]
                  return (
                    <rect
                      key={key}
                      x={at * width}
                      width={Math.max(0.5, width - Math.min(2, width * 0.15))}
                      y={y(below)}
                      height={Math.max(0, y(from) - y(below))}
                      className={fill}
                    />
                  )
                })}
                <rect x={at * width} width={width} y={0} height={HEIGHT} className="fill-transparent hover:fill-ink/10">
                  <title>{`Turn ${column.turn}: ${tokensText(column.window)} tokens`}</title>
                </rect>
              </g>
            )
          })}
          {context.compactions.map((compaction) => (
            <line
              key={compaction.uuid}
              x1={xOf(compaction.row)}
              x2={xOf(compaction.row)}
              y1={0}
              y2={HEIGHT}
              strokeWidth={2}
              className="stroke-warn"
              vectorEffect="non-scaling-stroke"
            >
              <title>{compactionText(compaction)}</title>
            </line>
          ))}
        </svg>
      </div>
      {context.compactions.length > 0 && (
        <ul className="mt-2 text-sm text-muted">
          {context.compactions.map((compaction) => (
            <li key={compaction.uuid}>
              <span aria-hidden="true" className="text-warn">
                ⌁
              </span>{' '}
              {compactionText(compaction)}
            </li>
          ))}
        </ul>
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
