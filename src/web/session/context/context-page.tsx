import { useMemo } from 'react'
import { useOp } from '../../api.ts'
import { getRouteApi, Link } from '../../routing.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ErrorBox } from '../../ui/error-box.tsx'
import { Later } from '../../ui/later.tsx'
import { Loading } from '../../ui/loading.tsx'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { plural, tokensText } from '../../ui/words.ts'
import { SessionHeader } from '../session-header.tsx'
import { oneLine, visible } from '../visible.ts'
import { addedBy, bytesOf, type ContextResult, type SourceGroup, sourceGroups, turnWindows } from './context-figures.ts'
import { WindowChart } from './window-chart.tsx'

const route = getRouteApi('/s/$session/context')

/** What filled the model's window, turn by turn. */
export function ContextPage() {
  const { session } = route.useParams()
  const { branch } = route.useSearch()
  const input = { session, ...(branch !== undefined && { branch }) }
  const { data: outline } = useOp('outline', input)
  const { data, error, refetch } = useOp('context', input)
  return (
    <>
      <SessionHeader name={session} branch={branch} outline={outline} />
      <div className="mx-auto w-full max-w-5xl space-y-4 px-4 py-4 sm:px-6">
        {error && <ErrorBox error={error} onRetry={() => refetch()} />}
        {!data && !error && <Loading label="Reading the log …" />}
        {data && <Figures session={session} branch={branch} context={data} />}
      </div>
    </>
  )
}

function Figures({
  session,
  branch,
  context,
}: {
  session: string
  branch: string | undefined
  context: ContextResult
}) {
  const { points, compactions } = context
  if (points.length === 0 && context.sizes.length === 0) return <Empty>The model was asked nothing in it.</Empty>
  const most = points.reduce((top, point) => (point.windowTokens > (top?.windowTokens ?? 0) ? point : top), points[0])
  const last = points.at(-1)
  return (
    <>
      <Card
        title="The window, response by response"
        aside={
          <span className="text-sm text-muted">
            {plural(points.length, 'response')} · at most {tokensText(most?.windowTokens)} tokens · at the end{' '}
            {tokensText(last?.windowTokens)} of {tokensText(context.windowTokens)}
            {compactions.length > 0 && ` · ${plural(compactions.length, 'compaction')}`}
          </span>
        }
      >
        <WindowChart session={session} branch={branch} context={context} />
      </Card>
      <Card title="Where it came from">
        <Sources context={context} />
      </Card>
      <Later>
        <Card title="What was added, turn by turn">
          <SizeTable session={session} branch={branch} context={context} />
        </Card>
      </Later>
    </>
  )
}

const COLUMNS =
  'grid grid-cols-[minmax(0,1fr)_4.5rem_4.5rem] items-center gap-x-3 sm:grid-cols-[minmax(0,1fr)_minmax(6rem,1fr)_5rem_5rem]'

/** What each turn, and each step of it, put into the window. Only the rows near the screen are drawn. */
function SizeTable({
  session,
  branch,
  context,
}: {
  session: string
  branch: string | undefined
  context: ContextResult
}) {
  const windows = useMemo(() => turnWindows(context), [context])
  const { bytesPerToken } = context
  const rows = useMemo(() => context.sizes.filter((sizes) => !sizes.isStep || bytesOf(sizes) > 0), [context])
  const most = useMemo(() => rows.reduce((top, sizes) => Math.max(top, bytesOf(sizes)), 1), [rows])
  return (
    <>
      <p aria-hidden="true" className={`${COLUMNS} border-b border-line pb-1 text-xs text-muted`}>
        <span>Turn, and its steps</span>
        <span className="max-sm:hidden">Of what</span>
        <span className="text-right">Added ≈</span>
        <span className="text-right">Window</span>
      </p>
      <VirtualList
        label="What each turn and step added"
        items={rows}
        keyOf={({ turn, row, isStep }) => `${turn} ${row} ${isStep}`}
        estimate={() => 29}
      >
        {(sizes) => {
          const parts = addedBy(sizes, bytesPerToken)
          const tokens = parts.reduce((sum, part) => sum + part.tokens, 0)
          const window = sizes.isStep ? undefined : windows.get(sizes.turn)
          return (
            <Link
              to="/s/$session"
              params={{ session }}
              search={{ ...(branch !== undefined && { branch }), ...(sizes.uuid !== '' && { at: sizes.uuid }) }}
              className={`${COLUMNS} border-b border-line py-1 text-sm hover:bg-sunk`}
            >
              <span dir="auto" className={`truncate ${sizes.isStep ? 'pl-6 text-muted' : 'font-medium'}`}>
                {!sizes.isStep && <span className="font-normal text-muted">{sizes.turn} </span>}
                {oneLine(sizes.text ?? 'Before the first prompt')}
              </span>
              <span className="max-sm:hidden">
                <span
                  className="flex h-3 overflow-hidden rounded-sm"
                  style={{ width: `${Math.max(1, (bytesOf(sizes) / most) * 100)}%` }}
                >
                  {parts.map(({ key, name, box, tokens: own }) => (
                    <span
                      key={key}
                      className={box}
                      title={`${name}: about ${tokensText(own)} tokens`}
                      style={{ width: `${(own / Math.max(1, tokens)) * 100}%` }}
                    />
                  ))}
                </span>
              </span>
              <span className="text-right tabular-nums">
                <span className="sr-only">added about </span>
                {tokensText(tokens)}
              </span>
              <span className="text-right tabular-nums">
                {window && <span className="sr-only">, the window held </span>}
                {window ? tokensText(window.tokens) : ''}
                {window?.isCompacted && (
                  <span className="text-warn" title="Compacted in this turn">
                    {' '}
                    ⌁<span className="sr-only"> compacted</span>
                  </span>
                )}
              </span>
            </Link>
          )
        }}
      </VirtualList>
    </>
  )
}

/** Where it all came from: files, tools, skills; each can be opened. */
function Sources({ context }: { context: ContextResult }) {
  const groups = useMemo(() => sourceGroups(context), [context])
  const most = groups.reduce((top, { tokens }) => Math.max(top, tokens), 1)
  const { request, bytesPerToken } = context
  return (
    <>
      <ul className="grid gap-x-8 lg:grid-cols-2">
        {groups.map((group) => (
          <li key={group.name} className="border-b border-line py-1.5 text-sm">
            <Source group={group} most={most} />
          </li>
        ))}
      </ul>
      <p className="mt-3 text-sm text-muted">
        {request
          ? `The client sent ${tokensText(Math.round(request.systemBytes / bytesPerToken))} tokens of instructions and ${tokensText(Math.round(request.toolsBytes / bytesPerToken))} for ${plural(request.tools, 'tool')}, about; their text is not shown. `
          : ''}
        Tokens are estimated at one for {bytesPerToken} bytes. Against the input tokens of 9,841 real responses that is
        15 % off on average; what the API counted is in the chart.
      </p>
    </>
  )
}

const MOST_MEMBERS = 60

function Source({ group: { name, box, tokens, times, members }, most }: { group: SourceGroup; most: number }) {
  const head = (
    <span className="grid grid-cols-[minmax(0,1fr)_5rem_4.5rem] items-center gap-x-3">
      <span className="truncate">{visible(name)}</span>
      <span
        aria-hidden="true"
        className={`h-2.5 rounded-sm ${box}`}
        style={{ width: `${Math.max(2, (tokens / most) * 100)}%` }}
      />
      <span className="text-right tabular-nums">≈ {tokensText(tokens)}</span>
    </span>
  )
  if (members.length === 0) return <div className="pl-4">{head}</div>
  return (
    <details>
      <summary className="[&::-webkit-details-marker]:hidden flex items-center gap-1 list-none before:w-3 before:text-muted before:content-['▸'] [[open]>&]:before:content-['▾'] *:flex-1">
        {head}
      </summary>
      <ul className="mt-1 mb-2 space-y-0.5 pl-4 text-muted">
        {members.slice(0, MOST_MEMBERS).map((member) => (
          <li key={member.name} className="grid grid-cols-[minmax(0,1fr)_2.5rem_4.5rem] gap-x-3">
            <span className="truncate font-mono text-[0.8125rem]" title={visible(member.name)}>
              {visible(member.name)}
            </span>
            <span className="text-right tabular-nums">{member.times > 1 ? `×${member.times}` : ''}</span>
            <span className="text-right tabular-nums">≈ {tokensText(member.tokens)}</span>
          </li>
        ))}
        {members.length > MOST_MEMBERS && <li>and {plural(members.length - MOST_MEMBERS, 'smaller one')}</li>}
      </ul>
      <span className="sr-only">{plural(times, 'time')}</span>
    </details>
  )
}
