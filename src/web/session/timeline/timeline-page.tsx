import { useMemo } from 'react'
import { useOp } from '../../api.ts'
import { getRouteApi, Link } from '../../routing.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ErrorBox } from '../../ui/error-box.tsx'
import { Later } from '../../ui/later.tsx'
import { Loading } from '../../ui/loading.tsx'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { spanText } from '../../ui/words.ts'
import { SessionHeader } from '../session-header.tsx'
import { oneLine } from '../visible.ts'
import { TimelineChart } from './timeline-chart.tsx'
import type { Timed } from './timeline-layout.ts'

const route = getRouteApi('/s/$session/timeline')

/** Where the time of a session went. */
export function TimelinePage() {
  const { session } = route.useParams()
  const { branch } = route.useSearch()
  const input = { session, ...(branch !== undefined && { branch }) }
  const { data: outline } = useOp('outline', input)
  const { data, error, refetch } = useOp('timeline', input)
  const marks = useMemo(
    () =>
      outline?.marks.filter(
        ({ kind, text }) => kind === 'compaction' || (kind === 'error' && text.startsWith('API')),
      ) ?? [],
    [outline],
  )
  const steps = useMemo(() => outline?.marks.filter(({ kind }) => kind === 'step') ?? [], [outline])
  return (
    <>
      <SessionHeader name={session} branch={branch} outline={outline} />
      <div className="mx-auto w-full max-w-7xl space-y-4 px-4 py-4 sm:px-6">
        {error && <ErrorBox error={error} onRetry={() => refetch()} />}
        {!data && !error && <Loading label="Reading the times …" />}
        {data && data.turns.length === 0 && <Empty>Nothing was said in it.</Empty>}
        {data && data.turns.length > 0 && (
          <>
            <Card title="Where the time went">
              <Shares timed={data} />
            </Card>
            <Card title="Over time">
              <TimelineChart session={session} branch={branch} timed={data} steps={steps} marks={marks} />
            </Card>
            <Later>
              <Card title="Turn by turn">
                <TurnTable session={session} branch={branch} turns={data.turns} />
              </Card>
            </Later>
          </>
        )}
      </div>
    </>
  )
}

/** Tools, the API and the person, as parts of the whole. */
function Shares({ timed: { toolMs, apiMs, waitMs } }: { timed: Timed }) {
  const parts = [
    { name: 'tools', ms: toolMs, look: 'bg-accent', note: 'from call to result; side by side counts once' },
    { name: 'the API', ms: apiMs, look: 'bg-prompt-edge', note: 'an estimate: what neither tools nor you took' },
    {
      name: 'waiting for you',
      ms: waitMs,
      look: 'border border-edge bg-sunk',
      note: 'from an answer to the next prompt, and questions',
    },
  ]
  const busy = toolMs + apiMs
  return (
    <div>
      <div aria-hidden="true" className="flex h-4 overflow-hidden rounded-sm bg-sunk">
        {parts.slice(0, 2).map(({ name, ms, look }) => (
          <span key={name} className={look} style={{ width: `${(ms / Math.max(1, busy)) * 100}%` }} />
        ))}
      </div>
      <dl className="mt-3 flex flex-wrap gap-x-8 gap-y-2">
        {parts.map(({ name, ms, look, note }) => (
          <div key={name}>
            <dt className="flex items-center gap-1.5 text-sm text-muted">
              <span aria-hidden="true" className={`inline-block size-3 rounded-sm ${look}`} />
              {name}
            </dt>
            <dd className="text-lg font-semibold tabular-nums">
              {name === 'the API' && '≈ '}
              {spanText(ms)}
            </dd>
            <dd className="text-xs text-muted">{note}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

const COLUMNS = 'grid grid-cols-[minmax(0,1fr)_repeat(2,4.5rem)] gap-x-3 sm:grid-cols-[minmax(0,1fr)_repeat(4,6rem)]'

function TurnTable(props: { session: string; branch: string | undefined; turns: Timed['turns'] }) {
  const { session, branch, turns } = props
  return (
    <>
      <p aria-hidden="true" className={`${COLUMNS} border-b border-line pb-1 text-right text-xs text-muted`}>
        <span className="text-left">Turn</span>
        <span>Took</span>
        <span>Tools</span>
        <span className="max-sm:hidden">API ≈</span>
        <span className="max-sm:hidden">For you</span>
      </p>
      <VirtualList label="Turns" items={turns} keyOf={({ turn }) => String(turn)} estimate={() => 33}>
        {(turn) => (
          <Link
            to="/s/$session"
            params={{ session }}
            search={{ at: turn.uuid, ...(branch !== undefined && { branch }) }}
            className={`${COLUMNS} items-baseline border-b border-line py-1.5 text-right text-sm tabular-nums hover:bg-sunk`}
          >
            <span className="truncate text-left" dir="auto">
              <span className="text-muted">{turn.turn} </span>
              {oneLine(turn.text ?? 'Before the first prompt')}
            </span>
            <Span name="took" ms={turn.toolMs + turn.askMs + turn.apiMs} />
            <Span name="tools" ms={turn.toolMs} />
            <Span name="the API, estimated" ms={turn.apiMs} className="max-sm:hidden" />
            <Span name="for you" ms={turn.askMs + (turn.waitMs ?? 0)} className="max-sm:hidden" />
          </Link>
        )}
      </VirtualList>
    </>
  )
}

function Span({ name, ms, className = '' }: { name: string; ms: number; className?: string }) {
  return (
    <span className={`whitespace-nowrap ${ms === 0 ? 'text-muted' : ''} ${className}`}>
      <span className="sr-only">, {name} </span>
      {ms === 0 ? '–' : spanText(ms)}
    </span>
  )
}
