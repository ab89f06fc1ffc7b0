import { useQueries } from '@tanstack/react-query'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import { fetchOp, useOp } from '../../api.ts'
import { getRouteApi, Link } from '../../routing.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ErrorBox } from '../../ui/error-box.tsx'
import { Money } from '../../ui/figures.tsx'
import { Later } from '../../ui/later.tsx'
import { Loading } from '../../ui/loading.tsx'
import { IN_PAGE, useTop } from '../../ui/virtual-rows.ts'
import { plural } from '../../ui/words.ts'
import { turnReceipt } from '../point-link.ts'
import { SessionHeader } from '../session-header.tsx'
import { SIGNS } from '../session-map.tsx'
import type { Outline } from '../types.ts'
import { oneLine } from '../visible.ts'
import { type TreePicture, type TreeRow, treePicture } from './tree-layout.ts'

const route = getRouteApi('/s/$session/tree')

/** More branches than this are not drawn; the conversation's own page lists them all. */
const MOST_BRANCHES = 24

/** The branches and agents of a session as a picture one can click. */
export function TreePage() {
  const { session } = route.useParams()
  const { branch } = route.useSearch()
  const { data: outline, error } = useOp('outline', { session })
  return (
    <>
      <SessionHeader name={session} branch={branch} outline={outline} />
      <div className="mx-auto w-full max-w-5xl px-4 py-4 sm:px-6">
        {error ? <ErrorBox error={error} /> : outline ? <Branches session={session} outline={outline} /> : <Loading />}
      </div>
    </>
  )
}

function Branches({ session, outline }: { session: string; outline: Outline }) {
  const shown = outline.branches.slice(-MOST_BRANCHES)
  const others = useQueries({
    queries: shown
      .filter(({ active }) => !active)
      .map(({ leaf }) => ({
        queryKey: ['outline', { session, branch: leaf }],
        queryFn: ({ signal }: { signal: AbortSignal }) => fetchOp('outline', { session, branch: leaf }, signal),
      })),
    combine: (results) => ({
      outlines: results.flatMap(({ data }) => data ?? []),
      isPending: results.some(({ isPending }) => isPending),
    }),
  })
  const picture = useMemo(() => {
    const all = [outline, ...others.outlines]
    const branches = shown.flatMap((one) => {
      const own = all.find(({ branch }) => branch === one.leaf)
      return own ? [{ branch: one, outline: own }] : []
    })
    return treePicture(session, branches, outline.agents)
  }, [session, outline, others.outlines, shown])
  if (others.isPending) return <Loading />
  if (picture.rows.length === 0) return <Empty>Nothing was said in it.</Empty>
  const hidden = outline.branches.length - shown.length
  return (
    <>
      <p className="mb-3 text-sm text-muted">
        {plural(outline.branches.length, 'branch', 'branches')} · {plural(outline.turns.length, 'turn')} ·{' '}
        {plural(outline.agents.length, 'agent')}
        {hidden > 0 && ` · ${plural(hidden, 'older branch', 'older branches')} not drawn`}
      </p>
      <Later>
        <Picture picture={picture} />
      </Later>
    </>
  )
}

const HEIGHT = 34
const LANE = 22
const LEFT = 14

/** Lanes and nodes on the left, drawn; over them, at the same heights, links to what they stand for. */
function Picture({ picture }: { picture: TreePicture }) {
  const { rows, edges, lanes } = picture
  // Agents stand to the right of all lanes, so that no line runs through them.
  const laneOf = ({ lane, depth }: TreeRow) => (depth === 0 ? lane : lanes - 1 + depth)
  const deepest = rows.reduce((most, row) => Math.max(most, laneOf(row)), 0)
  const width = LEFT * 2 + deepest * LANE
  const x = (row: TreeRow) => LEFT + laneOf(row) * LANE
  const y = (at: number) => at * HEIGHT + HEIGHT / 2
  const { ref, first, last } = useSeen(rows.length)
  const offset = first * HEIGHT
  // Lines that look alike are one path.
  const paths = new Map<string, { look: string; isThin: boolean; isActive: boolean; path: string }>()
  for (const { from, to, isActive } of edges) {
    if (from > last || to < first) continue
    const [a, b] = [rows[from] as TreeRow, rows[to] as TreeRow]
    const isThin = b.kind === 'agent'
    const look = isActive && !isThin ? 'stroke-accent' : 'stroke-edge'
    const bend = Math.min(y(to), y(from) + HEIGHT)
    const curve = `${x(a)} ${(y(from) + bend) / 2 + 8} ${x(b)} ${(y(from) + bend) / 2 - 8}`
    const key = `${look} ${isThin} ${isActive}`
    const { path } = paths.get(key) ?? { path: '' }
    const line = `M${x(a)} ${y(from)}C${curve} ${x(b)} ${bend}L${x(b)} ${y(to)}`
    paths.set(key, { look, isThin, isActive, path: path + line })
  }
  return (
    <div ref={ref} className="relative min-w-0" style={{ height: rows.length * HEIGHT }}>
      <svg
        aria-hidden="true"
        width={width}
        height={(last - first + 1) * HEIGHT}
        viewBox={`0 ${offset} ${width} ${(last - first + 1) * HEIGHT}`}
        className="pointer-events-none absolute left-0"
        style={{ top: offset }}
      >
        {[...paths].map(([key, { look, isThin, isActive, path }]) => (
          <path
            key={key}
            d={path}
            fill="none"
            strokeWidth={isThin ? 1 : 2}
            strokeDasharray={isActive ? undefined : '3 3'}
            className={look}
          />
        ))}
        {rows.slice(first, last + 1).map((row, at) => (
          <Node key={row.key} row={row} x={x(row)} y={y(first + at)} />
        ))}
      </svg>
      <ol className="absolute inset-x-0" style={{ top: offset }}>
        {rows.slice(first, last + 1).map((row) => (
          <li key={row.key} className="flex min-w-0 items-center" style={{ height: HEIGHT }}>
            <RowLink row={row} indent={width} />
            <Money usd={row.costUsd} {...receiptOf(row)} className={row.costUsd === null ? NO_COST : COST} />
          </li>
        ))}
      </ol>
    </div>
  )
}

const COST = 'w-14 shrink-0 text-right text-xs text-muted max-sm:hidden'
const NO_COST = `${COST} invisible`

/** Which rows are near the screen. */
function useSeen(count: number) {
  const ref = useRef<HTMLDivElement>(null)
  const top = useTop(ref)
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => HEIGHT,
    overscan: 6,
    scrollMargin: top,
    ...IN_PAGE,
  })
  const items = virtualizer.getVirtualItems()
  return { ref, first: items[0]?.index ?? 0, last: items.at(-1)?.index ?? -1 }
}

function Node({ row, x, y }: { row: TreeRow; x: number; y: number }) {
  const look = row.errors > 0 ? 'fill-danger' : row.isActive ? 'fill-accent' : 'fill-edge'
  if (row.kind === 'step')
    return <circle cx={x} cy={y} r={2.5} className={row.mark === 'error' ? 'fill-danger' : 'fill-edge'} />
  if (row.kind === 'agent')
    return <path d={`M${x} ${y - 6} L${x + 6} ${y} L${x} ${y + 6} L${x - 6} ${y} Z`} className={look} />
  return <circle cx={x} cy={y} r={6} strokeWidth={2} className={`stroke-paper ${look}`} />
}

/** Leads to where a row of the picture stands in the conversation. */
function RowLink({ row, indent }: { row: TreeRow; indent: number }) {
  const { session, branch, at } = row.link
  return (
    <Link
      to="/s/$session"
      params={{ session }}
      search={{ ...(branch !== undefined && { branch }), ...(at !== undefined && { at }) }}
      className="flex min-w-0 flex-1 items-baseline gap-2 rounded py-1 pr-2 text-sm hover:bg-sunk"
      style={{ paddingLeft: indent + 8 }}
    >
      {row.kind !== 'turn' ? (
        <span className={`w-6 shrink-0 text-right text-xs ${SIGNS.get(row.mark ?? '')?.look ?? ''}`}>
          <span aria-hidden="true">{SIGNS.get(row.mark ?? '')?.sign}</span>
          <span className="sr-only">{row.kind === 'agent' ? 'Agent' : SIGNS.get(row.mark ?? '')?.name}: </span>
        </span>
      ) : (
        <span className="w-6 shrink-0 text-right text-muted tabular-nums">{row.number}</span>
      )}
      <span
        dir="auto"
        className={`min-w-0 flex-1 truncate ${row.isActive && row.kind !== 'step' ? '' : 'text-muted'} ${row.kind === 'turn' ? 'font-medium' : ''}`}
      >
        {oneLine(row.text)}
      </span>
      {!row.isActive && row.kind === 'turn' && (
        <span className="shrink-0 text-xs text-warn max-sm:sr-only">abandoned</span>
      )}
      {row.errors > 0 && (
        <span className="shrink-0 text-xs text-danger">
          {row.kind === 'agent' ? 'failed' : plural(row.errors, 'error')}
        </span>
      )}
      {row.toolCalls > 0 && (
        <span className="shrink-0 text-xs text-muted max-sm:hidden">{plural(row.toolCalls, 'tool')}</span>
      )}
    </Link>
  )
}

function receiptOf({ kind, link, number, isActive }: TreeRow) {
  if (kind === 'agent') return { receipt: link.session }
  const own = kind === 'turn' && isActive && number !== undefined ? turnReceipt(link.session, number) : undefined
  return { receipt: own ?? link.session, isPart: own === undefined }
}
